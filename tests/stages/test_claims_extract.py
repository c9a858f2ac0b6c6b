"""`remember:` lines of a message become statements; everything else stays text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.claims.extract import LINES_MAX, extract_statements, parse_value, split_list
from heedful.kernel.errors import InvalidInputError


def test_a_line_with_kind_and_pairs_is_read_whole() -> None:
    """Kind, sentence and every pair at the end of the line come back, in order."""
    (statement,) = extract_statements(
        'so far so good\n- remember: release.freeze: Nothing goes out. until=2026-12-07 subject="team sre"'
    )

    assert ("release.freeze", "Nothing goes out.") == (statement.kind, statement.sentence)
    assert (("until", "2026-12-07"), ("subject", "team sre")) == statement.pairs
    assert statement.line_number == 2


@pytest.mark.parametrize(
    ("line", "kind", "sentence"),
    [
        ("记住：access.production：生产环境只允许只读凭据。", "access.production", "生产环境只允许只读凭据。"),
        ("記住: 早上不開會", None, "早上不開會"),
        ("Remember: the cat is called Ada", None, "the cat is called Ada"),
        ("remember: http://example.org is ours", None, "http://example.org is ours"),
        ("remember: a b=c d", None, "a b=c d"),
        ("remember: x=1 is the equation", None, "x=1 is the equation"),
    ],
)
def test_lines_of_every_shape_are_read(line: str, kind: str | None, sentence: str) -> None:
    """Full-width colons, no kind, links and stray equals signs are all ordinary."""
    (statement,) = extract_statements(line)

    assert (kind, sentence) == (statement.kind, statement.sentence)


@pytest.mark.parametrize(
    "line", ["I remember: no", "please remember this", "remember:", "remembering: x", "> remember: x"]
)
def test_what_is_no_command_stays_text(line: str) -> None:
    """Only a line that begins with the command word and a colon asks for anything."""
    assert extract_statements(line) == ()


def test_a_key_given_twice_is_refused() -> None:
    """Two values for one key are a mistake, not a choice of ours."""
    with pytest.raises(InvalidInputError) as raised:
        extract_statements("remember: x until=2026-01-01 until=2026-01-02")

    assert raised.value.code == "statement_malformed"


def test_a_message_full_of_commands_is_read_to_the_limit() -> None:
    """The number of commands in one message is bounded."""
    assert len(extract_statements("remember: x\n" * (LINES_MAX + 5))) == LINES_MAX


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    """No text of anybody makes the reader fail in any other way than its own refusal."""
    try:
        extract_statements("remember: " + text)
    except InvalidInputError as error:
        assert error.code == "statement_malformed"


def test_values_are_read_as_what_they_are() -> None:
    """Booleans and plain numbers are themselves; everything else is text."""
    values = [parse_value(text) for text in ("true", "False", "12", "-1.5", "1e9", "0x10", "twelve")]

    assert [True, False, 12, -1.5, "1e9", "0x10", "twelve"] == values


def test_lists_split_at_commas_of_both_scripts() -> None:
    """A Chinese comma separates as well as a Latin one."""
    assert ("a", "b", "c") == split_list("a,b， c,")

"""`remember:` lines of a message become statements; everything else stays text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.claims.extract import LINES_MAX, extract_statements, parse_value, split_list


def test_a_line_with_kind_and_pairs_is_read_whole() -> None:
    """Kind, sentence and every pair at the end of the line come back, in order."""
    (statement,) = extract_statements(
        'so far so good\n- remember: release.freeze: Nothing goes out. until=2026-12-07 subject="team sre"'
    )

    assert (statement.kind, statement.sentence) == ("release.freeze", "Nothing goes out.")
    assert statement.pairs == (("until", "2026-12-07"), ("subject", "team sre"))
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


@pytest.mark.parametrize(
    "text",
    [
        "```\nremember: x\n```",
        "~~~ text\nremember: x\n~~~",
        "````\n```\nremember: x\n```\nremember: x\n````",
        "```\n~~~\nremember: x\n```",
        "- ```\n  remember: x\n  ```",
        "1. ~~~\nremember: x\n~~~",
        "```\nremember: x\n``` no end\nremember: x\n```",
        "> remember: x",
        ">remember: x",
        "  > - remember: x",
    ],
)
def test_what_is_quoted_asks_for_nothing(text: str) -> None:
    """Code between fences of either sort, and lines that begin with `>`; what comes after them does."""
    assert extract_statements(text) == ()
    (after,) = extract_statements(f"{text}\nremember: y")
    assert after.sentence == "y"


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    """As it is shown; what stands before it still asks."""
    (before,) = extract_statements("remember: y\n```python\nremember: x\n\nremember: z")

    assert before.sentence == "y"


@pytest.mark.parametrize("line", ["``remember``", "```remember: x``` is code", "~~ no fence", "`` ` ``"])
def test_the_control_what_is_no_fence_quotes_nothing(line: str) -> None:
    """Code within a sentence and strokes that are too few leave the next line as it is."""
    (statement,) = extract_statements(f"{line}\nremember: y")

    assert (statement.line_number, statement.sentence) == (2, "y")


def test_a_key_given_twice_stays_twice() -> None:
    """Two values for one key are a mistake, which whoever proposes refuses; other lines are read all the same."""
    twice, other = extract_statements("remember: x until=2026-01-01 until=2026-01-02\nremember: y")

    assert twice.pairs == (("until", "2026-01-01"), ("until", "2026-01-02"))
    assert other.sentence == "y"


def test_a_message_full_of_commands_is_read_to_one_over_the_limit() -> None:
    """The number of commands in one message is bounded, and the caller sees that there were more."""
    assert len(extract_statements("remember: x\n" * (LINES_MAX + 5))) == LINES_MAX + 1
    assert len(extract_statements("remember: x\n" * LINES_MAX)) == LINES_MAX


@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    """No text of anybody makes the reader fail."""
    extract_statements("remember: " + text)


def test_values_are_read_as_what_they_are() -> None:
    """Booleans and plain numbers are themselves; everything else is text."""
    values = [parse_value(text) for text in ("true", "False", "12", "-1.5", "1e9", "0x10", "twelve")]

    assert values == [True, False, 12, -1.5, "1e9", "0x10", "twelve"]


def test_lists_split_at_commas_of_both_scripts() -> None:
    """A Chinese comma separates as well as a Latin one."""
    assert split_list("a,b， c,") == ("a", "b", "c")

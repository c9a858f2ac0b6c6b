"""Registry documents: what is read, and that every flaw is told with its line."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.policy.parse import PROBLEMS_MAX, closest, parse_documents
from heedful.policy.schema import schema_text
from heedful.policy.yaml_values import DOCUMENT_CHARACTERS_MAX, line_of, read_yaml


def problems_of(text: str) -> list[tuple[int, str]]:
    """(line, code) of each problem."""
    return [(problem.line, problem.code) for problem in parse_documents([("a.yaml", text)])[1]]


def test_the_schema_file_is_the_schema_that_is_used() -> None:
    """packs/registry.schema.json equals the constant; `python -m heedful.policy.schema` writes it."""
    written = (files("heedful") / "packs" / "registry.schema.json").read_text("utf-8")
    assert written == schema_text()
    assert json.loads(written)["additionalProperties"] is False


def test_every_problem_of_every_document_is_told_at_once() -> None:
    """A syntax error in one file hides nothing in another."""
    documents = [("b.yaml", "bridges:\n  a.b:\n    efect: x\n    mode: of\n"), ("a.yaml", "kinds: [1\n")]
    parsed, problems = parse_documents(documents)
    assert not parsed
    found = {(problem.file, problem.line, problem.code) for problem in problems}
    assert ("a.yaml", 2, "yaml_malformed") in found
    assert ("b.yaml", 3, "registry_key_unknown") in found
    assert ("b.yaml", 4, "registry_word_unknown") in found
    assert ("b.yaml", 2, "registry_field_missing") in found


def test_an_unknown_key_and_word_come_with_the_nearest_known_one() -> None:
    """`efect` is told to be `effect`, `of` to be `off`."""
    problems = parse_documents([("a.yaml", "bridges:\n  a.b:\n    efect: x\n    mode: of\n")])[1]
    steps = " ".join(problem.next_step for problem in problems)
    assert "did you mean effect?" in steps
    assert "did you mean off?" in steps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kinds: {}\nkinds: {}\n", (2, "yaml_duplicate_key")),
        ("kinds:\n  1: {}\n", (2, "yaml_key")),
        ("kinds:\n  [a]: {}\n", (2, "yaml_key")),
        ("kinds: !!python/object:os.x {}\n", (1, "yaml_tag")),
        ("- 1\n", (1, "registry_form")),
        ("kinds: {}\n---\nkinds: {}\n", (2, "yaml_malformed")),
        ("kinds: \x00\n", (1, "yaml_malformed")),
        ("kinds: \ud800\n", (1, "yaml_malformed")),
        ("kinds:\n  Bad Id: {}\n", (2, "registry_id_malformed")),
        ("policy:\n  solo: yes\n", (2, "registry_value")),
        ("x: &a [*a]\n", (1, "yaml_too_deep")),
        ("[" * 5_000, (1, "yaml_malformed")),
        ("#" * (DOCUMENT_CHARACTERS_MAX + 1), (1, "yaml_too_large")),
    ],
)
def test_a_flaw_in_the_form_is_told_with_its_line(text: str, expected: tuple[int, str]) -> None:
    """Duplicate keys, keys that are no text, tags, second documents and odd bytes are problems, never silent."""
    assert expected in problems_of(text)


def test_aliases_of_aliases_stop_at_the_limit() -> None:
    """Nine lines that would stand for a thousand million values are one problem."""
    lines = ["a0: &a0 [1]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "yaml_too_large" in [code for _, code in problems_of("\n".join(lines))]


def test_words_of_yaml_1_1_stay_texts() -> None:
    """`mode: off` is the text off, and a date is a text; only true and false are booleans."""
    value, _, flaws = read_yaml("a: off\nb: 2026-01-02\nc: true\nd: 12\ne: 1.5\nf: '12'\ng:\nh: 007\n")
    assert not flaws
    assert value == {
        "a": "off", "b": "2026-01-02", "c": True, "d": 12, "e": 1.5, "f": "12", "g": None, "h": "007",
    }  # fmt: skip


def test_an_empty_document_is_no_problem() -> None:
    """A file with comments only says nothing, and that is allowed."""
    parsed, problems = parse_documents([("a.yaml", "# nothing yet\n")])
    assert [document.content for document in parsed] == [{}]
    assert not problems


def test_a_flood_of_problems_is_cut_and_says_so() -> None:
    """More than PROBLEMS_MAX problems of one document end in one that says that there are more."""
    text = "kinds:\n" + "".join(f"  k{number}: {{}}\n" for number in range(PROBLEMS_MAX))
    codes = [code for _, code in problems_of(text)]
    assert codes.count("registry_problems_max") == 1
    assert len(codes) < 2 * PROBLEMS_MAX


def test_a_missing_value_points_at_what_should_hold_it() -> None:
    """line_of goes as far down as it can."""
    _, root, _ = read_yaml("a:\n  b:\n    - 1\n    - 2\n")
    assert [line_of(root, path) for path in ((), ("a",), ("a", "b", 1), ("a", "c"))] == [1, 1, 4, 1]


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_never_worse(text: str) -> None:
    """No text raises anything."""
    parsed, problems = parse_documents([("a.yaml", text)])
    assert parsed or problems


@given(st.text(alphabet="abc", min_size=2, max_size=6), st.lists(st.text(alphabet="abc", max_size=6), max_size=4))
def test_the_closest_word_is_a_known_one(word: str, known: list[str]) -> None:
    """A word that is known is its own closest; nothing else is ever suggested."""
    assert closest(word, [*known, word]) == word
    assert closest(word, known) in {*known, None}

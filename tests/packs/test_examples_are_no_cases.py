"""No example of a bundled pack is a case, or nearly one: what is measured by the cases was not written from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from likeness import CaseTexts, Likeness

ROOT = Path(__file__).parents[2]
PACKS = ROOT / "src" / "heedful" / "packs"
CASES = ROOT.parent / "shared" / "cases" / "paired"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")

FIELDS = (
    "memory",
    "direct_query",
    "indirect_query",
    "request",
    "topic_negative",
    "lexical_negative",
    "other_scope_negative",
    "update",
)
PHRASE_WORDS_MIN = 5
"""A shorter phrase is a word for something, and no sentence."""
PHRASE_CHARACTERS_MIN = 8
"""The same for Chinese."""


def case_texts() -> list[str]:
    """What is told or asked in any case, one text each."""
    texts: list[str] = []
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            case = json.loads(line)
            values = [case[field] for field in FIELDS if case.get(field)]
            texts += [value["text"] if isinstance(value, dict) else value for value in values]
    return [text for text in texts if text]


def training_examples(packs: Path = PACKS) -> Iterator[tuple[str, str]]:
    """(place, text) of each line that the router learns from."""
    for path in sorted(packs.glob("*/training/**/*.tsv")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if line.strip():
                yield f"{path.relative_to(packs)}:{number}", line.split("\t")[3]


def _sentences_of(section: str, entry: dict[str, Any]) -> Iterator[str]:
    """The examples of a bridge, and the phrases of anything that are as long as a sentence."""
    if section == "bridges":
        for examples in entry.get("examples", {}).values():
            yield from (each if isinstance(each, str) else each.get("text", "") for each in examples)
        return
    for field in ("phrases", "ends"):
        phrases = entry.get(field) or []
        listed = phrases if isinstance(phrases, list) else [each for some in phrases.values() for each in some]
        for phrase in listed:
            is_long = len(phrase.split()) >= PHRASE_WORDS_MIN
            if is_long or (not phrase.isascii() and len(phrase) >= PHRASE_CHARACTERS_MIN):
                yield phrase


def document_examples(packs: Path = PACKS) -> Iterator[tuple[str, str]]:
    """(place, text) of each example and each long phrase in the packs' documents."""
    for path in sorted(packs.glob("*/*.yaml")):
        document = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}
        for section in ("action_classes", "kinds", "entities", "bridges"):
            for entry_id, entry in document.get(section, {}).items():
                for text in _sentences_of(section, entry):
                    yield f"{path.relative_to(packs)} {section} {entry_id}", text


def found_like(cases: CaseTexts, examples: Iterator[tuple[str, str]]) -> list[tuple[str, Likeness]]:
    """Every example that is too much like a case, with its place."""
    return [(place, found) for place, text in examples if (found := cases.like(text)) is not None]


@needs_cases
def test_no_training_line_is_a_case() -> None:
    """Not equal, no long run in common, and no sentence of nearly the same words."""
    assert found_like(CaseTexts(case_texts()), training_examples()) == []


@needs_cases
def test_no_example_or_long_phrase_is_a_case() -> None:
    """The same for bridges' examples and for phrases as long as a sentence."""
    assert found_like(CaseTexts(case_texts()), document_examples()) == []


@needs_cases
def test_a_case_planted_in_a_pack_is_found(tmp_path: Path) -> None:
    """The control: every case text that has a sentence's length is found in a training line and in an example."""
    planted = [text for text in case_texts() if len(text) > 40]
    (tmp_path / "pack" / "training").mkdir(parents=True)
    lines = [f"S\ten\tkind\t{' '.join(text.upper().split())}\n" for text in planted]
    (tmp_path / "pack" / "training" / "planted.tsv").write_text("".join(lines), "utf-8")
    examples = {"must_fire": [f"So, {text}" for text in planted], "must_not_fire": [{"text": planted[0]}]}
    document = {"bridges": {"planted": {"examples": examples}}}
    (tmp_path / "pack" / "planted.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), "utf-8")
    cases = CaseTexts(planted)
    assert len(planted) > 500
    assert len(found_like(cases, training_examples(tmp_path))) == len(planted)
    assert len(found_like(cases, document_examples(tmp_path))) == len(planted) + 1


TOLD = CaseTexts(
    [
        "My cousin's budgie only tolerates millet; the vet in Leeds was quite firm about sunflower seeds.",
        "下周三我要去港口仓库盘点，记得提醒我带安全帽和反光背心。",
    ]
)


@pytest.mark.parametrize(
    ("example", "how"),
    [
        ("MY COUSIN’S BUDGIE only tolerates millet: the vet in Leeds was quite firm about sunflower seeds", "equal"),
        ("Honestly, the vet in Leeds was quite rude.", "run"),
        ("Budgie of my cousin tolerates millet, firm vet, Leeds, quite, sunflower", "words"),
        ("下周三我要去港口仓库盘点,记得提醒我带安全帽和反光背心", "equal"),
        ("老板说下周三我要去港口仓库盘点，顺便吃饭。", "run"),
    ],
)
def test_a_text_much_like_a_case_is_told(example: str, how: str) -> None:
    """Equal but for case and punctuation, a long run in common, the same words in another order."""
    found = TOLD.like(example)
    assert found is not None
    assert found.how.startswith(how)


@pytest.mark.parametrize(
    "example",
    [
        "the vet in Leeds was kind",
        "My cousin has a budgie.",
        "下周三我要去港口，别的没了。",
        "?!",
        "",
    ],
)
def test_a_turn_of_phrase_in_common_is_no_copy(example: str) -> None:
    """Five words in a row, a noun, eleven characters, no word at all."""
    assert TOLD.like(example) is None

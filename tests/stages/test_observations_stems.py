"""Stems: the plain inflections of a word find each other, and different words stay apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.observations.stems import STEM_CHARACTERS_MIN, stem
from heedful.observations.text import query_terms, search_tokens

SAME = [
    ("policy", "policies"),
    ("phlebotomy", "phlebotomies"),
    ("cache", "caches", "cached", "caching"),
    ("deploy", "deploys", "deployed", "deploying"),
    ("stop", "stops", "stopped", "stopping"),
    ("study", "studies", "studied", "studying"),
    ("process", "processes", "processed"),
    ("box", "boxes"),
    ("friday", "fridays"),
    ("database", "databases"),
]
APART = [
    ("note", "not"),
    ("news", "new"),
    ("evening", "even"),
    ("string", "str"),
    ("bus", "bu"),
    ("analysis", "analysi"),
    ("party", "part"),
    ("need", "ne"),
]


@pytest.mark.parametrize("words", SAME)
def test_inflections_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    """Each finds a text with any of the others."""
    assert len({stem(word) for word in words}) == 1
    assert all(set(query_terms(asked)) & set(search_tokens(f"the {told} here")) for asked in words for told in words)


@pytest.mark.parametrize("words", APART)
def test_different_words_stay_apart(words: tuple[str, str]) -> None:
    """What looks like an ending is none."""
    assert stem(words[0]) != stem(words[1])


def test_an_identifier_stays_whole_beside_its_parts() -> None:
    """Its parts are words, and find it too."""
    assert search_tokens("retry_policies") == ("retry_policies", "retri", "polici")
    assert query_terms("policy")[0] in search_tokens("retry_policies")


@pytest.mark.parametrize("word", ["dns", "v2s", "größe", "部署s", "x" * 3, ""])
def test_what_is_no_plain_word_is_its_own_stem(word: str) -> None:
    """Digits, other scripts, and what is too short."""
    assert stem(word) == word


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_without_its_last_character_begins_the_word(word: str) -> None:
    """So that a place with the word is found by its stem; and it never gets longer, nor too short."""
    cut = stem(word)
    assert word.startswith(cut[:-1])
    assert min(len(word), STEM_CHARACTERS_MIN - 1) <= len(cut) <= len(word)

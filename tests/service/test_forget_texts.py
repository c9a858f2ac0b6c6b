"""A withdrawal reaches what this process remembers of texts: nothing of the record's words stays in memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import _lru_cache_wrapper

import pytest
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful.adapters.models.ngrams import NgramEmbedder
from heedful.adapters.models.router import BundledRouter, bundled_weights
from heedful.bridges.over import terms_of
from heedful.kernel.kept import forget_texts
from heedful.observations.text import search_tokens

SAID = "Kowalczykowski's greenhouse alarm code opens on Tuesdays: 温室警报。"
MARK = "kowalczykowski"


@pytest.fixture(name="home")
def home_with_a_router(house: World) -> Iterator[World]:
    """The house with the bundled router, by words."""
    house.app.router = BundledRouter(bundled_weights, None)
    yield house
    forget_texts()


def remembered() -> list[str]:
    """Texts with the mark that are keys of any dictionary in memory, but for those of this test."""
    return [
        key
        for each in gc.get_objects()
        if type(each).__mro__[-2] is dict or type(each).__name__ == "OrderedDict"
        for key in list(each)
        if isinstance(key, str) and MARK in key.casefold()
    ]


def test_withdrawn_words_are_no_longer_remembered(home: World) -> None:
    """By the router, the search tokens, and what else keeps answers by text."""
    kept = home.ana.remember(SAID)
    home.ana.recall("What does Kowalczykowski's alarm do?")
    assert remembered(), "the control: they were"
    home.bob.reject(kept.record_id, reason="not for here")
    assert remembered() == []


def test_the_rejection_of_a_claim_drops_nothing(home: World) -> None:
    """Its record stands, and so do its words."""
    kept = home.ana.remember(SAID, kind="service.owner")
    home.bob.reject(kept.claims[0].claim_id, reason="no owner")
    assert remembered()


def test_every_sort_of_memory_is_emptied() -> None:
    """Functions, dictionaries of a module, and objects; answers are the same afterwards."""
    router, embedder = BundledRouter(bundled_weights, None), NgramEmbedder()
    before = (router.tell(SAID), embedder.embed([SAID, "x"], purpose="passage"), search_tokens(SAID), terms_of(SAID))
    assert isinstance(terms_of, _lru_cache_wrapper)
    assert terms_of.cache_info().currsize > 0
    forget_texts()
    assert terms_of.cache_info().currsize == 0
    assert remembered() == []
    after = (router.tell(SAID), embedder.embed([SAID, "x"], purpose="passage"), search_tokens(SAID), terms_of(SAID))
    assert before == after
    forget_texts()

"""Scopes are listed where there is something that one may see, and by whole elements."""

from __future__ import annotations

from households import home_fixture, says  # noqa: F401  # pytest finds the fixture here
from worlds import World, code_of

HIDDEN = ["user:cleo", "project:secret"]


def test_scopes_are_listed_by_whole_elements(home: World) -> None:
    """Those that have all that is named; what is erased there leaves none. The control: no name is part of another."""
    for scope in (["user:alice"], ["user:malice"], ["org:acme", "unit:eu"], ["org:acme-corp"], ["org:acme"]):
        home.ana.remember("Figs are liked here.", scope=scope)
    assert home.ana.scopes(["user:alice"]).scopes == (("user:alice",),)
    assert home.ana.scopes("org:acme").scopes == (("org:acme",), ("org:acme", "unit:eu"))
    assert home.ana.scopes(["org:acme", "unit:eu"]).scopes == (("org:acme", "unit:eu"),)
    assert len(home.ana.scopes().scopes) == 5
    home.ana.forget(scope=["user:malice"])
    assert ("user:malice",) not in home.ana.scopes().scopes
    assert code_of(lambda: home.ana.scopes("acme")) == "scope_malformed"


def test_a_scope_is_listed_to_who_sees_something_in_it(home: World) -> None:
    """Not one that is not granted, nor one where all is higher, or of a kind that is denied. The control: the owner's."""
    before = home.memory("person:eve").scopes()
    home.ana.remember("Only for some.", scope=["user:dora"], classification="restricted")
    home.ana.remember("Not theirs.", scope=HIDDEN)
    says(home.ana, "I live in Lyon.", "home.address", "Lyon")
    assert home.memory("person:eve").scopes().scopes == (*before.scopes, ("user:ana",))
    assert home.memory("person:cat").scopes() == before
    assert set(home.ana.scopes().scopes) == {("user:dora",), tuple(sorted(HIDDEN)), ("user:ana",)}
    assert code_of(lambda: home.memory("person:nobody").scopes()) == "principal_may_not"

"""What one may not see changes no state that one is told, whatever is hidden and whenever it came."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from test_states import CRASHING, NOT_READY, POD, READY, seen, statuses
from worlds import TWO_PEOPLE, World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.service.belief import place_states

DENIED = TWO_PEOPLE.replace('"person:cyd": {', '"person:cyd": {denied_kinds: [release.freeze], ')
Hidden = Callable[[World, str], object]


def restricted(house: World, at: str) -> object:
    """A state that is classified higher."""
    return seen(house.ana, NOT_READY, at, classification="restricted")


def elsewhere(house: World, at: str) -> object:
    """A state of another scope."""
    return seen(house.ana, NOT_READY, at, scope=["project:ledger"])


def denied(house: World, at: str) -> object:
    """A state on whose record a claim of a denied kind rests too."""
    return seen(house.ana, NOT_READY, at, kind="release.freeze")


def act(house: World, at: str) -> object:
    """An action that would explain a change."""
    return house.ana.remember(
        "restarted web", record_type="action", classification="restricted", occurred_at=f"2026-11-28T08:{at}:00Z"
    )


HIDDEN: dict[str, Hidden] = {"restricted": restricted, "elsewhere": elsewhere, "denied": denied, "act": act}


def told(memory: Memory, **more: Any) -> list[object]:
    """What is told of the pod, without ids and times of keeping."""
    answer = memory.state(POD, history=True, **more)
    found: list[object] = [answer.next_step, answer.is_cut]
    for state in answer.states:
        found += [state.property, str(state.scope), state.known, state.value, state.assurance, state.since, state.until]
        found += [state.reason, state.next_step, len(state.inferred)]
        found += [
            (step.value, step.since, step.until, step.status, step.changed_from, step.unexplained)
            for step in state.history
        ]
    return found


LOOKS = ((READY, "51"), (CRASHING, "56"))


def play(house: World, order: tuple[int, ...], hidden: Hidden | None, before: int, at: str) -> list[object]:
    """The looks in this order of arrival, the hidden thing before one of them or last; what Cyd is told."""
    house.use(DENIED)
    for number in range(len(order) + 1):
        if number == before and hidden is not None:
            hidden(house, at)
        if number < len(order):
            seen(house.ana, *LOOKS[order[number]])
    return told(house.cyd, as_of="2026-11-28T08:58:00Z")


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_changes_nothing_that_is_told(house: World, name: str) -> None:
    """In every order of arrival, and at every time between; whoever sees it is told otherwise (the control)."""
    plain = None
    for number, (order, before, at) in enumerate(product(((0, 1), (1, 0)), (0, 1, 2), ("50", "53", "57"))):
        tenant = f"t{number}"
        house.app.add_tenant(tenant, house.ana._session.principal)
        inside = _At(house, tenant)
        found = play(inside, order, HIDDEN[name], before, at)  # type: ignore[arg-type]
        if plain is None:
            house.app.add_tenant("plain", house.ana._session.principal)
            plain = play(_At(house, "plain"), order, None, before, at)  # type: ignore[arg-type]
        assert found == plain, (order, before, at)
        if name == "restricted":
            assert told(inside.ana, as_of="2026-11-28T08:58:00Z") != plain


class _At:
    """The same house at another tenant."""

    def __init__(self, house: World, tenant: str) -> None:
        self._house, self._tenant = house, tenant

    def use(self, policy: str) -> None:
        self._house.use(policy)

    @property
    def ana(self) -> Memory:
        return self._house.memory("person:ana", tenant=self._tenant)

    @property
    def cyd(self) -> Memory:
        return self._house.memory("person:cyd", tenant=self._tenant)


@pytest.mark.parametrize("is_hidden", [True, False])
def test_a_hidden_look_in_the_same_run_moves_no_state_that_is_seen(house: World, *, is_hidden: bool) -> None:
    """By its later clock the next look of that run would come after another run's; seen by all, it does (the control)."""
    first = seen(house.ana, CRASHING, "52", run_id="other")
    more = {"classification": "restricted"} if is_hidden else {}
    seen(house.ana, READY, "55", run_id="r1", sequence=1, **more)
    seen(house.ana, READY, "51", run_id="r1", sequence=2)
    assert statuses(house, first) == ["evidence-verified" if is_hidden else "superseded"]


def test_hidden_states_take_no_place_among_those_that_are_seen(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two places, two hidden ones leave the one that is seen where it was: it is ended by the next."""
    monkeypatch.setattr(place_states, "PEERS_MAX", 2)
    first = seen(house.ana, CRASHING, "50")
    for minute in ("51", "52", "53"):
        seen(house.ana, READY, minute, classification="restricted")
    last = seen(house.ana, READY, "54")
    assert statuses(house, first, last) == ["superseded", "evidence-verified"]

"""Faults of the newer verbs: states, causes, mining, workflows, permits, the queue; worlds of runs show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from planted import Breakage, Engine, Fault, always, at, everything, everywhere, replaced, seen_as, uncleared, undenied

from heedful.kernel.ladder import Classification
from heedful.ports.rows import Chain, Visible
from heedful.service import review
from heedful.service.acting import redeem
from heedful.service.belief import place_states
from heedful.service.governing import propose_bridge
from heedful.service.governing.propose_bridge import WAITING
from heedful.service.governing.proposed_workflow import is_workflow
from heedful.service.learning import gotchas, gotchas_held, mine_workflows, workflow
from heedful.service.recalling import causes, explain_state, recall, state
from heedful.service.recalling.causes_near import Near
from heedful.service.sight import visible_everywhere
from heedful.testing.isolation import run_verbs
from heedful.testing.isolation.people import PEOPLE

ANYBODY = [person.name for person in PEOPLE]
MANY = 10_000
"""So many rows are all."""


def _method(name: str, broken: Callable[[Any], object]) -> Callable[[Engine], Sequence[Breakage]]:
    return lambda engine: [(engine.reading, name, broken)]


def _wide(wider: Callable[[Any, Visible], Visible], place: int) -> Callable[[Any], object]:
    """Of a function with a reading, and after it what is visible at this place."""

    def broken(sound: Any) -> object:
        def function(*args: Any, **more: Any) -> Any:
            return sound(*args[:place], wider(args[place - 1], args[place]), *args[place + 1 :], **more)

        return function

    return broken


def _whole(sound: Any) -> object:
    """Of what says what is visible, one that says everything."""

    def visible(session: Any, *args: Any) -> Visible:
        with session.store.read() as reading:
            return everything(reading, sound(session, *args))

    return visible


def _of_all(sound: Any) -> object:
    return lambda session, reading: everything(reading, sound(session, reading))


def _of_every_rank(sound: Any) -> object:
    return lambda session, scopes: uncleared(None, sound(session, scopes))


def _about_late(sound: Any) -> object:
    """Claims about a subject are cut first, and filtered afterwards."""

    def about(self: Any, visible: Visible, subject: str, *, limit: int, before: int | None = None) -> Any:
        whole = sound(self, everything(self, visible), subject, limit=limit, before=before)
        seen = {claim.claim_id for claim in sound(self, visible, subject, limit=MANY)}
        return tuple(claim for claim in whole if claim.claim_id in seen)

    return about


def _cut_by_all(sound: Any) -> object:
    """A state says that there is more where there is more that is hidden."""

    def states_of(session: Any, reading: Any, visible: Visible, subject: str, *args: Any, **more: Any) -> Any:
        found, is_cut = sound(session, reading, visible, subject, *args, **more)
        seen, whole = (
            reading.claims_about(each, subject, limit=MANY) for each in (visible, everything(reading, visible))
        )
        return found, is_cut or len(whole) > len(seen)

    return states_of


def _states_cached(sound: Any) -> object:
    """What somebody was told of a subject is told to the next one."""
    told: dict[Any, Any] = {}

    def cached(session: Any, subject: str, *args: Any, **more: Any) -> Any:
        # Its own for each play, so that only what is hidden in the same world can show.
        minute = session.clock.now_us() // 1_800_000_000
        key = (session.store.tenant.tenant_id, id(session.store), subject, minute, more.get("as_of"))
        if key not in told:
            with session.store.read() as reading:
                wide = everything(reading, visible_everywhere(session, reading))
            with replaced(state, "visible_everywhere", always(wide)):
                told[key] = sound(session, subject, *args, **{**more, "scope": ()})
        return told[key]

    return cached


def _counted_by_all(sound: Any) -> object:
    """How many records a miner has looked at counts those that it passed over."""

    def mined(session: Any, **more: Any) -> Any:
        found = sound(session, **more)
        with session.store.read() as reading:
            return replace(found, looked_at=found.looked_at + len(reading.scopes()))

    return mined


def _near_cut_by_all(sound: Any) -> object:
    def page(self: Near, limit: int, *args: Any, **more: Any) -> None:
        sound(self, limit, *args, **more)
        whole = everything(self._reading, self._visible)
        count = self._reading.visible_position
        self.is_cut = self.is_cut or count(whole) > count(self._visible)

    return page


def _any_record(_sound: Any) -> object:
    return lambda _session, reading, item_id: reading.record(item_id)


def _any_proposal(_sound: Any) -> object:
    return lambda _session, reading, item_id: reading.bridge_proposal(item_id)


def _proposals_cut_by_all(sound: Any) -> object:
    def waiting(session: Any, reading: Any) -> Any:
        seen, _ = sound(session, reading)
        return seen, len(reading.bridge_proposals(WAITING, limit=MANY)) > len(seen)

    return waiting


def _proposals_cut_first(_sound: Any) -> object:
    """The limit on earlier proposals counts everybody's."""

    def earlier(session: Any, writing: Any) -> Any:
        found = [
            propose_bridge.told_proposal(stored)
            for status in mine_workflows._STATUSES
            for stored in writing.bridge_proposals(status, limit=1)
        ]
        return [
            each
            for each in found
            if is_workflow(each) and propose_bridge.seen_proposal(session, writing, each["proposal_id"]) is not None
        ]

    return earlier


def _ordered_by_all(sound: Any) -> object:
    """A state is placed among all that the writer sees, whoever sees that."""
    return lambda self, _label: sound(self, place_states._Label(Classification.RESTRICTED, frozenset(ANYBODY)))


def _spoilt_by_any_write(sound: Any) -> object:
    """A permit is good only while nobody at all has written anything."""

    def judged(session: Any, writing: Any, permit: Any, action: Any, classified: Any) -> Any:
        stored = writing.permit(permit.permit_id)
        if stored is not None and writing.head(Chain.LEDGER).position > stored.position + 2:
            return redeem._refused(session, writing, permit, action, "circumstances-changed")
        return sound(session, writing, permit, action, classified)

    return judged


def _run_of_all(sound: Any) -> object:
    def grounds(session: Any, reading: Any, visible: Visible, *args: Any, **more: Any) -> Any:
        return sound(session, reading, everything(reading, visible), *args, **more)

    return grounds


RUN_FAULTS = (
    Fault("state-without-scopes", "states of scopes not granted", _method("claims_about", seen_as(everywhere))),
    Fault("state-without-clearance", "states above the clearance", _method("claims_about", seen_as(uncleared))),
    Fault("state-without-denied-kinds", "states of denied kinds", _method("claims_about", seen_as(undenied))),
    Fault("state-cut-before-filter", "how many states are hidden", _method("claims_about", _about_late)),
    Fault("state-cut-counts-all", "that more is hidden", at((state, "states_of", _cut_by_all))),
    Fault("states-cached-by-subject", "what somebody else was told", at((run_verbs, "state", _states_cached))),
    Fault("explained-by-hidden", "that something hidden was done", at((explain_state, "_acts", _wide(everything, 1)))),
    Fault(
        "placed-among-hidden", "that a hidden state came", at((place_states._Peers, "in_order_for", _ordered_by_all))
    ),
    Fault("causes-of-all", "hidden records", at((causes, "visible_everywhere", _of_all))),
    Fault("causes-on-a-subject-of-all", "hidden records", at((causes, "visible_for_request", _whole))),
    Fault("causes-cut-counts-all", "how much is hidden", at((Near, "_page", _near_cut_by_all))),
    Fault("causes-by-any-id", "a record whose id is known", at((causes, "seen_record", _any_record))),
    Fault("gotchas-mined-of-all", "hidden failures", at((gotchas, "visible_in", _of_every_rank))),
    Fault("gotchas-held-by-all", "that a hidden gotcha is there", at((gotchas_held, "_newest", _wide(everything, 2)))),
    Fault("gotchas-counted-over-all", "how much there is", at((run_verbs, "mine", _counted_by_all))),
    Fault("retired-of-all", "that something hidden has ended", at((recall, "retired_for", _wide(everything, 2)))),
    Fault("workflows-mined-of-all", "hidden runs", at((mine_workflows, "visible_for_request", _whole))),
    Fault("proposals-of-all-known", "what others were proposed", at((mine_workflows, "seen_proposal", _any_proposal))),
    Fault(
        "proposals-cut-before-filter", "how much others propose", at((mine_workflows, "_earlier", _proposals_cut_first))
    ),
    Fault(
        "proposals-listed-to-all", "what others were proposed", at((propose_bridge, "_is_seen", always(answer=True)))
    ),
    Fault("queue-cut-counts-all", "how much others propose", at((review, "waiting_proposals", _proposals_cut_by_all))),
    Fault("workflow-followed-by-hidden", "hidden steps of a run", at((workflow, "grounds_of_steps", _run_of_all))),
    Fault("permit-spoilt-by-any-write", "that somebody wrote", at((redeem, "_redeem", _spoilt_by_any_write))),
)

"""Faults of what words tell and end: only worlds with a router can show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planted import Fault, always, at, replaced

from heedful.kernel.label import Label
from heedful.kernel.ladder import Classification
from heedful.service.belief import settle
from heedful.service.keeping import facts, keep, propose


def _of_no_kind(sound: Any) -> object:
    """What words tell has their record's classification, whatever its kind's is."""

    def told(*args: Any, **more: Any) -> Any:
        with replaced(propose, "_least", always(Classification.NORMAL)):
            return sound(*args, **more)

    return told


def _of_every_scope(sound: Any) -> object:
    def held(session: Any, writing: Any, record: Any, *args: Any) -> Any:
        scopes = writing.scopes()
        return [each for scope in scopes for each in sound(session, writing, replace(record, scope=scope), *args)]

    return held


def _of_every_classification(sound: Any) -> object:
    def held(session: Any, writing: Any, record: Any, domains: Any, classification: Any) -> Any:
        del classification
        return sound(session, writing, record, domains, session.clearance)

    return held


def _unclassified(sound: Any) -> object:
    return lambda ending, claim: replace(sound(ending, claim), classification=Classification.NORMAL)


_DOMINATES = (Label, "dominates", always(answer=True))
_DENIED_TO_NOBODY = always(answer=frozenset())

TOLD_FAULTS = (
    Fault(
        "told-without-kind-classification",
        "what is told of sensitive kinds",
        at((keep, "add_told", _of_no_kind), (settle, "add_told", _of_no_kind)),
    ),
    Fault("ended-below-label", "that something hidden was said", at(_DOMINATES)),
    Fault(
        "ended-in-every-scope",
        "that something was said in a hidden scope",
        at(_DOMINATES, (facts, "_held", _of_every_scope)),
    ),
    Fault("ended-by-denied-kinds", "that something hidden was said", at((facts, "denied_to", _DENIED_TO_NOBODY))),
    Fault(
        "ended-beside-hidden-rivals", "that something hidden is held", at((facts, "_held", _of_every_classification))
    ),
    Fault("end-told-below-the-ended", "that something hidden is held", at((settle, "ending_draft", _unclassified))),
)

"""Faults of the verbs and of policy: what is counted, cached, told apart or told at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planted import Fault, always, at, everything, everywhere, replaced, uncleared, undenied

from heedful.claims.claim import ClaimStatus
from heedful.kernel.errors import ForbiddenError
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.observations.record import Record
from heedful.policy import decide
from heedful.policy.decide import Permission
from heedful.ports.rows import Visible
from heedful.recall import score
from heedful.service import review, sight
from heedful.service.acting import approve_action, matter, outcome
from heedful.service.auditing import status, why
from heedful.service.belief.approve_claim import WAITING
from heedful.service.keeping import import_, keep, propose, remember
from heedful.service.recalling import grounds_first, in_mind, recall
from heedful.service.session import Session
from heedful.testing.isolation import play

NOTHING = Visible((), Classification.NORMAL)
MANY = 10_000


def _seen_as(wider: Callable[[Any, Visible], Visible], place: int) -> Callable[[Any], object]:
    """Of a function with a reading, and after it what is visible at this place."""

    def broken(sound: Any) -> object:
        def function(*args: Any, **more: Any) -> Any:
            reading, visible = args[place - 1], args[place]
            return sound(*args[:place], wider(reading, visible), *args[place + 1 :], **more)

        return function

    return broken


def _claims_of_all(reading: Any) -> Any:
    return reading.claims(
        everything(reading, NOTHING),
        statuses=tuple(ClaimStatus),
        kinds=None,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=MANY,
    )


def _cached_packets(sound: Any) -> object:
    packets: dict[str, Any] = {}

    def cached(session: Session, request: Any) -> Any:
        key = f"{session.store.tenant.tenant_id}/{request.features.text}/{session.clock.now_us() // 86_400_000_000}"
        if key not in packets:
            packets[key] = sound(session, request)
        return packets[key]

    return cached


def _withheld_told(sound: Any) -> object:
    def material(session: Any, reading: Any, visible: Visible, *args: Any) -> Any:
        made = sound(session, reading, visible, *args)
        withheld = reading.visible_position(everything(reading, visible)) - reading.visible_position(visible)
        return replace(made, degraded=(*made.degraded, f"{withheld} withheld"))

    return material


def _contradicted_by_all(sound: Any) -> object:
    """Contradictions are looked for among all claims of the tenant, before it is looked who may see them."""

    def material(session: Any, reading: Any, *args: Any) -> Any:
        def among_all(plain: Any) -> object:
            return lambda claims, vocabulary: plain([*claims, *_claims_of_all(reading)], vocabulary)

        with replaced(score, "contradicted_claims", among_all):
            return sound(session, reading, *args)

    return material


def _places_taken(sound: Any) -> object:
    """What is hidden takes places of a packet, and is left out afterwards."""

    def material(session: Any, reading: Any, visible: Visible, *args: Any) -> Any:
        withheld = reading.visible_position(everything(reading, visible)) - reading.visible_position(visible)
        with replaced(grounds_first, "PLACES_MAX", lambda places: max(1, places - withheld // 4)):
            return sound(session, reading, visible, *args)

    return material


def _found_told(sound: Any) -> object:
    """What is there and not to be seen is forbidden instead of not found."""

    def told(session: Session, item_id: str, **more: Any) -> Any:
        with session.store.read() as reading:
            is_there = reading.claim(ClaimId(item_id)) or reading.record(RecordId(item_id))
            if is_there and not (
                sight.seen_claim(session, reading, item_id) or sight.seen_record(session, reading, item_id)
            ):
                raise ForbiddenError("principal_may_not", "not yours", details={"id": item_id})
        return sound(session, item_id, **more)

    return told


def _by_prefix(sound: Any) -> object:
    def grant(known: Any, element: str) -> str | None:
        begins = (each for each in known.grants if element.startswith(each))
        return sound(known, element) or next(begins, None)

    return grant


def _consenting(sound: Any) -> object:
    def admitted(candidate: Any, **more: Any) -> Any:
        is_denied = candidate.consent is Consent.DENIED
        return sound(replace(candidate, consent=Consent.IMPLICIT) if is_denied else candidate, **more)

    return admitted


def _newest_cut_first(_sound: Any) -> object:
    def newest(session: Any, reading: Any, since_us: int) -> list[Any]:
        import msgspec  # noqa: PLC0415

        del since_us
        found = [msgspec.json.decode(each.verdict_json) for each in reading.verdicts(limit=1)]
        return [each for each in found if approve_action._is_seen(session, reading, each)]

    return newest


def _all_of_basis(sound: Any) -> object:
    def is_seen(session: Any, reading: Any, verdict: dict[str, Any]) -> Any:
        return sound(session, reading, {**verdict, approve_action.BASIS: []})

    return is_seen


def _quarantined_told(sound: Any) -> object:
    def rejected(session: Any, writing: Any, item_id: str, reason: str) -> Any:
        resting = tuple(each.claim_id for each in writing.claims_on(RecordId(item_id)))
        answer = sound(session, writing, item_id, reason)
        return replace(answer, quarantined=resting) if answer.item == "record" else answer

    return rejected


def _scopes_told(sound: Any) -> object:
    def require_writable(self: Session, scope: Any) -> None:
        try:
            sound(self, scope)
        except ForbiddenError as error:
            with self.store.read() as reading:
                if scope not in reading.scopes():
                    raise ForbiddenError(error.code, "no such scope") from error
            raise

    return require_writable


def _any_capture(sound: Any) -> object:
    def matches(session: Any, reading: Any, scope: Any, text: str) -> Any:
        return any(sound(session, reading, each, text) for each in (scope, *reading.scopes()))

    return matches


def _all_counted(sound: Any) -> object:
    def counted(session: Any) -> Any:
        with session.store.read() as reading:
            return replace(sound(session), counts=reading.counts())

    return counted


def _cut_by_all(sound: Any) -> object:
    def queue(session: Any, **more: Any) -> Any:
        found = sound(session, **more)
        with session.store.read() as reading:
            waiting = [each for each in _claims_of_all(reading) if each.status in WAITING]
        return replace(found, cut=len(waiting) > review.QUEUE_MAX)

    return queue


ALLOWED = Permission(allowed=True, reason="everybody may")

SERVICE_FAULTS = (
    Fault("packet-cached-by-question", "what was handed to somebody else", at((play, "recall", _cached_packets))),
    Fault("withheld-count-in-packet", "how much is hidden", at((recall, "_material", _withheld_told))),
    Fault("contradiction-with-hidden", "that somebody says otherwise", at((recall, "_material", _contradicted_by_all))),
    Fault("places-taken-by-hidden", "how much is hidden", at((recall, "_material", _places_taken))),
    Fault(
        "mind-of-other-scopes", "claims of scopes not granted", at((recall, "bring_to_mind", _seen_as(everywhere, 2)))
    ),
    Fault("mind-above-clearance", "claims above the clearance", at((recall, "bring_to_mind", _seen_as(uncleared, 2)))),
    Fault("ended-of-all", "that something hidden has ended", at((in_mind, "_ended", _seen_as(everything, 1)))),
    Fault("rules-of-all", "hidden rules", at((recall, "_rules", _seen_as(everything, 1)))),
    Fault(
        "proof-above-clearance",
        "that a hidden verification is there",
        at((matter, "bearing_on", _seen_as(uncleared, 2))),
    ),
    Fault("mind-of-the-gate", "that something hidden bears", at((matter, "bring_to_mind", _seen_as(everything, 2)))),
    Fault("scope-by-prefix", "rows of scopes whose names begin alike", at((decide, "_grant", _by_prefix))),
    Fault("consent-ignored", "what somebody denied", at((keep, "admit", _consenting))),
    Fault(
        "kind-classification-ignored",
        "claims of sensitive kinds",
        at((propose, "_stricter", lambda _sound: lambda left, _right: left)),
    ),
    Fault("grants-ignored-in-listing", "what waits in other scopes", at((sight, "scope_granted", always(answer=True)))),
    Fault(
        "clearance-ignored-by-id",
        "an item whose id is known",
        at((sight, "_seen", lambda _sound: lambda session, scope, _rank: sight.scope_granted(session, scope))),
    ),
    Fault(
        "foreign-told-from-absent", "that an id is there", at((why, "why", _found_told), (review, "show", _found_told))
    ),
    Fault("duplicate-of-the-unknown", "that a reference was used", at((remember, "may_know", always(answer=True)))),
    Fault(
        "retry-is-not-a-duplicate",
        "that a reference was used",
        at((remember, "own_reference", always(answer=None))),
    ),
    Fault("mind-of-denied-kinds", "claims of denied kinds", at((recall, "bring_to_mind", _seen_as(undenied, 2)))),
    Fault(
        "mind-of-the-gate-of-denied-kinds",
        "that a claim of a denied kind bears",
        at((matter, "bring_to_mind", _seen_as(undenied, 2))),
    ),
    Fault("denied-kinds-ignored-by-id", "an item whose id is known", at((sight, "denies", always(answer=False)))),
    Fault("records-under-denied-by-id", "a record by its id", at((sight, "rests_on_denied", always(answer=False)))),
    Fault("duplicate-of-the-denied", "that a reference was used", at((keep, "rests_on_denied", always(answer=False)))),
    Fault(
        "own-reference-told",
        "that a reference was used",
        at((Record, "told_source_ref", lambda _sound: property(lambda record: record.source_ref))),
    ),
    Fault("others-verdicts-listed", "what others do", at((approve_action, "_is_seen", always(answer=True)))),
    Fault("verdict-without-its-basis", "what a verdict rests on", at((approve_action, "_is_seen", _all_of_basis))),
    Fault("verdicts-cut-before-filter", "how much others do", at((approve_action, "_newest_seen", _newest_cut_first))),
    Fault(
        "others-answers-shown",
        "what was handed to somebody else",
        at(*((why, name, always(answer=True)) for name in ("answered_to", "packet_told"))),
    ),
    Fault("others-verdicts-reported", "that an id is there", at((outcome, "may", always(answer=ALLOWED)))),
    Fault(
        "ledger-positions-told",
        "how much goes on",
        at(
            *(
                (place, "told_position", lambda _sound: lambda _session, position: position)
                for place in (sight, remember, outcome, import_, why)
            )
        ),
    ),
    Fault("counts-for-everybody", "how much there is", at((status, "status", _all_counted))),
    Fault("cut-counted-over-all", "how much waits elsewhere", at((review, "review_queue", _cut_by_all))),
    Fault("quarantined-all-told", "hidden claims on a record", at((review, "_reject", _quarantined_told))),
    Fault("scopes-told-by-errors", "which scopes are in use", at((Session, "require_writable", _scopes_told))),
    Fault(
        "captured-anywhere",
        "what was said in another scope",
        at((keep, "matches_captured", _any_capture), (remember, "matches_captured", _any_capture)),
    ),
)

"""Replay: a packet or a verdict made again from what was known when it was given, compared byte for byte.

Nothing is written. What comes of it is whether it is the same, and where not the first field that differs, never what
the other one has there: that may be of what only its principal of then could see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from heedful.bridges.build import registry_from_body
from heedful.evidence.packet import packet_bytes
from heedful.gate.action import ActionRequest
from heedful.gate.judge import judge as judge_matter
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import ForbiddenError, InvalidInputError
from heedful.kernel.ids import PacketId, PrincipalId, Revision, RunId, VerdictId
from heedful.kernel.scope import parse_scope
from heedful.kernel.times import parse_time
from heedful.ledger.events import PacketAssembled
from heedful.ports.store import StoredVerdict
from heedful.service.acting.approve_action import BASIS
from heedful.service.acting.judge import PERMIT
from heedful.service.acting.matter import digest_of, features_of, matter_of
from heedful.service.as_known import as_it_was, as_known
from heedful.service.erasure.there import verdict_there
from heedful.service.recalling.answers import answered_to, packet_event
from heedful.service.recalling.asked import Asked, asked_from
from heedful.service.recalling.recall import packet_for, visible_to_request
from heedful.service.requests import classify_for
from heedful.service.session import Session

NOT_KEPT = "the request was not kept: the packet is of before requests were, or it was too long"
NO_REGISTRY = "the registry of then is not kept here"
SECRET = "what was asked held a secret, which was not kept"  # noqa: S105  # words about one
RELEASE = "another release answered then"
MODEL = "the vectors of then can't be made here at once, so only words were searched"
ERASED = "what it rested on may have been erased since, or another release answered then"


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of it.

    Attributes:
        same: True: byte for byte; None: it could not be made again.
        differs: the first field that differs, in the order of the bytes: `items[2].score`; None: none, or not made.
        because: why it differs, or could not be made again, as far as that is known; None where it is the same.
    """

    same: bool | None
    differs: str | None
    because: str | None


def replayed(session: Session, item: str, item_id: str, found: Mapping[str, object]) -> Replay:
    """What came of making this answer again; `found` is what its reader was told of it.

    Raises:
        InvalidInputError: `not_replayable` for what is no answer.
        ForbiddenError: `replay_not_yours`.
        FaultError, UnavailableError: see as_it_was.
    """
    if item not in ("packet", "verdict"):
        raise InvalidInputError(
            "not_replayable",
            f"{item} {item_id} is no answer; packets and verdicts are replayed",
            next_step="name a packet or a verdict, or leave --replay out",
            details={"field": "replay", "item": item},
        )
    if item == "verdict" and not answered_to(session, found["principal"]):
        raise ForbiddenError(
            "replay_not_yours",
            f"verdict {item_id} was not given to {session.principal}",
            next_step="ask its principal, or an auditor",
            details={"id": item_id},
        )
    with session.store.read() as reading:
        verdict = verdict_there(reading, VerdictId(item_id)) if item == "verdict" else None
        event = packet_event(reading, item_id) if item == "packet" else None
    if verdict is not None:
        return replay_verdict(session, verdict)
    assert event is not None, "what was found is there"
    return replay_packet(session, event)


def replay_packet(session: Session, event: PacketAssembled) -> Replay:
    """The packet of this event, made again.

    Raises:
        FaultError, UnavailableError: see as_it_was.
    """
    asked = _asked(event)
    if asked is None:
        return Replay(None, None, NOT_KEPT)
    stored: dict[str, Any] = msgspec.json.decode(event.packet_json)
    then = _as_of_then(session, event.principal, stored["registry_revision"])
    if then is None:
        return Replay(None, None, NO_REGISTRY)
    then = replace(then, urgency_min=asked.urgency_min, source_share_max=asked.source_share_max)
    request = asked.request
    visible = visible_to_request(then, request)
    packet_id = PacketId(event.packet_id)
    with as_it_was(then, asked.position) as was:
        if request.known_at_us is None:
            made = packet_for(was, request, visible, packet_id)
        else:
            with as_known(then, request.known_at_us, visible, until=asked.position, asked=was) as known:
                made = packet_for(known, request, visible, packet_id)
    because = ERASED
    if not asked.is_whole:
        because = SECRET
    elif asked.release != session.release:
        because = RELEASE
    elif asked.model != made.model:
        because = MODEL
    return _compared(event.packet_json, packet_bytes(made.packet).decode(), because)


def replay_verdict(session: Session, stored: StoredVerdict) -> Replay:
    """The verdict, judged again as it was judged then.

    Raises:
        FaultError, UnavailableError: see as_it_was.
    """
    verdict: dict[str, Any] = msgspec.json.decode(stored.verdict_json)
    then = _as_of_then(session, verdict["principal"], verdict["registry_revision"])
    if then is None:
        return Replay(None, None, NO_REGISTRY)
    action = ActionRequest(
        tool=verdict["tool"],
        args=verdict["args"],
        text=verdict["text"],
        principal=PrincipalId(verdict["principal"]),
        scope=parse_scope(verdict["scope"]),
        run_id=None if verdict["run_id"] is None else RunId(verdict["run_id"]),
    )
    if digest_of(action) != verdict["action_digest"]:
        return Replay(None, None, SECRET)
    classified = classify_for(then, features_of(action), action.scope)
    with as_it_was(then, stored.position - 1) as was, was.store.read() as reading:
        matter, basis = matter_of(
            was,
            reading,
            action,
            classified,
            verdict_id=VerdictId(verdict["verdict_id"]),
            citations=tuple(verdict["citations"]),
            now_us=parse_time(verdict["judged_at"], field="judged_at").at_us,
        )
        judged = msgspec.to_builtins(judge_matter(matter))
    kept = {name: value for name, value in judged.items() if name != PERMIT} | {BASIS: basis}
    return _compared(stored.verdict_json, canonical_bytes(kept).decode(), ERASED)


def _asked(event: PacketAssembled) -> Asked | None:
    try:
        return None if event.asked_json is None else asked_from(event.asked_json)
    except msgspec.ValidationError:
        return None


def _as_of_then(session: Session, principal: str, revision: str) -> Session | None:
    """The session as the principal's, under the registry of that revision; None where that is not kept."""
    registry = session.registry
    if registry.revision != revision:
        with session.store.read() as reading:
            body = reading.registry_body(Revision(revision))
        if body is None:
            return None
        registry = replace(registry_from_body(body), load_knowledge=registry.load_knowledge)
    return replace(session, registry=registry, principal=PrincipalId(principal))


def _compared(stored: str, again: str, because: str) -> Replay:
    if stored == again:
        return Replay(same=True, differs=None, because=None)
    differs = first_difference(msgspec.json.decode(stored), msgspec.json.decode(again))
    return Replay(same=False, differs=differs, because=because)


def first_difference(left: object, right: object, path: str = "") -> str | None:
    """Where two JSON values first differ, in order of keys and places: `items[2].score`; None: nowhere."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            below = f"{path}.{key}" if path else str(key)
            if (key in left) != (key in right):
                return below
            found = first_difference(left[key], right[key], below)
            if found is not None:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list):
        for place, (one, other) in enumerate(zip(left, right, strict=False)):
            found = first_difference(one, other, f"{path}[{place}]")
            if found is not None:
                return found
        return None if len(left) == len(right) else f"{path}[{min(len(left), len(right))}]"
    return None if left == right and type(left) is type(right) else path

"""Diagnose: in which layer an old value became what an answer states as holding: stored, retrieved or used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from heedful.claims.claim import UNREVIEWED, Claim, ClaimStatus
from heedful.claims.compare import are_comparable, are_equal
from heedful.evidence.cite import sentences_of
from heedful.evidence.items import value_text
from heedful.evidence.packet import Packet
from heedful.evidence.render import packet_from_json
from heedful.evidence.stale_use import folded_text, is_told_as_now, states
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ClaimId, PacketId
from heedful.observations.limits import require_whole_text
from heedful.ports.store import Reading
from heedful.service.belief.weigh import comparator_of
from heedful.service.recalling.answers import packet_event, packet_told
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session
from heedful.service.sight import not_found, seen_claims_of, visible_in

Layer = Literal["stored", "retrieved", "used"]
ANSWER_CHARACTERS_MAX = 100_000
CLAIMS_LOOKED_AT_MAX = 64
"""Claims of a packet whose other values are looked at, and claims beside them."""
_BESIDE_MAX = 400
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Ghost:
    """An old value that the answer states as what holds.

    Attributes:
        layer: `stored`: the store holds it as current, though a later word waits or `current` was given; `retrieved`:
            the store knows better, and the packet served it as current; `used`: the packet was right, the answer wrong.
        stated, current: the old value, and what holds; None: nothing tells.
        claim_id: of the claim of the old value; other_id: of what says otherwise, None where only the caller does.
        because: for people.
    """

    layer: Layer
    subject: str
    property: str
    stated: str
    current: str | None
    sentence: str
    claim_id: ClaimId
    other_id: ClaimId | None
    evidence: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found; no ghost: the answer states no old value that is known here."""

    packet_id: PacketId
    ghosts: tuple[Ghost, ...]


def diagnose(
    session: Session, asked: str, *, answer: str, current: str | None = None, scope: Sequence[str] = ()
) -> Diagnosis:
    """In which layer each ghost of the answer arose; `asked` is a packet's id, or a question that is recalled now.

    `current`: what really holds, where the store may not know; it is compared with single-valued claims of the packet.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `text_too_long`, and those of `recall`.
        NotFoundError: `item_not_found` for the id of no packet, or of somebody else's.
    """
    session.require("recall")
    require_whole_text(answer, field="answer")
    if len(answer) > ANSWER_CHARACTERS_MAX:
        raise InvalidInputError(
            "text_too_long",
            f"answer has {len(answer)} characters; at most {ANSWER_CHARACTERS_MAX} are allowed",
            next_step="shorten it",
            details={"field": "answer", "limit": ANSWER_CHARACTERS_MAX},
        )
    packet = _packet(session, asked, scope)
    with session.store.read() as reading:
        ghosts = _Look(session, reading, packet, current).ghosts(answer)
    return Diagnosis(packet.packet_id, ghosts)


def _packet(session: Session, asked: str, scope: Sequence[str]) -> Packet:
    session.access.flush()
    with session.store.read() as reading:
        event = packet_event(reading, asked)
        if event is not None and packet_told(session, reading, event):
            return packet_from_json(msgspec.json.decode(event.packet_json))
    if _ID.fullmatch(asked) is not None:
        raise not_found(asked)  # whether it is not there, or somebody else's
    return recall(session, memory_request(session, asked, scope=scope))


class _Look:
    """One look at what a packet's claims say, and what else is said of the same things."""

    def __init__(self, session: Session, reading: Reading, packet: Packet, current: str | None) -> None:
        self._session = session
        self._packet = packet
        self._current = current
        ids = [ClaimId(each.item_id) for each in packet.items if each.item == "claim"][:CLAIMS_LOOKED_AT_MAX]
        ids += [ClaimId(each.change.old_claim_id) for each in packet.items if each.change and each.change.old_claim_id]
        shown = seen_claims_of(session, reading, ids)
        visible = visible_in(session, tuple(dict.fromkeys(claim.scope for claim in shown)))
        beside = reading.claims_beside(visible, [each.claim_id for each in shown], limit=_BESIDE_MAX) if shown else ()
        self._claims = {each.claim_id: each for each in (*shown, *beside)}

    def ghosts(self, answer: str) -> tuple[Ghost, ...]:
        """Each old value once, with the first sentence that states it."""
        found: dict[tuple[str, str, str], Ghost] = {}
        for sentence in sentences_of(answer):
            folded = folded_text(sentence)
            if not is_told_as_now(folded):
                continue
            for claim in self._claims.values():
                ghost = self._ghost(claim, folded, sentence.strip())
                if ghost is not None:
                    found.setdefault((claim.subject, claim.property, ghost.stated), ghost)
        return tuple(found.values())

    def _ghost(self, claim: Claim, folded: str, sentence: str) -> Ghost | None:
        comparator = comparator_of(self._session, claim)
        if comparator is None or not states(folded, value_text(claim.value)):
            return None
        rivals = [
            each
            for each in self._claims.values()
            if are_comparable(each, claim, comparator) and not are_equal(each.value, claim.value, comparator)
        ]
        holding = next((each for each in rivals if each.status is ClaimStatus.ACTIVE), None)
        if holding is not None and states(folded, value_text(holding.value)):
            return None
        if claim.status is ClaimStatus.ACTIVE:
            return self._stored(claim, rivals, sentence, comparator)
        if any(
            each.status is ClaimStatus.ACTIVE and are_equal(each.value, claim.value, comparator)
            for each in self._claims.values()
            if are_comparable(each, claim, comparator)
        ):
            return None
        return self._served(claim, holding, sentence)

    def _stored(self, claim: Claim, rivals: list[Claim], sentence: str, comparator: str) -> Ghost | None:
        """The store holds it: a ghost only where the caller knows better, or a later word waits."""
        later = max(
            (each for each in rivals if each.status in UNREVIEWED and each.position > claim.position),
            key=lambda each: each.position,
            default=None,
        )
        known_better = self._current is not None and not are_equal(self._current, claim.value, comparator)
        if later is None and not known_better:
            return None
        because = (
            f"the store holds it as current; claim {later.claim_id}, which is {later.status}, says otherwise"
            if later is not None
            else "the store holds it as current, and has nothing that says otherwise"
        )
        told = self._current if later is None else value_text(later.value)
        return self._made("stored", claim, later, (told, sentence, because))

    def _served(self, claim: Claim, holding: Claim | None, sentence: str) -> Ghost:
        told = None if holding is None else value_text(holding.value)
        item = next((each for each in self._packet.items if each.item_id == claim.claim_id), None)
        records = [each for each in self._packet.items if each.item == "record" and each.item_id in claim.evidence]
        unmarked = [each.cite for each in (*((item,) if item else ()), *records) if each.currency in (None, "current")]
        served = holding is not None and any(each.item_id == holding.claim_id for each in self._packet.items)
        if unmarked:
            because = f"the packet served it as [{unmarked[0]}], and does not say that it has ended"
            return self._made("retrieved", claim, holding, (told, sentence, because))
        if holding is not None and not served:
            because = "the store holds another value, which the packet did not bring"
            return self._made("retrieved", claim, holding, (told, sentence, because))
        because = (
            "the packet said what holds, and the answer did not heed it"
            if holding is not None
            else "the packet said that it is over or out of date, and the answer did not heed it"
        )
        return self._made("used", claim, holding, (told, sentence, because))

    def _made(self, layer: Layer, claim: Claim, other: Claim | None, told: tuple[str | None, str, str]) -> Ghost:
        current, sentence, because = told
        evidence = (*claim.evidence, *(() if other is None else other.evidence))
        return Ghost(
            layer=layer,
            subject=claim.subject,
            property=claim.property,
            stated=value_text(claim.value),
            current=current,
            sentence=sentence,
            claim_id=claim.claim_id,
            other_id=None if other is None else other.claim_id,
            evidence=tuple(dict.fromkeys(evidence)),
            because=because,
        )

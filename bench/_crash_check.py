"""What is left after a kill: is everything that was acknowledged there, whole, and does the ledger hold?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from _crash_acks import Ack
from _crash_writer import IMPORT_BATCH
from _stores import SCOPE, session_of

from heedful import Memory
from heedful.claims.claim import ClaimStatus
from heedful.kernel.ids import ClaimId, EventId, PermitId, ProposalId, RunId, VerdictId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.ledger.events import ClaimProposed, RecordAdmitted
from heedful.ledger.registry import decode_payload
from heedful.ledger.seal import EMPTY_HEAD, Head
from heedful.observations.record import RecordStatus
from heedful.ports.store import Chain, Reading, Visible

RUN_RECORDS_MAX = 10_000


@dataclass(slots=True)
class Findings:
    """What is wrong, each in words; nothing is where nothing is wrong.

    Attributes:
        lost: acknowledged, and not there as acknowledged.
        half: there in part: a record without the claim that came with it, a part of an import's batch.
        broken: a chain that does not hold, views that differ from a refold, or a past that changed.
    """

    lost: list[str] = field(default_factory=list)
    half: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """The other's are counted here too."""
        self.lost += other.lost
        self.half += other.half
        self.broken += other.broken


def lost(reading: Reading, acks: Iterable[Ack]) -> list[str]:
    """What was acknowledged, and is not there as acknowledged."""
    said = list(acks)
    withdrawn = {ack.key for ack in said if ack.verb == "withdraw"}
    return [f"{ack.verb} {ack.key}" for ack in said if not _is_there(reading, ack, withdrawn)]


def check(memory: Memory, acks: Iterable[Ack], *, before: Head = EMPTY_HEAD) -> tuple[Findings, Head]:
    """What is wrong with the store after these acknowledgements, and where its ledger ends.

    `before`: where it ended when it was last looked at; that event must still be the same.
    """
    findings = Findings()
    said = list(acks)
    with session_of(memory).store.read() as reading:
        findings.lost += lost(reading, said)
        findings.half += _half_imports(reading, said)
        findings.half += _half_statements(reading, after=before.position)
        head = reading.head(Chain.LEDGER)
        if reading.checkpoint() != head.position:
            findings.half.append(f"views at {reading.checkpoint()}, ledger at {head.position}")
        if before.position and _digest_at(reading, before.position) != before.digest:
            findings.broken.append(f"event {before.position} is another than it was")
    audit = memory.verify(views=True)
    for name, chain in (("ledger", audit.ledger), ("access chain", audit.access)):
        if chain.broken is not None:
            findings.broken.append(f"{name}: {chain.broken.breach} at {chain.broken.position}")
    if audit.views != "equal":
        findings.broken.append(f"views are {audit.views}")
    return findings, head


def resume_imports(memory: Memory, acks: Iterable[Ack]) -> Findings:
    """What is wrong after each import that was announced is made once more: nothing twice, nothing missing."""
    findings = Findings()
    for ack in acks:
        if ack.verb != "importing":
            continue
        with session_of(memory).store.read() as reading:
            kept = _imported(reading, ack.key)
        report = memory.import_trace(Path(ack.text))
        with session_of(memory).store.read() as reading:
            after = _imported(reading, ack.key)
        if after != ack.count or report.admitted != ack.count - kept:
            findings.half.append(f"import {ack.key}: {kept} of {ack.count}, then {report.admitted} more made {after}")
    return findings


def _is_there(reading: Reading, ack: Ack, withdrawn: set[str]) -> bool:
    match ack.verb:
        case "remember":
            stored = reading.record_by_source(ack.key, parse_scope(SCOPE), Classification.NORMAL)
            if stored is None or stored.record.content != ack.text:
                return False
            # A withdrawal that was under way may be durable without having been acknowledged.
            return stored.status is RecordStatus.WITHDRAWN or ack.key not in withdrawn
        case "withdraw":
            stored = reading.record_by_source(ack.key, parse_scope(SCOPE), Classification.NORMAL)
            return stored is not None and stored.status is RecordStatus.WITHDRAWN
        case "claim":
            claim = reading.claim(ClaimId(ack.key))
            return claim is not None and claim.statement == ack.text
        case "approve":
            claim = reading.claim(ClaimId(ack.key))
            return claim is not None and claim.status is ClaimStatus.ACTIVE
        case "recall":
            return reading.event_by_id(Chain.ACCESS, EventId(ack.key)) is not None
        case "import":
            return _imported(reading, ack.key) == ack.count
        case "ready" | "init" | "importing" | "rebuilding" | "rebuilt" | "redeeming":
            return True
        case "judge" | "proposal" | "permit" | "redeemed":
            return _is_kept(reading, ack)


def _is_kept(reading: Reading, ack: Ack) -> bool:
    if ack.verb == "judge":
        return reading.verdict(VerdictId(ack.key)) is not None
    if ack.verb == "proposal":
        proposal = reading.bridge_proposal(ProposalId(ack.key))
        # One that was decided since has another status.
        return proposal is not None and (proposal.status == ack.text or ack.text == "waiting")
    permit = reading.permit(PermitId(ack.key))
    return permit is not None and (ack.verb == "permit" or permit.redeemed_position is not None)


def _imported(reading: Reading, run: str) -> int:
    visible = Visible((parse_scope(SCOPE),), Classification.RESTRICTED)
    found = reading.records(
        visible, status=RecordStatus.ADMITTED, run_id=RunId(run), attributes=(), before=None, limit=RUN_RECORDS_MAX
    )
    return len(found)


def _half_imports(reading: Reading, acks: list[Ack]) -> list[str]:
    counted = [(ack, _imported(reading, ack.key)) for ack in acks if ack.verb == "importing"]
    return [
        f"import {ack.key}: {count} of {ack.count} in batches of {IMPORT_BATCH}"
        for ack, count in counted
        if count % IMPORT_BATCH and count != ack.count
    ]


def _half_statements(reading: Reading, *, after: int) -> list[str]:
    """Records that came with a claim, and whose next event is no proposal that rests on them."""
    found = []
    waiting: RecordAdmitted | None = None
    for sealed in reading.events(Chain.LEDGER, after=after):
        envelope = sealed.envelope
        event = decode_payload(envelope.type, envelope.version, sealed.payload or b"")
        rests_on = event.evidence if isinstance(event, ClaimProposed) else ()
        if waiting is not None and waiting.record.record_id not in rests_on:
            found.append(f"record {waiting.record.record_id} has no claim")
        is_structured = isinstance(event, RecordAdmitted) and (event.record.content or "").startswith("structured ")
        waiting = event if isinstance(event, RecordAdmitted) and is_structured else None
    if waiting is not None:
        found.append(f"record {waiting.record.record_id} has no claim")
    return found


def _digest_at(reading: Reading, position: int) -> str:
    sealed = reading.event(Chain.LEDGER, position)
    return "" if sealed is None else sealed.digest

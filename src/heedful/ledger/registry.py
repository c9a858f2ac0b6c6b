"""Event name and version <-> class, and payload bytes <-> event. Names are ours, never Python's paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from heedful.kernel.canonical import canonical_bytes, canonical_fields, parse_canonical
from heedful.kernel.errors import FaultError
from heedful.ledger import belief_events, erasure_events, events, merge_events, permit_events, workflow_events
from heedful.ledger.events import AnyEvent

EVENT_TYPES: dict[tuple[str, int], type[AnyEvent]] = {
    ("tenant.created", 2): events.TenantCreated,
    ("record.admitted", 1): events.RecordAdmitted,
    ("record.pending", 1): events.RecordPending,
    ("record.confirmed", 1): events.RecordConfirmed,
    ("record.refused", 1): events.RecordRefused,
    ("record.withdrawn", 1): events.RecordWithdrawn,
    ("claim.proposed", 3): events.ClaimProposed,
    ("claim.transitioned", 1): events.ClaimTransitioned,
    ("claim.approved", 1): events.ClaimApproved,
    ("claim.corroborated", 1): belief_events.ClaimCorroborated,
    ("claim.promoted", 1): belief_events.ClaimPromoted,
    ("claim.weighed", 1): belief_events.ClaimWeighed,
    ("claim.confirmed", 1): belief_events.ClaimConfirmed,
    ("claim.unconfirmed", 1): belief_events.ClaimUnconfirmed,
    ("claim.pinned", 1): belief_events.ClaimPinned,
    ("claim.bounded", 1): belief_events.ClaimBounded,
    ("conflict.detected", 1): belief_events.ConflictDetected,
    ("conflict.resolved", 1): belief_events.ConflictResolved,
    ("subjects.merged", 1): merge_events.SubjectsMerged,
    ("subjects.unmerged", 1): merge_events.SubjectsUnmerged,
    ("subjects.kept_apart", 1): merge_events.SubjectsKeptApart,
    ("registry.adopted", 1): events.RegistryAdopted,
    ("registry.mode_set", 1): events.RegistryModeSet,
    ("registry.bridge_approved", 1): events.RegistryBridgeApproved,
    ("bridge.proposed", 1): events.BridgeProposed,
    ("bridge.proposal_decided", 1): events.BridgeProposalDecided,
    ("workflow.proposed", 1): workflow_events.WorkflowProposed,
    ("workflow.proposal_decided", 1): workflow_events.WorkflowProposalDecided,
    ("activation.marked", 1): events.ActivationMarked,
    ("verdict.judged", 1): events.VerdictJudged,
    ("permit.issued", 1): permit_events.PermitIssued,
    ("permit.redeemed", 1): permit_events.PermitRedeemed,
    ("permit.refused", 1): permit_events.RedemptionRefused,
    ("outcome.reported", 1): events.OutcomeReported,
    ("erasure.requested", 1): erasure_events.ErasureRequested,
    ("erasure.staged", 1): erasure_events.ErasureStaged,
    ("consent.withdrawn", 1): erasure_events.ConsentWithdrawn,
    ("consent.given", 1): erasure_events.ConsentGiven,
    ("hold.placed", 1): erasure_events.HoldPlaced,
    ("hold.released", 1): erasure_events.HoldReleased,
    ("import.finished", 1): events.ImportFinished,
    ("packet.assembled", 2): events.PacketAssembled,
}
_NAMES = {event_class: name for name, event_class in EVENT_TYPES.items()}

UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("tenant.created", 1): lambda fields: fields | {"key_check": None},
    ("claim.proposed", 1): lambda fields: fields | {"told_by": None, "replaces": []},
    ("claim.proposed", 2): lambda fields: fields | {"rests_on": []},
    ("packet.assembled", 1): lambda fields: fields | {"asked_json": None},
}
"""Name and version of an event as it was -> its payload as the next version has it."""

# The commonest confidence, as the plain encoder and as RFC 8785 write it. In a text every quote is escaped, so these
# bytes can stand nowhere but at a key of that name.
_ONES = tuple((f'"{key}":1.0,'.encode(), f'"{key}":1,'.encode()) for key in ("confidence", "expected_utility"))


def name_of(event: AnyEvent) -> tuple[str, int]:
    """The registered name and version of this event's class."""
    return _NAMES[type(event)]


def is_known(name: str, version: int) -> bool:
    """True where this release reads events of that name and version."""
    return (name, version) in EVENT_TYPES or (name, version) in UPCASTERS


def encode_payload(event: AnyEvent) -> bytes:
    """The canonical bytes of the event's fields."""
    if isinstance(event, (events.RecordAdmitted, events.RecordPending)):
        return _encode_record(event)
    if isinstance(event, events.ImportFinished):  # the one event with a mapping, whose keys are not ours
        return canonical_bytes(msgspec.to_builtins(event))
    if isinstance(event, events.RegistryAdopted):  # texts alone, and half a million characters to look through
        return canonical_fields(event, ())
    return canonical_fields(event)


def decode_payload(name: str, version: int, payload: bytes) -> AnyEvent:
    """The event that these bytes hold, upcast to the newest version of its name.

    Raises:
        FaultError: `event_unknown` where no such name and version is registered, `event_unreadable` where the bytes
            do not hold one.
    """
    try:
        fields: Any = parse_canonical(payload)
        while (name, version) in UPCASTERS:
            fields = UPCASTERS[name, version](fields)
            version += 1
        event_class = EVENT_TYPES.get((name, version))
        if event_class is None:
            raise FaultError(
                "event_unknown",
                f"no event {name} of version {version} is known to this release",
                next_step="upgrade heedful; if this is the newest release, run `heedful verify`",
            )
        # Not strict: an integer beyond 2**53 - 1 lies there as a text (an instant after the year 2255, say).
        decoded: AnyEvent = msgspec.convert(fields, event_class, strict=False)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise FaultError(
            "event_unreadable",
            f"the payload of a {name} event can't be read",
            next_step="run `heedful verify`, and restore the tenant's database from a backup",
        ) from error
    return decoded


def _encode_record(event: events.RecordAdmitted | events.RecordPending) -> bytes:
    # Its content may be long, so it is not searched for numbers: these are all that a record has.
    record = event.record
    numbers: list[float | None] = [record.occurred.at_us, record.occurred.offset_minutes, record.sequence]
    numbers += (record.retain_days, None if record.blob is None else record.blob.size_bytes)
    numbers += [value for _, value in record.attributes if not isinstance(value, str)]
    for cut in record.redactions:
        numbers += (cut.start_character, cut.end_character)
    ones = 0
    for number in (record.confidence, record.expected_utility):
        if number == 1:
            ones += 1
        else:
            numbers.append(number)
    encoded = canonical_fields(event, numbers)
    if ones:
        for plain, canonical in _ONES:
            encoded = encoded.replace(plain, canonical)
    return encoded

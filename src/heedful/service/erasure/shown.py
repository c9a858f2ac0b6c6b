"""Shown: which items a packet, a verdict or a proposal shows, by the fields that name them.

Never by what a text says: who may write a text could have others' packets and verdicts go with an erasure of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from heedful.kernel.ids import ErasureId
from heedful.ports.store import Reading

T = TypeVar("T")
_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class _Named(msgspec.Struct):
    claim_id: str | None = None
    conflict_id: str | None = None


class _Change(msgspec.Struct):
    record_id: str | None = None
    old_claim_id: str | None = None


class _Item(msgspec.Struct):
    item_id: str
    evidence: tuple[str, ...] = ()
    bridges: tuple[_Named, ...] = ()
    conflicts: tuple[_Named, ...] = ()
    change: _Change | None = None


class _Packet(msgspec.Struct):
    items: tuple[_Item, ...]
    left_out: tuple[str, ...] = ()


class _Ruling(msgspec.Struct):
    claim_id: str | None = None
    evidence: tuple[str, ...] = ()


class _Verdict(msgspec.Struct):
    rulings: tuple[_Ruling, ...]


_packet = msgspec.json.Decoder(_Packet).decode
_verdict = msgspec.json.Decoder(_Verdict).decode
_proposal = msgspec.json.Decoder(_Ruling).decode


def ids_in(text: str) -> frozenset[str]:
    """Every id that stands in a text, whoever wrote it there: what is not among them is not shown."""
    return frozenset(_ID.findall(text))


def ids_of_packet(packet_json: str) -> frozenset[str]:
    """The claims, records and conflicts that a packet tells, leaves out, rests on or names."""
    packet = _read(_packet, packet_json)
    if packet is None:
        return ids_in(packet_json)
    found: list[str | None] = [*packet.left_out]
    for item in packet.items:
        found += (item.item_id, *item.evidence)
        for each in (*item.bridges, *item.conflicts):
            found += (each.claim_id, each.conflict_id)
        if item.change is not None:
            found += (item.change.record_id, item.change.old_claim_id)
    return _known(found)


def ids_of_verdict(verdict_json: str) -> frozenset[str]:
    """The claims and records that a verdict's rulings quote and rest on."""
    verdict = _read(_verdict, verdict_json)
    if verdict is None:
        return ids_in(verdict_json)
    return _known(found for each in verdict.rulings for found in (each.claim_id, *each.evidence))


def ids_of_proposal(proposal_json: str) -> frozenset[str]:
    """The claim that a proposed bridge is for; the records that a proposed workflow was seen in."""
    proposal = _read(_proposal, proposal_json)
    if proposal is None:
        return ids_in(proposal_json)
    return _known((proposal.claim_id, *proposal.evidence))


def erasure_of_shown(reading: Reading, packet_json: str) -> ErasureId | None:
    """The erasure that took something that the packet shows; None: none did."""
    return next(iter(reading.erased_among(sorted(ids_of_packet(packet_json))).values()), None)


def shows_erased(reading: Reading, packet_json: str) -> bool:
    """True where the packet shows what was erased: nobody is shown it any more."""
    return erasure_of_shown(reading, packet_json) is not None


def _read(decode: Callable[[str], T], text: str) -> T | None:
    """None where it is not what this store writes: an imported ledger's, say."""
    try:
        return decode(text)
    except msgspec.DecodeError:
        return None


def _known(ids: Iterable[str | None]) -> frozenset[str]:
    return frozenset(each for each in ids if each)

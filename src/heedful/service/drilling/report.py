"""Report: what a drill did and found, signed, to be kept; it holds nothing of what the store is used for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import msgspec

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.signature import is_signed
from heedful.ledger.succession import PublicKey

WHAT = "heedful drill"
FORMAT = 1
Outcome = Literal["held", "failed", "control-failed", "not-reached"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        says: what is so where it held.
        outcome: `held`; `failed`; `control-failed`: the same look did not find the canary before either, so it shows
            nothing; `not-reached`: it was not looked at, `detail` says why.
    """

    name: str
    says: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """How long something took, by the store's clock."""

    name: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class DrillReport:
    """What one drill did and found.

    Attributes:
        holds: True where no check failed, nor any control; what was not reached is told and fails nothing.
        scope: where the canaries were planted; nothing else of the store was changed.
        erasure_id, stage: of the drill's own erasure, and how far it came.
        cleaned_up: records that earlier drills had left, which were interrupted.
        ledger_size, ledger_head: the ledger as it was verified at the end.
        keys: the store's public keys, each vouched for by the one before it, so that the file is checked by itself.
        key_id, signature: the store's key, and what it signed: the report's canonical bytes without the signature.
    """

    what: str
    format: int
    drill: str
    drill_id: str
    tenant_id: str
    requested_by: str
    release: str
    scope: tuple[str, ...]
    started_at: str
    finished_at: str
    holds: bool
    checks: tuple[Check, ...]
    took: tuple[Taken, ...]
    erasure_id: str | None
    stage: str | None
    cleaned_up: int
    ledger_size: int
    ledger_head: str
    keys: tuple[PublicKey, ...]
    key_id: str
    signature: str = ""

    @property
    def body(self) -> bytes:
        """What is signed."""
        told = msgspec.to_builtins(self)
        del told["signature"]
        return canonical_bytes(told)


def encode(report: DrillReport) -> bytes:
    """The file's bytes."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def is_report_signed(report: DrillReport, keys: Iterable[PublicKey]) -> bool:
    """True where one of these keys signed the report as it is."""
    key = next((each for each in keys if each.key_id == report.key_id), None)
    try:
        signature = bytes.fromhex(report.signature)
    except ValueError:
        return False
    return key is not None and is_signed(bytes.fromhex(key.public_key), "drill", report.body, signature)

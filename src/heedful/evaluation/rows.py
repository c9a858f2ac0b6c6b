"""Rows: what one arm handed out for one question of one case.

Every suite writes these, and metrics read nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from heedful.kernel.errors import UnavailableError

Probe = Literal["direct", "indirect", "topic_negative", "lexical_negative", "other_scope", "after_update"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One question put to one arm; nothing in it but `latency_ms` differs between two runs of one manifest.

    Attributes:
        probe: which question of the case it was.
        setting: what was set otherwise than in the manifest, such as `urgency_min=0.3`; empty: nothing.
        stored: the memory's record is evidence, and a claim rests on it; None for arms that keep no records.
        present: the memory, or something that rests on it, is in what was handed out.
        activated: a bridge brought something that rests on it.
        alarmed: the same, by a bridge that asks for more than a notice.
        others: items that a bridge brought and that rest on something else.
        bridge_valid: a bridge of the registry links a class of the request to a kind that was told of the memory; None
            for arms without bridges.
        decision: what the packet asks for; None for arms that decide nothing.
        expected: the decisions that would be exact; empty where the case expects none.
        tokens: estimated, of all that was handed out.
        kinds: of the claims that rest on the memory's record, each with its confidence and status.
        classes: that the request was taken for, each with its confidence and what told it.
        reason: what brought the memory, or why nothing did; empty for arms without bridges.
    """

    suite: str
    case_id: str
    arm: str
    probe: Probe
    setting: str
    language: str
    domain: str
    stored: bool | None
    present: bool
    activated: bool
    alarmed: bool
    others: int
    bridge_valid: bool | None
    decision: str | None
    expected: tuple[str, ...]
    tokens: int
    latency_ms: float
    kinds: tuple[str, ...]
    classes: tuple[str, ...]
    reason: str


def write_rows(rows: Iterable[ResultRow], path: Path) -> None:
    """The rows as JSON lines, in their order, in place of what the file held.

    Raises:
        UnavailableError: `rows_unwritable`.
    """
    encoded = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    try:
        path.write_bytes(encoded)
    except OSError as error:
        raise UnavailableError(
            "rows_unwritable", f"{path.name} can't be written", next_step="name a file in a folder that is there"
        ) from error

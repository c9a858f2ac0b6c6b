"""What a writer that may be killed says it has done: one line of JSON for each, written after the store answered."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Literal

Verb = Literal[
    "ready",
    "init",
    "remember",
    "claim",
    "approve",
    "judge",
    "recall",
    "withdraw",
    "importing",
    "import",
    "rebuilding",
    "rebuilt",
    "proposal",
    "permit",
    "redeeming",
    "redeemed",
]


@dataclass(frozen=True, slots=True)
class Ack:
    """One line.

    Attributes:
        verb: what was done; `ready`, `importing`, `rebuilding` and `redeeming` announce something, the others
            acknowledge it.
        key: the name of a tenant, the source reference of a record, the id of a claim, verdict, packet, proposal or
            permit, or the run of an import.
        text: of a record or claim, or the transcript of an import, or the revision of a new tenant's registry, or the
            status of a proposal, or the token of a permit.
        count: items of an import.
    """

    verb: Verb
    key: str
    text: str = ""
    count: int = 0


def say(ack: Ack) -> None:
    """The line is in the pipe when this returns: one write, which a kill can't tear."""
    os.write(sys.stdout.fileno(), json.dumps(asdict(ack)).encode() + b"\n")


def heard(line: bytes) -> Ack | None:
    """What the line says; None where it was cut off."""
    return Ack(**json.loads(line)) if line.endswith(b"\n") else None

"""What a play gives the product in place of time, randomness, keys and files: all of it follows from the step."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heedful.adapters.keys import MemoryKeyRing
from heedful.kernel.ids import TenantId


@dataclass(slots=True)
class StepClock:
    """The clock stands still within a step, so that how often it is looked at changes nothing."""

    now: int = 0

    def now_us(self) -> int:
        """UTC microseconds since 1970."""
        return self.now


class StepEntropy:
    """Bytes that follow from the step, their count, and how many of that count came before in the step."""

    def __init__(self) -> None:
        """To be told the step first."""
        self._step = ""
        self._drawn: Counter[int] = Counter()

    def begin(self, step: str) -> None:
        """From here on, the bytes of this step."""
        self._step = step
        self._drawn.clear()

    def random_bytes(self, count: int) -> bytes:
        """The next bytes of this count, at most 32."""
        self._drawn[count] += 1
        return bytes_of(f"{self._step}/{count}/{self._drawn[count]}")[:count]


class StepKeys(MemoryKeyRing):
    """Keys that follow from the tenant."""

    def tenant_key(self, tenant_id: TenantId) -> bytes:
        """See KeyRing.tenant_key."""
        return bytes_of(f"key/{tenant_id}")

    def known_key(self, tenant_id: TenantId) -> bytes | None:
        """See KeyRing.known_key."""
        return self.tenant_key(tenant_id)


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recorded run in memory; see TraceSource."""

    session: str
    messages: Sequence[str]

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.session}.jsonl"

    def lines(self) -> Iterator[bytes]:
        """A user's messages, each a line."""
        for number, words in enumerate(self.messages):
            row = {
                "type": "user",
                "uuid": f"{self.session}-{number}",
                "parentUuid": f"{self.session}-{number - 1}" if number else None,
                "timestamp": f"2026-11-20T10:00:{number:02d}.000Z",
                "sessionId": self.session,
                "isSidechain": False,
                "message": {"role": "user", "content": words},
            }
            yield json.dumps(row).encode()

    def size_bytes(self) -> int:
        """Of all lines."""
        return sum(len(line) + 1 for line in self.lines())

    def location(self) -> None:
        """No file."""


def bytes_of(text: str) -> bytes:
    """32 bytes that follow from the text."""
    return hashlib.sha256(text.encode()).digest()

"""Races: what is made of a record while the record is erased, and whether anything of it is there afterwards."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any, Protocol

from _stores import SCOPE, session_of

from heedful import Memory
from heedful.adapters.storage.sqlite.erasure import ErasureReading
from heedful.kernel.errors import HeedfulError, NotFoundError
from heedful.ports.store import Chain
from heedful.service import append

KIND = "on-call.contact"
JITTER_SECONDS_MAX = 0.004
ANSWER_SECONDS_MAX = 120.0


@dataclass(frozen=True, slots=True)
class Source:
    """What is erased in one race; its mark stands in it, and in what is made of it."""

    number: int
    mark: str
    record_id: str
    claim_id: str

    @property
    def subject(self) -> str:
        """Whom its claim is about."""
        return f"user:u{self.number}"

    @property
    def reference(self) -> str:
        """Where it came from."""
        return f"chat:{self.number}"


def told(memory: Memory, number: int, chance: random.Random) -> Source:
    """A record with a claim that is active."""
    mark = f"m{chance.getrandbits(96):024x}"
    given: dict[str, Any] = {"kind": KIND, "subject": f"user:u{number}", "value": mark, "consent": "explicit"}
    kept = memory.remember(f"{mark} is called", scope=SCOPE, source_ref=f"chat:{number}", **given)
    claim_id = kept.claims[0].claim_id
    memory.approve(claim_id)
    return Source(number, mark, kept.record_id, claim_id)


def _trace(memory: Memory, source: Source, folder: Path) -> object:
    """A recorded run whose one message tells what was erased."""
    path = folder / f"{source.number}.jsonl"
    session = f"5d0e4a3c-1b2f-4c6d-8e7f-{source.number:012d}"
    said = {"role": "user", "content": "nothing of it"}
    row: dict[str, Any] = {
        "type": "user",
        "uuid": f"{session}-0",
        "parentUuid": None,
        "timestamp": "2026-11-20T10:00:00.000Z",
    }
    row |= {"sessionId": session, "isSidechain": False, "message": said}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    done = memory.import_trace(path, scope=SCOPE)
    path.unlink()
    return done


Made = Callable[[Memory, Source, Path], object]
"""Makes something of the source, or does something to it; what it answers is repeated to the doors."""


def _kept(memory: Memory, source: Source, **more: Any) -> object:
    return memory.remember(f"{source.mark} again", scope=SCOPE, derived_from=[source.record_id], **more)


def _claimed(memory: Memory, source: Source, _folder: Path) -> object:
    given: dict[str, Any] = {"kind": KIND, "subject": source.subject, "value": f"{source.mark} two"}
    return _kept(memory, source, **given)


MAKES: dict[str, Made] = {
    "record": lambda memory, source, _: _kept(memory, source),
    "summary": lambda memory, source, _: _kept(memory, source, grade="summary"),
    "claim": _claimed,
    "again": lambda memory, source, _: memory.remember(
        f"{source.mark} is called", scope=SCOPE, source_ref=source.reference
    ),
    "correction": lambda memory, source, _: memory.correct(source.claim_id, "somebody else", reason="as I know"),
    "confirmation": lambda memory, source, _: memory.confirm(source.claim_id, reason=source.mark),
    "pin": lambda memory, source, _: memory.pin(source.claim_id, reason=source.mark),
    "task": lambda memory, source, _: memory.task_add(
        "42", f"a fact of {source.number}", part="fact", evidence=[source.record_id], scope=SCOPE
    ),
    "packet": lambda memory, source, _: memory.recall(f"who is called, {source.number}?", scope=SCOPE),
    "verdict": lambda memory, _source, _: memory.judge("Bash", {"command": "kubectl apply -f prod/"}, scope=SCOPE),
    "import": _trace,
    "job": lambda memory, source, _: memory.maintain(("collect", "consolidate", "expire", "erase")[source.number % 4]),
    "rejection": lambda memory, source, _: memory.reject(source.record_id, reason="not so"),
    "merge": lambda memory, source, _: memory.merge(source.subject, "user:other", reason="one", scope=SCOPE),
    "eraser": lambda memory, source, _: memory.forget(record=source.record_id),
    "hold": lambda memory, source, _: memory.hold(record=source.record_id),
    "release": lambda memory, _source, _: [memory.release_hold(each.hold_id) for each in memory.holds()],
}
HELD = ("hold", "release")
BY_SUBJECT = ("merge",)


class Other(Protocol):
    """Whoever makes something of a source at the same time: a thread of this process, or another process."""

    def start(self, make: str, source: Source, wait_seconds: float) -> None:
        """It begins, that many seconds after the eraser may."""
        ...

    def answer(self) -> str:
        """What came of it, when it is done."""
        ...

    def close(self) -> None:
        """It ends."""
        ...


@dataclass(slots=True)
class Outcome:
    """What races came to.

    Attributes:
        made, refused: how often what was made was written, and how often it was not, by what.
        shown: of a race, which door showed something of the source afterwards.
        left: marks that were in a row or an event when the job had run; broken: what did not verify then.
    """

    made: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def resurrections(self) -> int:
        """Races after which something of the source was there."""
        return len(self.shown) + len(self.left)


def race(memory: Memory, other: Other, make: str, source: Source, chance: random.Random) -> str:
    """What came of the other one; the source is erased meanwhile."""
    waits = chance.uniform(0, JITTER_SECONDS_MAX), chance.uniform(0, JITTER_SECONDS_MAX)
    if make == "release":
        memory.hold(record=source.record_id)
    other.start(make, source, waits[1])
    time.sleep(waits[0])
    try:
        if make in BY_SUBJECT:
            memory.forget(subject=source.subject)
        else:
            memory.forget(record=source.record_id)
    except NotFoundError:
        assert make == "eraser", "nobody else erases it"
    return other.answer()


def settle(memory: Memory, make: str) -> None:
    """What was held is not held any more: the erasure goes on."""
    if make in HELD:
        for each in memory.holds():
            memory.release_hold(each.hold_id)
        memory.maintain("erase")


def doors(memory: Memory, source: Source, said: str) -> Iterator[tuple[str, object]]:
    """What each door tells of it now; `said` may name what was made of it."""
    ids = [source.record_id, source.claim_id, *(each for each in said.split() if each.count("-") == 4)]
    question = f"who is called, {source.number}?"
    calls: list[tuple[str, Callable[[], object]]] = [
        *((f"{name} {number}", lambda verb=verb, each=each: verb(each))
          for number, each in enumerate(ids) for name, verb in (("show", memory.show), ("why", memory.why))),
        ("recall", lambda: memory.recall(question, scope=SCOPE)),
        ("propose", lambda: memory.recall(question, scope=SCOPE, impact="propose")),
        ("state", lambda: memory.state(source.subject, scope=SCOPE)),
        ("conflicts", memory.conflicts),
        ("queue", memory.review_queue),
        ("merges", memory.merges),
        ("task", lambda: memory.task_show("42", scope=SCOPE)),
    ]  # fmt: skip
    for name, call in calls:
        try:
            yield name, call()
        except NotFoundError:
            yield name, ""


def shown_by(memory: Memory, source: Source, said: str) -> list[str]:
    """The doors that show something of it."""
    found = []
    for name, answer in doors(memory, source, said):
        if source.mark in repr(answer) or source.record_id in repr(answer):
            found.append(name)
    return found


def left_in(memory: Memory, marks: list[str]) -> list[str]:
    """The marks that are in a row of a view, or in an event of either chain, once the job ran."""
    memory.maintain("erase")
    with session_of(memory).store.read() as reading:
        rows = b"\n".join(reading.dump_views())
        payloads = b"\n".join(each.payload or b"" for chain in Chain for each in reading.events(chain))
    return [mark for mark in marks if mark.encode() in rows or mark.encode() in payloads]


class InThread:
    """Another thread of this process, with a session of its own."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        """Nothing runs yet."""
        self._memory, self._folder = memory, folder
        self._pool = ThreadPoolExecutor(1)
        self._begun: Future[str] | None = None

    def start(self, make: str, source: Source, wait_seconds: float) -> None:
        """See Other.start."""
        ready = Barrier(2)

        def work() -> str:
            ready.wait(ANSWER_SECONDS_MAX)
            time.sleep(wait_seconds)
            return made_of(self._memory, make, source, self._folder)

        self._begun = self._pool.submit(work)
        ready.wait(ANSWER_SECONDS_MAX)

    def answer(self) -> str:
        """See Other.answer."""
        assert self._begun is not None
        return self._begun.result(ANSWER_SECONDS_MAX)

    def close(self) -> None:
        """It ends."""
        self._pool.shutdown()


def made_of(memory: Memory, make: str, source: Source, folder: Path) -> str:
    """`made` with the ids of what came of it, or `refused` and by what."""
    try:
        answer = MAKES[make](memory, source, folder)
    except HeedfulError as error:
        return f"refused {error.code}"
    if getattr(answer, "outcome", "admitted") == "refused":
        return f"refused {answer.reasons[0]}"  # type: ignore[attr-defined]
    ids = [
        getattr(answer, each, None) for each in ("record_id", "packet_id", "verdict_id", "correction_id", "merge_id")
    ]
    claims = getattr(answer, "claims", ())
    ids += [each.claim_id for each in claims] if isinstance(claims, tuple) and make != "verdict" else []
    return " ".join(("made", *(str(each) for each in ids if isinstance(each, str))))


@contextmanager
def unguarded() -> Iterator[None]:
    """The control: nothing looks whether a source was erased. On SQLite, whose rows are looked at here."""
    off: list[tuple[object, str, Callable[..., object]]] = [
        (append, "require_unerased", lambda _reading, _events: None),
        (ErasureReading, "erased_among", lambda _self, _keys: {}),
    ]
    sound = [getattr(place, name) for place, name, _ in off]
    for place, name, blind in off:
        setattr(place, name, blind)
    try:
        yield
    finally:
        for (place, name, _), guard in zip(off, sound, strict=True):
            setattr(place, name, guard)

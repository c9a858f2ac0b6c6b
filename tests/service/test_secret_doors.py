"""Secrets at the doors of people's overrides, questions, tasks, merges, erasures and holds: none comes to disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from worlds import FREEZE, PROJECT, World, world

from heedful.kernel.errors import HeedfulError

CORE = "AKIAQZ7PLM3XK9W{:05d}"
"""Short, so that a message that is cut at a length does not hide it."""
Ways = dict[str, Callable[[str], object]]


def overriding(house: World) -> Ways:
    """Corrections, conflicts and archives: of a claim that Ana holds."""
    ana, held = house.ana, house.freeze()

    def new() -> str:
        return house.freeze_proposed()

    return {
        "correct value": lambda s: ana.correct(held, f"frozen by {s}", reason="r"),
        "correct statement": lambda s: ana.correct(house.freeze(), "x", statement=f"It is {s}.", reason="r"),
        "correct reason": lambda s: ana.correct(house.freeze(), "y", reason=s),
        "correct since": lambda s: ana.correct(house.freeze(), "z", since=s, reason="r"),
        "confirm reason": lambda s: ana.confirm(house.freeze(), reason=s),
        "retract reason": lambda s: ana.retract(house.freeze(), reason=s),
        "pin reason": lambda s: ana.pin(house.freeze(), reason=s),
        "unpin reason": lambda s: ana.unpin(house.freeze(), reason=s),
        "archive reason": lambda s: ana.archive(house.freeze(), reason=s),
        "unarchive reason": lambda s: ana.unarchive(house.freeze(), reason=s),
        "promote reason": lambda s: ana.promote(house.freeze(), "operator", reason=s),
        "promote tier": lambda s: ana.promote(new(), s, reason="r"),
        "answer choice": lambda s: ana.answer(held, s, reason="r"),
        "answer reason": lambda s: ana.answer(held, "a", reason=s),
        "corrected id": lambda s: ana.correct(s, "x", reason="r"),
        "merge reason": lambda s: ana.merge("person:bo", "person:bob", reason=s, scope=PROJECT),
        "merge subject": lambda s: ana.merge(f"person:{s}", "person:bob", reason="r", scope=PROJECT),
        "unmerge reason": lambda s: ana.unmerge(ana.merges()[0].merge_id, reason=s),
        "unmerge id": lambda s: ana.unmerge(s, reason="r"),
    }


def working(house: World) -> Ways:
    """Tasks, states, diagnoses, and what asks why."""
    ana = house.ana
    return {
        "task": lambda s: ana.task_add(s, "write it down"),
        "task text": lambda s: ana.task_add("42", f"log in with {s}"),
        "task value": lambda s: ana.task_add("42", "x", part="fact", kind=FREEZE, value=s),
        "task subject": lambda s: ana.task_add("42", "x", part="fact", kind=FREEZE, subject=f"service:{s}"),
        "task end": lambda s: ana.task_end("42", reason=s),
        "task done": lambda s: ana.task_done("42", s),
        "state subject": lambda s: ana.state(f"service:{s}"),
        "diagnose asked": lambda s: ana.diagnose(f"what of {s}?", answer="x"),
        "diagnose answer": lambda s: ana.diagnose("what?", answer=f"it is {s}", current=s),
        "why not": lambda s: ana.why_not(s, f"may I use {s}?"),
        "causes": lambda s: ana.causes(subject=f"service:{s}"),
        "workflow run": lambda s: ana.workflow_next(s, f"deploy with {s}"),
        "workflow intent": lambda s: ana.workflow_list(intent=s),
        "mark reason": lambda s: ana.mark(ana.recall("frozen?").packet_id, "1", relevant=True, reason=s),
        "scorecard must": lambda s: ana.scorecard(must=[{"request": s, "must": s}]),
        "bridge reason": lambda s: ana.disable_bridge("deploy.freeze", reason=s),
        "bridge": lambda s: ana.disable_bridge(s, reason="r"),
        "job": ana.maintain,
    }


def erasing(house: World, folder: Path) -> Ways:
    """Erasures, holds, consent and proofs."""
    ana = house.ana
    kept = folder / "outside"
    kept.mkdir()

    return {
        "forget record": lambda s: ana.forget(record=s),
        "forget subject": lambda s: ana.forget(subject=f"person:{s}"),
        "forget scope": lambda s: ana.forget(scope=[f"project:{s}"]),
        "forget principal": lambda s: ana.forget(principal=f"person:{s}"),
        "forget because": lambda s: ana.forget(subject="person:zoe", because=s),
        "hold subject": lambda s: ana.hold(subject=f"person:{s}"),
        "hold because": lambda s: ana.hold(subject="person:zoe", because=s),
        "release": ana.release_hold,
        "receipt": ana.receipt,
        "consent": lambda s: ana.withdraw_consent(principal=f"person:{s}"),
        "drill": ana.drill,
        "prove": ana.prove,
        "verify": lambda s: ana.verify(checkpoint=kept / s),
    }


def test_no_later_door_brings_a_secret_to_disk_or_into_an_error(tmp_path: Path) -> None:
    """Each way has a secret of its own, and those that answer do (the control): it is in no file of the store."""
    store = tmp_path / "store"
    store.mkdir()
    planted: dict[str, str] = {}
    echoed: list[str] = []
    answered: list[str] = []
    with world(store) as house:
        house.ana.remember("MARK")
        ways = {**overriding(house), **working(house), **erasing(house, tmp_path)}
        for number, (way, tell) in enumerate(ways.items()):
            planted[way] = secret = CORE.format(number)
            answer: Any
            try:
                answer = tell(secret)
                answered.append(way)
            except HeedfulError as error:
                answer = f"{error.message} {error.next_step} {error.details}"
            if secret in repr(answer):
                echoed.append(way)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    written = b"".join(path.read_bytes() for path in files)

    assert b"MARK" in written, "the control: what is no secret was written"
    assert [way for way, secret in planted.items() if secret.encode() in written] == []
    assert echoed == []
    assert len(answered) > len(ways) / 3

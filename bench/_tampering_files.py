"""Whole checkpoint files, changed: any field of what is signed or proved, another store's key, an older file."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _report import Figure, Report, exact
from _stores import new_store

from heedful.kernel.errors import HeedfulError
from heedful.ledger.checkpoint import Checkpoint, decode, is_continued, is_note_signed, is_proved
from heedful.ledger.succession import trusted_keys


def changed_files(report: Report, folder: Path, count: int, chance: random.Random) -> None:
    """No changed file is accepted; one who does not look at signatures accepts another store's."""
    pinned, proof, foreign = _files(folder)
    parsed = json.loads(proof)
    places = [each for each in _places(parsed) if each[0] in ("what", "format", "notes", "growth", "inclusion")]
    accepted = 0
    for _ in range(count):
        place = chance.choice(places)
        edited = json.loads(proof)
        target = edited
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = _changed(target[place[-1]], chance)
        accepted += _accepts(json.dumps(edited).encode(), pinned)
    report.row("files", {"fields": len(places), "changed": count})
    report.figures.append(exact("changed files accepted", accepted))
    report.figures.append(exact("files of another store accepted", int(_accepts(foreign, pinned))))
    report.figures.append(exact("an older file accepted as a newer one", int(_accepts(pinned, proof))))
    report.figures.append(exact("good files refused", int(not _accepts(proof, pinned))))
    theirs = decode(foreign)
    unlooked = theirs.inclusion is not None and is_proved(theirs.inclusion, theirs.note("ledger").note)
    report.figures.append(Figure("control: another store's accepted without its signature", unlooked, "", ">=", 1, 1))


def _files(folder: Path) -> tuple[bytes, bytes, bytes]:
    with new_store(folder / "files") as memory:
        memory.recall("When does the audit end?", impact="execute")
        memory.checkpoint(folder / "pinned.json")
        memory.recall("And the next?", impact="execute")
        kept = memory.remember("The audit ends in May.")
        assert kept.record_id is not None
        memory.prove(kept.record_id, content=True, since=folder / "pinned.json", out=folder / "proof.json")
    with new_store(folder / "foreign") as memory:
        kept = memory.remember("The audit ends in May.")
        assert kept.record_id is not None
        memory.prove(kept.record_id, content=True, out=folder / "foreign.json")
    pinned, proof, foreign = ((folder / f"{name}.json").read_bytes() for name in ("pinned", "proof", "foreign"))
    return pinned, proof, foreign


def _accepts(content: bytes, pinned: bytes) -> bool:
    """What somebody does who has pinned a checkpoint: its keys are known, everything is asked of the file."""
    old = decode(pinned)
    try:
        offered = decode(content)
    except HeedfulError:
        return False
    trusted = trusted_keys((*old.keys, *offered.keys), {each.key_id for each in old.keys})
    return (
        all(is_note_signed(each, trusted) for each in offered.notes)
        and all(is_continued(each.note, _note(offered, each.note.chain), offered.growth) for each in old.notes)
        and (offered.inclusion is None or is_proved(offered.inclusion, _note(offered, offered.inclusion.chain)))
    )


def _note(checkpoint: Checkpoint, chain: Any) -> Any:
    return checkpoint.note(chain).note


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(each, (*path, name))
    elif value is not None:
        yield path


def _changed(value: Any, chance: random.Random) -> Any:
    if isinstance(value, int):
        return chance.choice((value + 1, value - 1, 0 if value else 7, 2**60))
    place = chance.randrange(len(value)) if value else 0
    other = "1" if value[place : place + 1] != "1" else "2"
    return value[:place] + other + value[place + 1 :]

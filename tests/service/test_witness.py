"""A witness signs one history of a store, whatever it is shown, and keeps what speaks against another."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
from worlds import TickingClock, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here

from heedful.adapters.signing import MemorySigning
from heedful.adapters.witness_folder import WitnessFolder
from heedful.kernel.signature import is_signed
from heedful.ledger.checkpoint import Checkpoint, Growth, SignedNote, encode
from heedful.service.proving.cosign import Witnessed, cosign


def ask(folder: Path, checkpoint: Checkpoint, *, key: str | None = None) -> Witnessed:
    """What the witness in that folder says."""
    return cosign(WitnessFolder(folder / "witness"), encode(checkpoint), TickingClock(), key=key)


def test_a_checkpoint_that_goes_on_is_co_signed(house: World, tmp_path: Path) -> None:
    """The first, the same again, and the next with its proof, also under a new key; each note by the witness's one key."""
    house.freeze()
    first = house.ana.checkpoint(tmp_path / "first.json")
    answers = [ask(tmp_path, first, key=first.keys[0].key_id), ask(tmp_path, first)]
    house.ana.remember("The audit ends in May.")
    house.ana.rotate_key()
    answers.append(ask(tmp_path, house.ana.checkpoint(since=tmp_path / "first.json")))
    assert len({each.witness for each in answers}) == 1
    for answer in answers:
        assert answer.checkpoint is not None
        for signed in answer.checkpoint.notes:
            (made,) = signed.cosignatures
            public, signature = bytes.fromhex(made.public_key), bytes.fromhex(made.signature)
            assert is_signed(public, "cosignature", made.body(signed.note), signature)
            assert not is_signed(public, "checkpoint", signed.note.body, signature)


def test_the_second_branch_of_a_fork_is_refused_and_kept(tmp_path: Path) -> None:
    """Two copies of a store go different ways; whichever the witness saw first, it signs no other."""
    with world(tmp_path / "one") as house:
        house.freeze()
        first = house.ana.checkpoint(tmp_path / "first.json")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    offered = []
    for branch in ("one", "two"):
        with world(tmp_path / branch) as house:
            house.ana.remember(f"The audit ends in {branch}.")
            grown = house.ana.checkpoint(tmp_path / f"{branch}.json", since=tmp_path / "first.json")
            house.ana.remember("Nothing else.")
            offered.append((grown, house.ana.checkpoint(since=tmp_path / f"{branch}.json")))
    (one, _), (two, two_later) = offered
    assert ask(tmp_path, first).outcome == ask(tmp_path, one).outcome == "cosigned"
    fork, later = ask(tmp_path, two), ask(tmp_path, two_later)
    assert (fork.outcome, fork.because, fork.checkpoint) == ("refused", "fork", None)
    assert (later.outcome, later.because) == ("refused", "not-continued")
    for answer in (fork, later):
        assert answer.evidence is not None
        kept = json.loads(Path(answer.evidence).read_bytes())
        sizes = [
            {each["note"]["chain"]: each["note"] for each in kept[side]["notes"]} for side in ("signed", "offered")
        ]
        assert sizes[0]["ledger"]["root"] == one.note("ledger").note.root
        assert sizes[1]["ledger"]["root"] != sizes[0]["ledger"]["root"]
    assert ask(tmp_path, one).outcome == "cosigned", "what it signed stays what it signed"


def test_keys_that_nobody_vouched_for_are_not_remembered(house: World, tmp_path: Path) -> None:
    """The keys of a file are not signed: who adds one is believed nothing by it, and who takes them out takes nothing."""
    first = house.ana.checkpoint(tmp_path / "first.json")
    stranger = MemorySigning(TickingClock())
    stranger.prepare()
    (key,) = stranger.public_keys()
    added = replace(key, number=2)
    assert ask(tmp_path, msgspec.structs.replace(first, keys=(*first.keys, added))).outcome == "cosigned"
    notes = []
    for signed in first.notes:
        note = msgspec.structs.replace(signed.note, key_id=key.key_id)
        notes.append(SignedNote(note, stranger.sign("checkpoint", note.body).signature))
    for keys in ((key,), (added,), (*first.keys, added)):
        forged = msgspec.structs.replace(first, notes=tuple(notes), keys=keys)
        assert ask(tmp_path, forged).because == "key-unknown"
    assert ask(tmp_path, msgspec.structs.replace(first, keys=())).outcome == "cosigned"
    house.ana.remember("The audit ends in May.")
    assert ask(tmp_path, house.ana.checkpoint(since=tmp_path / "first.json")).outcome == "cosigned"


def test_what_proves_no_continuation_is_refused(house: World, tmp_path: Path) -> None:
    """An older one, one without its proof, one of another key, one that was changed; none of them is remembered."""
    old = house.ana.checkpoint(tmp_path / "old.json")
    house.freeze()
    new = house.ana.checkpoint(tmp_path / "new.json", since=tmp_path / "old.json")
    stranger = MemorySigning(TickingClock())
    stranger.prepare()
    (key,) = stranger.public_keys()
    note = msgspec.structs.replace(new.notes[0].note, key_id=key.key_id)
    forged = msgspec.structs.replace(
        new.notes[0], note=note, signature=stranger.sign("checkpoint", note.body).signature
    )
    edited = msgspec.structs.replace(new.notes[0], note=msgspec.structs.replace(new.notes[0].note, size=99))
    assert ask(tmp_path, new, key="00" * 32).because == "key-unknown"
    assert ask(tmp_path, old).outcome == "cosigned"
    for offered, because in (
        (msgspec.structs.replace(new, growth=()), "not-continued"),
        (msgspec.structs.replace(new, growth=tuple(map(broken, new.growth))), "not-continued"),
        (
            msgspec.structs.replace(new, notes=(forged, new.notes[1]), keys=(*new.keys, replace(key, number=2))),
            "key-unknown",
        ),
        (msgspec.structs.replace(new, notes=(edited, new.notes[1])), "signature"),
    ):
        assert ask(tmp_path, offered).because == because
    assert ask(tmp_path, new).outcome == "cosigned"
    assert ask(tmp_path, old).because == "older"


def broken(growth: Growth) -> Growth:
    """The proof with its first node changed."""
    return msgspec.structs.replace(growth, path=("00" * 32, *growth.path[1:]))


def test_a_witness_that_lost_its_memory_says_so(house: World, tmp_path: Path) -> None:
    """Damaged state is an error and never the beginning of a new memory."""
    made = house.ana.checkpoint()
    ask(tmp_path, made)
    (state,) = (tmp_path / "witness" / "seen").iterdir()
    state.write_bytes(b"{")
    assert code_of(lambda: ask(tmp_path, made)) == "witness_unavailable"
    (tmp_path / "witness" / "witness.key").write_bytes(b"short")
    assert code_of(lambda: ask(tmp_path, made)) == "witness_unavailable"

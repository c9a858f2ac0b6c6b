"""Checkpoints: what a store signed of itself it cannot take back, whoever owns the machine afterwards."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_struct
from worlds import TWO_PEOPLE, World, code_of, house_fixture, on_both_engines, world  # noqa: F401  # pytest finds the fixture here

from heedful.ledger.checkpoint import decode, encode, is_continued, is_note_signed, is_proved, keys_of
from heedful.ledger.merkle import root_of
from heedful.ledger.seal import SealedEvent
from heedful.ports.store import Chain
from heedful.testing.tampering import TAMPERINGS, put_chain, resealed

NARROW = '"person:aud": {roles: [auditor], clearance: restricted, grants: ["project:payments"]}'


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One of them on both engines: reading events is all that it asks of a store."""
    if metafunc.definition.name == "test_the_next_checkpoint_goes_on_and_proves_it":
        on_both_engines(metafunc)


def sealed_of(house: World) -> list[SealedEvent]:
    """The ledger as it lies there."""
    return events_of(house, Chain.LEDGER)


def events_of(house: World, chain: Chain) -> list[SealedEvent]:
    """The chain as it lies there."""
    with house.app.session(principal="person:ana").store.read() as reading:
        return list(reading.events(chain))


def test_a_checkpoint_is_the_signed_root_of_both_chains(house: World) -> None:
    """Of all events' digests, with the head that `verify` names; and read back it is the same."""
    house.freeze()
    house.agent.recall("When do we deploy?", impact="execute")
    made = house.ana.checkpoint()
    events = sealed_of(house)
    note = made.note("ledger").note
    assert (note.size, note.head) == (len(events), events[-1].digest)
    assert note.root == root_of(bytes.fromhex(each.digest) for each in events).hex()
    assert made.note("access").note.size == 1
    assert all(is_note_signed(each, keys_of(made)) for each in made.notes)
    assert decode(encode(made)) == made
    assert house.ana.verify().checkpoints == 1
    assert house.ana.verify().holds


def test_the_next_checkpoint_goes_on_and_proves_it(house: World, tmp_path: Path) -> None:
    """In any number of steps the same root comes out; keys that were replaced meanwhile are followed."""
    house.freeze()
    first = house.ana.checkpoint(tmp_path / "first.json")
    house.ana.remember("The audit ends in May.")
    house.ana.rotate_key()
    second = house.ana.checkpoint(since=tmp_path / "first.json")
    old, new = first.note("ledger").note, second.note("ledger").note
    assert new.size > old.size
    assert is_continued(old, new, second.growth)
    assert not is_continued(old, new, ())
    assert not is_continued(new, old, second.growth)
    assert new.root == root_of(bytes.fromhex(each.digest) for each in sealed_of(house)).hex()
    assert [key.number for key in house.ana.signing_keys()] == [1, 2]
    assert is_note_signed(second.note("ledger"), keys_of(second))
    assert house.ana.verify(checkpoint=tmp_path / "first.json").checkpoints == 2


def test_an_event_is_proved_without_the_store(house: World, tmp_path: Path) -> None:
    """By record, claim, packet and event; with its content only where that is asked for."""
    house.freeze()
    kept = house.ana.remember("发票 round per line. 📜")
    packet = house.agent.recall("When do we deploy?", impact="execute")
    event_id = sealed_of(house)[0].envelope.event_id
    for item_id in (kept.record_id, event_id, packet.packet_id):
        assert item_id is not None
        proof = house.ana.prove(item_id)
        found = proof.inclusion
        assert found is not None
        assert found.payload is None
        assert is_proved(found, proof.note(found.chain).note)
        assert not is_proved(found, house.ana.checkpoint().note("access" if found.chain == "ledger" else "ledger").note)
    assert kept.record_id is not None
    house.ana.prove(kept.record_id, content=True, out=tmp_path / "proof.json")
    told = decode((tmp_path / "proof.json").read_bytes()).inclusion
    assert told is not None
    assert told.payload is not None
    assert json.loads(told.payload)["record"]["content"] == "发票 round per line. 📜"
    assert code_of(lambda: house.ana.prove("nothing")) == "item_not_found"


@pytest.mark.parametrize("who", ["person:dan", "person:bob", "agent:pip", "person:nobody"])
def test_only_auditors_and_owners_sign_and_prove(house: World, who: str) -> None:
    """Others get neither the size of a chain nor a key; an auditor makes no new key and begins nothing anew."""
    freeze = house.freeze()
    other = house.memory(who)
    for ask in (other.checkpoint, lambda: other.prove(freeze), other.signing_keys, other.rotate_key):
        assert code_of(ask) == "principal_may_not"
    auditor = house.memory("person:aud")
    assert auditor.checkpoint().note("ledger").note.size
    assert code_of(auditor.rotate_key) == "principal_may_not"
    assert code_of(lambda: auditor.checkpoint(anew=True)) == "principal_may_not"


def test_an_auditor_proves_no_content_of_what_they_do_not_see(house: World) -> None:
    """The event is there for whoever knows its id; what it says, and which record it brought, is not told."""
    house.use(TWO_PEOPLE.replace('"person:aud": {roles: [auditor], clearance: restricted, grants: ["*"]}', NARROW))
    hidden = house.ana.remember("Mallory is on leave.", scope=["project:secret"])
    seen = house.ana.remember("The audit ends in May.")
    assert hidden.record_id is not None
    assert seen.record_id is not None
    event_id = next(each for each in sealed_of(house) if each.envelope.position == hidden.position).envelope.event_id
    auditor = house.memory("person:aud")
    assert code_of(lambda: auditor.prove(hidden.record_id or "")) == "item_not_found"
    assert code_of(lambda: auditor.prove(event_id, content=True)) == "item_not_found"
    assert auditor.prove(event_id).inclusion is not None
    shown = auditor.prove(seen.record_id, content=True).inclusion
    assert shown is not None
    assert shown.payload is not None


def test_a_rewritten_chain_is_found_by_the_checkpoint_alone(tmp_path: Path) -> None:
    """Sealed anew from one event on it holds in itself; the place is named, and nothing more is signed."""
    with world(tmp_path / "store") as house:
        house.freeze()
        house.ana.checkpoint(tmp_path / "pinned.json")
        house.ana.remember("The audit ends in May.")
        events = sealed_of(house)
    put_chain(tmp_path / "store", resealed(events, 4))
    with world(tmp_path / "store") as house:
        pinned = house.ana.verify()
        assert pinned.ledger.broken is not None
        assert (pinned.ledger.broken.position, pinned.ledger.broken.breach) == (4, "checkpoint-mismatch")
        assert not pinned.holds
        assert code_of(house.ana.checkpoint) == "checkpoint_forked"
        shutil.rmtree(tmp_path / "store" / "keys" / "pins")
        assert house.ana.verify().holds, "the control: without a checkpoint nothing tells"
        found = house.ana.verify(checkpoint=tmp_path / "pinned.json").ledger.broken
        assert found is not None
        assert (found.position, found.to_position) == (4, None)


def test_a_store_that_was_put_back_is_found_and_begun_anew_on_purpose(tmp_path: Path) -> None:
    """An older copy of the database lacks what was signed since."""
    store = tmp_path / "store"
    with world(store) as house:
        house.freeze()
        house.ana.checkpoint()
    shutil.copytree(store / "tenants", tmp_path / "copy")
    with world(store) as house:
        size = house.ana.checkpoint().note("ledger").note.size
        house.ana.remember("The audit ends in May.")
        house.ana.checkpoint()
    shutil.rmtree(store / "tenants")
    shutil.copytree(tmp_path / "copy", store / "tenants")
    with world(store) as house:
        broken = house.ana.verify().ledger.broken
        assert broken is not None
        assert (broken.position, broken.breach) == (size + 1, "checkpoint-mismatch")
        assert code_of(house.ana.checkpoint) == "checkpoint_forked"
        house.ana.checkpoint(anew=True)
        assert house.ana.verify().holds
        house.ana.checkpoint()


def test_a_broken_chain_is_not_signed(tmp_path: Path) -> None:
    """Each event behind the last checkpoint is checked first."""
    with world(tmp_path) as house:
        house.ana.checkpoint()
        house.freeze()
        events = sealed_of(house)
    changed = resealed(events, len(events) - 1)
    put_chain(tmp_path, [*events[:-2], changed[-2], events[-1]])
    with world(tmp_path) as house:
        assert code_of(house.ana.checkpoint) == "ledger_broken"


def test_files_that_are_no_checkpoint_of_this_tenant_are_refused(house: World, tmp_path: Path) -> None:
    """Cut, changed, of another tenant, of a newer release, or not there; and none is written over."""
    house.freeze()
    made = house.ana.checkpoint(tmp_path / "good.json")
    assert code_of(lambda: house.ana.checkpoint(tmp_path / "good.json")) == "proof_file_exists"
    good = encode(made)
    note = made.note("ledger").note
    with world() as other:
        foreign = encode(other.ana.checkpoint())
    for name, content, code in (
        ("cut", good[:-9], "checkpoint_malformed"),
        ("empty", b"", "checkpoint_malformed"),
        ("one-chain", good.replace(b'"access"', b'"ledger"'), "checkpoint_malformed"),
        ("edited", good.replace(f'"size": {note.size}'.encode(), b'"size": 1'), "checkpoint_unsigned"),
        ("newer", good.replace(b'"format": 1', b'"format": 2'), "checkpoint_newer"),
        ("foreign", foreign, "checkpoint_foreign"),
    ):
        path = tmp_path / f"{name}.json"
        path.write_bytes(content)
        assert code_of(lambda path=path: house.ana.verify(checkpoint=path)) == code, name  # type: ignore[misc]
    assert code_of(lambda: house.ana.verify(checkpoint=tmp_path / "nowhere")) == "proof_file_unavailable"


def test_every_tampering_is_found_and_its_first_event_named(tmp_path: Path) -> None:
    """Edits, gaps, swaps, copies, insertions, cut tails, rewrites, of both chains; `bench/tampering.py` does 2,000."""
    chance = random.Random(11)
    with world(tmp_path) as house:
        for number in range(6):
            house.ana.remember(f"Invoice {number} is rounded per line.")
            house.agent.recall(f"Invoice {number}?", impact="execute")
        house.ana.checkpoint()
        originals = {chain: list(events_of(house, chain)) for chain in Chain}
        missed = []
        for name, tamper in TAMPERINGS.items():
            for _ in range(4):
                chain = chance.choice(list(Chain))
                made = tamper(originals[chain], chance)
                put_chain(tmp_path, made.events, chain, fits_head=made.fits_head)
                audit = house.ana.verify()
                found = (audit.ledger if chain is Chain.LEDGER else audit.access).broken
                if found is None or (found.position, found.to_position) != (made.at, None):
                    missed.append((name, chain, made.at, found))
                put_chain(tmp_path, originals[chain], chain)
                assert house.ana.verify().holds
        assert missed == []
        shutil.rmtree(tmp_path / "keys" / "pins")
        put_chain(tmp_path, TAMPERINGS["rewrite"](originals[Chain.LEDGER], chance).events)
        assert house.ana.verify().holds, "the control: without a checkpoint a rewritten chain holds"


def test_a_changed_payload_is_not_read(tmp_path: Path) -> None:
    """By nothing that reads events: neither an answer nor an explanation is made of it."""
    with world(tmp_path) as house:
        claim_id = house.freeze()
        packet = house.agent.recall("When do we deploy?", impact="execute")
        changed = {
            chain: [
                replace(each, payload=(each.payload or b"").replace(b"approved", b"rejected").replace(b"[]", b"{}"))
                for each in events_of(house, chain)
            ]
            for chain in Chain
        }
        assert house.ana.why(claim_id).steps
        for chain, events in changed.items():
            put_chain(tmp_path, events, chain)
        assert code_of(lambda: house.ana.why(claim_id)) == "payload_changed"
        assert code_of(lambda: house.agent.why(packet.packet_id)) == "payload_changed"


def test_proofs_go_on_holding_where_content_was_erased(tmp_path: Path) -> None:
    """The leaf commits to a salted digest: with payload and salt gone the event and its neighbours are still proved."""
    with world(tmp_path / "store") as house:
        kept = [house.ana.remember(f"Invoice {number} is rounded per line.") for number in range(4)]
        house.ana.checkpoint(tmp_path / "pinned.json")
        events = events_of(house, Chain.LEDGER)
        gone = kept[1].position
        salt, payload = events[gone - 1].salt, events[gone - 1].payload
        assert salt is not None
        assert payload is not None
        erased = [replace(each, payload=None, salt=None) if each.envelope.position == gone else each for each in events]
        put_chain(tmp_path / "store", erased)
        for sealed in erased[gone - 2 : gone + 1]:
            proof = house.ana.prove(sealed.envelope.event_id, since=tmp_path / "pinned.json")
            assert proof.inclusion is not None
            assert is_proved(proof.inclusion, proof.note("ledger").note)
        shown = house.ana.prove(kept[1].record_id or "", content=True).inclusion
        assert shown is not None
        assert (shown.payload, shown.salt) == (None, None)
        guess = replace_struct(shown, payload=payload.decode(), salt="00" * 32)
        assert not is_proved(guess, house.ana.checkpoint().note("ledger").note), (
            "a guess without its salt proves nothing"
        )
        known = replace_struct(shown, payload=payload.decode(), salt=salt.hex())
        assert is_proved(known, house.ana.checkpoint().note("ledger").note), "the control: with it the content is known"


def test_an_erasure_breaks_no_checkpoint(tmp_path: Path) -> None:
    """What was signed before still holds, neighbours are proved, and the weekly look finds nothing amiss."""
    with world(tmp_path / "store") as house:
        gone, stays = house.ana.remember("Mallory is ill."), house.ana.remember("The audit ends in May.")
        house.ana.checkpoint(tmp_path / "pinned.json")
        house.ana.forget(record=gone.record_id)
        assert house.ana.verify(checkpoint=tmp_path / "pinned.json").holds
        proof = house.ana.prove(stays.record_id or "", since=tmp_path / "pinned.json")
        assert proof.inclusion is not None
        old = decode((tmp_path / "pinned.json").read_bytes()).note("ledger").note
        assert is_continued(old, proof.note("ledger").note, proof.growth)
        assert [run.report.found for run in house.ana.maintain("recheck").runs if run.report] == [()]

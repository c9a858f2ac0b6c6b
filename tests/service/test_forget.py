"""Forget: what is erased is gone with all that was made of it, and what others say besides stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from believers import PEOPLE
from forgetting import ANA, BOB, claim_of, home_fixture, memory_fixture, told
from worlds import DEPLOY, World, world

from heedful import Memory
from heedful.claims.claim import ClaimStatus
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.ids import EventId, RecordId
from heedful.ports.store import Chain
from heedful.service.erasure import stages
from heedful.service.keeping.sources import ERASED_BEFORE, SOURCE_ERASED
from heedful.service.project import event_of

__all__ = ("home_fixture", "memory_fixture")


def raw(folder: Path) -> bytes:
    """Every byte of the databases, as they are when nothing is open."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*.db*")))


def test_a_record_goes_with_its_claim_and_what_was_made_of_it(tmp_path: Path) -> None:
    """From every door at once; the ledger holds, and a refold gives the views. The control: what is beside it stays."""
    with world(tmp_path, policy=PEOPLE) as home:
        memory = home.ana
        record_id, claim_id = told(memory, "Zanzibar-Q")
        summary = memory.remember("Zanzibar-Q it is", scope=ANA, grade="summary", derived_from=[record_id])
        beside, _ = told(memory, "Lisbon-R", subject="user:bob")
        packet = memory.recall("where does ana live?", scope=ANA)
        assert claim_id in {item.item_id for item in packet.items}

        plan = memory.forget(record=record_id, dry_run=True)
        assert {(each.item, each.item_id) for each in plan.items} == {
            ("record", record_id),
            ("record", summary.record_id),
            ("claim", claim_id),
        }
        assert memory.show(record_id)[0] is not None, "a dry run changes nothing"
        receipt = memory.forget(record=record_id)

        assert (receipt.stage, receipt.records, receipt.claims) == ("logical", 2, 1)
        for gone in (record_id, claim_id, summary.record_id):
            with pytest.raises(NotFoundError, match="nothing with id"):
                memory.show(gone)
        with pytest.raises(NotFoundError):
            memory.why(packet.packet_id)
        found = memory.recall("where does ana live, Zanzibar-Q?", scope=ANA)
        assert {record_id, claim_id, summary.record_id}.isdisjoint(item.item_id for item in found.items)
        assert memory.show(beside)[0] is not None
        audit = memory.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")
        memory.maintain("erase")
        assert memory.receipt(receipt.erasure_id).stage == "scrubbed"
        assert memory.verify(views=True).views == "equal"
    assert b"Lisbon-R" in raw(tmp_path), "the scan finds what is there"


def test_a_payload_that_no_erasure_names_is_a_breach(memory: Memory) -> None:
    """The control: one that an erasure names is none."""
    record_id, _ = told(memory, "Rome")
    other, _ = told(memory, "Oslo", subject="user:bob")
    store = memory._session.store
    with store.read() as reading:
        stored = reading.record(RecordId(other))
    assert stored is not None
    memory.forget(record=record_id)
    assert memory.verify(views=False).holds
    store.write(lambda writing: writing.erase_payloads(Chain.LEDGER, [stored.position]))
    broken = memory.verify(views=False).ledger.broken
    assert broken is not None
    assert (broken.position, broken.breach) == (stored.position, "payload-missing")


def test_anothers_word_that_had_merged_stands_again(home: World) -> None:
    """What two people said is believed still, on the word of the one who is left."""
    first, claim_id = told(home.ana, "Rome", subject="project:x")
    second, other = told(home.dan, "Rome", subject="project:x")
    assert second in claim_of(home.ana, claim_id).evidence
    assert claim_of(home.ana, other).status is ClaimStatus.SUPERSEDED

    home.ana.forget(record=first)

    back = claim_of(home.ana, other)
    assert (back.status, back.evidence) == (ClaimStatus.ACTIVE, (second,))
    assert home.ana.verify(views=True).views == "equal"


def test_a_claim_that_a_gone_record_only_corroborated_stays(home: World) -> None:
    """Without that record among its evidence."""
    first, claim_id = told(home.ana, "Rome", subject="project:x")
    second, other = told(home.dan, "Rome", subject="project:x")

    home.ana.forget(record=second)

    left = claim_of(home.ana, claim_id)
    assert (left.status, left.evidence) == (ClaimStatus.ACTIVE, (first,))
    with pytest.raises(NotFoundError):
        home.ana.show(other)
    assert home.ana.verify(views=True).views == "equal"


@pytest.mark.parametrize("select", [{"subject": "user:ana"}, {"scope": ANA}, {"principal": "person:dan"}])
def test_everything_of_a_subject_a_scope_or_a_principal_goes(home: World, select: dict[str, Any]) -> None:
    """And nothing else; what comes later is not of it."""
    memory = home.ana
    about = [("user", "ana/son")]
    going = [told(home.dan, "Rome")[0], home.dan.remember("hello", scope=ANA, subjects=about).record_id]
    staying, _ = told(memory, "Oslo", subject="user:bob", scope=BOB)

    receipt = memory.forget(**select)

    assert receipt.records == 2
    for gone in going:
        with pytest.raises(NotFoundError):
            memory.show(gone)
    assert memory.show(staying)[0] is not None
    assert memory.verify(views=True).views == "equal"
    assert memory.forget(**select).records == 0


def test_a_selection_larger_than_a_page_goes_whole(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """In several transactions under one receipt."""
    monkeypatch.setattr("heedful.service.erasure.select.SEEDS_MAX", 3)
    ids = [told(memory, f"Town {number}")[0] for number in range(7)]
    receipt = memory.forget(subject="user:ana")
    assert (receipt.records, receipt.claims) == (7, 7)
    assert len(memory.receipts()) == 1
    for each in ids:
        with pytest.raises(NotFoundError):
            memory.show(each)
    assert memory.verify(views=True).views == "equal"


def test_what_comes_from_where_something_was_erased_is_refused(home: World) -> None:
    """Under its source reference, in its place; elsewhere, or of what was never erased, it is kept."""
    memory = home.ana
    kept = memory.remember("I live in Rome", scope=ANA, source_ref="chat:1")
    memory.forget(record=kept.record_id)
    again = memory.remember("I live in Rome", scope=ANA, source_ref="chat:1")
    assert (again.outcome, again.reasons) == ("refused", (ERASED_BEFORE,))
    made = memory.remember("so she lives there", scope=ANA, derived_from=[kept.record_id])
    assert (made.outcome, made.reasons) == ("refused", (SOURCE_ERASED,))
    assert memory.remember("I live in Rome", scope=BOB, source_ref="chat:1").outcome == "admitted"
    assert memory.remember("I live in Rome", scope=ANA, source_ref="chat:2").outcome == "admitted"
    assert home.dan.remember("I live in Rome", scope=ANA, source_ref="chat:1").outcome == "refused"


def test_a_derivation_in_flight_brings_nothing_back(memory: Memory) -> None:
    """What was looked up before the erasure and is written after it is refused whole, in the transaction itself."""
    record_id, claim_id = told(memory, "Rome")
    session = memory._session
    with session.store.read() as reading:
        sealed = [each for each in reading.events(Chain.LEDGER) if each.envelope.type == "claim.proposed"]
    proposed = event_of(sealed[-1])
    memory.forget(record=record_id)
    with pytest.raises(ConflictError, match="erased while it was made"):
        session.store.write(lambda writing: session.append(writing, [proposed]))
    with pytest.raises(NotFoundError):
        memory.show(claim_id)


def test_a_packet_that_is_sealed_after_the_erasure_keeps_nothing_of_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither does one from before, once the indexes are clean; each leaves its envelope, and the chain holds."""
    record_id, _ = told(memory, "Rome")
    early = memory.recall("where does ana live?", scope=ANA)
    memory.verify(views=False)
    monkeypatch.setattr(type(memory._session.access), "flush", lambda _self: None)
    late = memory.recall("where does ana live now?", scope=ANA)
    memory.forget(record=record_id)
    monkeypatch.undo()
    memory.maintain("erase")
    with memory._session.store.read() as reading:
        payloads = {each.envelope.event_id: each.payload for each in reading.events(Chain.ACCESS)}
    assert payloads[EventId(early.packet_id)] is None
    assert payloads[EventId(late.packet_id)] is None
    assert memory.verify(views=True).holds


def test_a_verdict_that_rests_on_what_is_erased_goes(home: World) -> None:
    """With the words about it; the erasure's own events stay."""
    memory = home.ana
    claim_id = home.freeze("Rome stays closed until the quarter is.")
    memory.pin(claim_id, reason="Rome-it-is")
    verdict = memory.judge("Bash", DEPLOY)
    assert claim_id in {each.claim_id for each in verdict.rulings}
    memory.forget(record=list(claim_of(memory, claim_id).evidence))
    memory.maintain("erase")
    with memory._session.store.read() as reading:
        left = [each for each in reading.events(Chain.LEDGER) if each.payload is not None]
    assert not [each for each in left if b"Rome" in (each.payload or b"")]
    assert "verdict.judged" not in {each.envelope.type for each in left}
    assert memory.verify(views=True).views == "equal"


def test_a_worker_that_dies_between_stages_is_gone_on_for(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage is an event of its own, so the next worker begins where that one stopped."""
    record_id, _ = told(memory, "Rome")
    receipt = memory.forget(record=record_id)
    with monkeypatch.context() as patched:
        patched.setattr(stages, "unlink_blobs", lambda _session: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            memory.maintain("erase")
    assert memory.receipt(receipt.erasure_id).stage == "logical"
    memory.maintain("erase")
    assert memory.receipt(receipt.erasure_id).stage == "scrubbed"


def test_content_in_the_blob_store_goes_unless_another_record_has_it(tmp_path: Path) -> None:
    """The same bytes lie there once."""
    with world(tmp_path, policy=PEOPLE) as home:
        memory = home.ana
        big, other = "x" * 70_000, "y" * 70_000
        first = memory.remember(big, scope=ANA).record_id
        second = memory.remember(big, scope=BOB).record_id
        third = memory.remember(other, scope=ANA).record_id
        blobs = tmp_path / "blobs"
        assert _files(blobs) == 2
        memory.forget(record=[first, third])
        memory.maintain("erase")
        assert _files(blobs) == 1
        memory.forget(record=second)
        memory.maintain("erase")
        assert _files(blobs) == 0


def _files(folder: Path) -> int:
    return sum(each.is_file() for each in folder.rglob("*"))

"""An id that somebody wrote into a text is no sign that the text shows the item: nothing goes with it, and nothing is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from believers import CITY, PAYMENTS, PEOPLE, TEAM
from forgetting import claim_of, home_fixture, told
from worlds import DEPLOY, World, world

from heedful.kernel.errors import NotFoundError
from heedful.ports.store import Chain
from heedful.service.erasure.shown import ids_of_packet, ids_of_proposal, ids_of_verdict

__all__ = ("home_fixture",)
QUESTION = "what does the payments release need?"


def test_packets_that_only_quote_an_erased_id_stay(home: World) -> None:
    """Those that were handed out, and those that come; the erasure is done, whatever is read. The control shows it."""
    dan, eve = home.memory("person:dan"), home.memory("person:eve")
    bait = dan.remember("the payments release needs bait", scope=PAYMENTS).record_id
    shows = eve.recall(QUESTION, scope=PAYMENTS)
    assert bait in {item.item_id for item in shows.items}
    quote = dan.remember(f"the payments release needs a look at {bait}, {bait}", scope=PAYMENTS).record_id
    before = eve.recall(f"{QUESTION} {bait}", scope=PAYMENTS, budget_tokens=400)

    erasure_id = dan.forget(record=bait).erasure_id
    after = eve.recall(f"{QUESTION} {bait}", scope=PAYMENTS)
    home.ana.maintain("erase")

    assert [item.item_id for item in after.items] == [quote]
    assert quote in str(eve.why(after.packet_id).found["items"])
    for gone in (shows, before):  # both show the bait itself
        with pytest.raises(NotFoundError):
            eve.why(gone.packet_id)
    eve.recall(QUESTION, scope=PAYMENTS)
    home.ana.verify()
    assert home.ana.receipt(erasure_id).stage == "scrubbed", "a read sends no erasure back"


def test_a_verdict_goes_with_what_it_rests_on_and_not_with_what_its_action_says(home: World) -> None:
    """Who acts cannot have the gate's word erased by naming a record of theirs in the command."""
    dan = home.memory("person:dan")
    bait = dan.remember("bait", scope=PAYMENTS).record_id
    verdict = dan.judge("Bash", {"command": f"{DEPLOY['command']} # {bait}"}, text=bait, scope=PAYMENTS)
    dan.forget(record=bait)
    home.ana.maintain("erase")
    assert home.ana.why(verdict.verdict_id).found["verdict_id"] == verdict.verdict_id


def test_a_text_that_quotes_is_no_source(home: World) -> None:
    """A claim and a record whose words name an erased record stand as they stood."""
    first, _ = told(home.ana, "Rome")
    second, claim_id = told(home.ana, f"not {first}", subject="user:bob")
    home.ana.forget(record=first)
    home.ana.maintain("erase")
    assert claim_of(home.ana, claim_id).evidence == (second,)
    assert home.ana.verify(views=True).views == "equal"


def test_what_is_not_written_by_this_release_is_taken_whole() -> None:
    """Of a packet that an import brought, say, every id counts: rather too many go than one too few."""
    item_id = "01a22161-fe8b-7af4-b33d-25b8166d714e"
    for read in (ids_of_packet, ids_of_verdict, ids_of_proposal):
        for odd in (f'{{"items":7,"rulings":7,"evidence":7,"x":"{item_id}"}}', f"no JSON {item_id}"):
            assert read(odd) == {item_id}


def test_a_correction_repeats_nothing_of_anothers_words(home: World) -> None:
    """So they go with their record, and the correction stays; the control: one's own sentence is said again."""
    said = home.memory("person:dan").remember(
        "Zelda says it is Rome", kind=CITY, value="Rome", subject=TEAM, consent="explicit", scope=PAYMENTS
    )
    done = home.ana.correct(said.claims[0].claim_id, "Oslo", reason="it moved")
    home.ana.forget(record=said.record_id)
    right = claim_of(home.ana, str(done.correction_id))
    assert (right.value, "Zelda" in right.statement) == ("Oslo", False)
    assert not [each for each in home.views() if b"Zelda" in each]
    own = home.ana.remember("Zelda says it is Bern", kind=CITY, value="Bern", subject="project:b", scope=PAYMENTS)
    again = home.ana.correct(own.claims[0].claim_id, "Basel", reason="it moved")
    assert claim_of(home.ana, str(again.correction_id)).statement == "Zelda says it is Basel"


def test_what_is_refused_leaves_no_large_content_behind(tmp_path: Path) -> None:
    """No record names it, so no erasure would ever take it; the control: it was there before."""
    with world(tmp_path, policy=PEOPLE) as home:
        large = "Zelda " * 300_000
        kept = home.ana.remember(large, scope=PAYMENTS, source_ref="chat:1").record_id
        assert contents(tmp_path) == 1
        home.ana.forget(record=kept)
        home.ana.maintain("erase")
        for more in ({"source_ref": "chat:1"}, {"derived_from": [kept]}):
            assert home.ana.remember(large, scope=PAYMENTS, **more).outcome == "refused"
        home.ana.remember_many([{"content": large, "source_ref": "chat:1"}], scope=PAYMENTS)
        assert contents(tmp_path) == 0


def contents(folder: Path) -> int:
    """How many contents lie in the blob store."""
    return sum(each.is_file() for each in (folder / "blobs").rglob("*"))


def test_a_reason_goes_with_what_it_was_given_for(home: World) -> None:
    """An answer's with either claim, a correction's with the correction; the control: what stays is as it was."""
    memory, dan = home.ana, home.memory("person:dan")
    given: Any = {"kind": CITY, "subject": "user:ana", "consent": "explicit", "scope": PAYMENTS}
    first = dan.remember("it is Rome", value="Rome", **given).claims[0].claim_id
    home.memory("person:eve").remember("it is Oslo", value="Oslo", **given)
    (asked,) = memory.conflicts(only_open=True).conflicts
    memory.answer(asked.conflict_id, "a", reason="Zelda moved to Oslo")
    memory.forget(record=claim_of(memory, asked.b.claim_id).evidence[0])
    memory.maintain("erase")
    assert not [each for each in home.views() if b"Zelda" in each]
    done = memory.correct(first, "Bern", reason="Zelda left")
    assert not done.waits
    memory.forget(record=str(done.record_id))
    memory.maintain("erase")
    with memory._session.store.read() as reading:
        payloads = [each.payload or b"" for each in reading.events(Chain.LEDGER, after=0, limit=500)]
    left = [each for each in (*home.views(), *payloads) if b"Zelda" in each]
    assert (left, claim_of(memory, first).value, memory.verify(views=True).views) == ([], "Rome", "equal")

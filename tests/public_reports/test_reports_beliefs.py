"""Public reports of updates, duplicates, conflicts, negation and of who said what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from report_beliefs import ANA, ana_of, believing, claims_of, recalled, write
from report_cases import BELIEF_KINDS, Step, load_cases, needs_cases
from report_store import ReportStore

from heedful.claims.claim import ClaimStatus
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.times import parse_time
from heedful.service.sight import visible_everywhere

pytestmark = needs_cases
ACTIVE, SUPERSEDED = ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with believing(tmp_path) as store:
        yield store


def steps(case_id: str, op: str | None = None) -> list[Step]:
    """The case's steps, or those of one sort."""
    return [step for step in load_cases(BELIEF_KINDS)[case_id].steps if op in (None, step["op"])]


def us(text: str) -> int:
    """The instant in UTC microseconds."""
    return parse_time(text, field="at").at_us


def test_b027_an_update_never_overwrites_its_predecessor(store: ReportStore) -> None:
    """Three versions in order, each ended by the next; one that was superseded is refused, or corrects what holds."""
    ana, first = ana_of(store), steps("B027", "write")[0]["text"]
    versions = [write(ana, first, kind="ops.primary", value=first)]
    for step in steps("B027", "update")[:2]:
        done = ana.correct(versions[-1], step["text"], reason="an update")
        assert done.correction_id is not None
        versions.append(done.correction_id)
    history = claims_of(store)
    assert [(claim.claim_id, claim.value) for claim in history] == list(zip(versions, ("v1", "v2", "v3"), strict=True))
    assert [claim.status for claim in history] == [SUPERSEDED, SUPERSEDED, ACTIVE]
    assert len(set(versions)) == 3
    for before, after in pairwise(history):
        assert before.claim_id != after.claim_id
        assert before.status_reason == f"corrected by {after.claim_id}"
    with pytest.raises(ConflictError):
        ana.correct(versions[0], steps("B027", "update")[2]["text"], reason="an update of what was superseded")
    assert [claim.value for claim in claims_of(store, ACTIVE)] == ["v3"]


def test_b028_the_entry_of_an_end_has_its_own_time_and_actor(store: ReportStore) -> None:
    """Not before the beginning, in UTC."""
    ana = ana_of(store)
    claim_id = write(ana, steps("B028", "write")[0]["text"], kind="ops.primary", value="x")
    ana.retract(claim_id, reason="it was never so")
    history = ana.why(claim_id).steps
    assert (history[-1].type, history[-1].actor) == ("claim.transitioned", "person:ana")
    assert "it was never so" in history[-1].text
    assert us(history[0].at) <= us(history[-1].at)
    assert history[-1].at.endswith("Z")


def test_b030_what_a_model_says_of_an_unknown_id_is_refused(store: ReportStore) -> None:
    """And the candidates are kept whatever it says: a model decides nothing here."""
    ana, step = ana_of(store), steps("B030", "gate_with_model_output")[0]
    for fact, said in zip(step["facts"], step["model_says"], strict=True):
        ana.remember(fact, scope=ANA)
        for verb in (ana.confirm, ana.retract):
            with pytest.raises(NotFoundError) as refused:
                verb(said["id"], reason=said["event"])
            assert refused.value.code == "item_not_found"
    assert store.texts("t1/ana") == step["facts"]


def test_b032_both_write_paths_know_each_other(store: ReportStore) -> None:
    """One active row; the second is merged into it, and both records are told."""
    ana = ana_of(store)
    raw = write(ana, steps("B032", "write_raw")[0]["text"], kind="said.home", property_name="home", value="Turin")
    extracted = write(ana, "I live in Turin")
    (active,) = claims_of(store, ACTIVE)
    assert active.claim_id == raw
    merged = ana.why(extracted)
    assert raw in str(merged.found["status_reason"])
    assert [len(ana.why(each).records) for each in (raw, extracted)] == [1, 1]


def test_b033_nothing_is_taken_for_a_duplicate_by_a_part_of_it(store: ReportStore) -> None:
    """Two records whose first fields are alike are two."""
    texts = [
        json.dumps({name: step[name] for name in ("title", "narrative", "facts")}) for step in steps("B033", "write")
    ]
    for text in texts:
        store.memory().remember(text, scope=ANA)
    assert store.texts("t1/ana") == texts
    assert len(set(texts)) == 2


def test_b034_a_merge_is_recorded_and_can_be_undone_and_names_alone_merge_nothing(store: ReportStore) -> None:
    """One spelling is one entity; another spelling is asked about, and joined by a person alone; a junior is neither."""
    owner = store.memory()
    names = ("DGIA", "DGIA", "delivery", "Delivery", "Elias Whit", "Elias Whit, Jr.")
    told = [
        write(owner, step["text"], kind="note", subject=f"entity:{name}")
        for step, name in zip(steps("B034", "write"), names, strict=True)
    ]
    assert len({*told}) == 6
    assert len(supports(store, "DGIA")) == 2
    (asked,) = owner.review_queue().namesakes
    assert (asked.subject, asked.other) == ("entity:Delivery", "entity:delivery")
    assert [len(supports(store, name)) for name in ("delivery", "Delivery", "Elias Whit", "Elias Whit, Jr.")] == [1] * 4

    done = owner.merge(asked.subject, asked.other, scope=ANA, reason="one word in two cases")
    assert (owner.review_queue().namesakes, len(owner.merges(only_joined=True))) == ((), 1)
    (recorded,) = owner.merges()
    assert (recorded.reason, recorded.merged_by) == ("one word in two cases", "person:operator")
    owner.unmerge(done.merge.merge_id, reason="a product is called so")
    assert owner.merges(only_joined=True) == ()
    assert owner.merges()[0].undone_reason == "a product is called so"


def supports(store: ReportStore, name: str) -> set[str]:
    """The records that tell something of this very entity."""
    session = store.app.session(tenant="t1")
    with session.store.read() as reading:
        found = reading.claims_about(visible_everywhere(session, reading), f"entity:{name}", limit=9)
    return {record_id for claim in found for record_id in claim.evidence}


def test_b035_a_contradiction_never_leaves_the_store_empty(store: ReportStore) -> None:
    """One current row; the old one is there with its interval closed where the new one begins."""
    ana = ana_of(store)
    loves, hates = (write(ana, step["text"], occurred_at=step["at"]) for step in steps("B035", "write"))
    old, new = claims_of(store)
    assert [(old.claim_id, old.status), (new.claim_id, new.status)] == [(loves, SUPERSEDED), (hates, ACTIVE)]
    assert (old.valid_to_us, new.value) == (us("2026-02-01T10:00Z"), "dislikes")
    assert [item.item_id for item in recalled(ana, "Chinese food")] == [hates]


def test_b036_two_values_of_one_attribute_are_not_both_current(store: ReportStore) -> None:
    """Messi is current, and Ronaldo is found only where one asks for a time at which he was."""
    ana = ana_of(store)
    ronaldo, messi = (write(ana, step["text"], occurred_at=step["at"]) for step in steps("B036", "write"))
    assert [item.item_id for item in recalled(ana, "favourite player")] == [messi]
    assert [item.item_id for item in recalled(ana, "favourite player", "2026-02-01")] == [ronaldo]
    assert [claim.value for claim in claims_of(store, ACTIVE)] == ["Messi"]


def test_b039_no_longer_ends_the_earlier_fact(store: ReportStore) -> None:
    """Now she does not like Vim; as of March she did. Both are preferences."""
    ana, searches = ana_of(store), steps("B039", "search")
    likes, denies = (write(ana, step["text"], occurred_at=step["at"]) for step in steps("B039", "write"))
    assert [item.item_id for item in recalled(ana, searches[0]["query"])] == [denies]
    assert [item.item_id for item in recalled(ana, searches[1]["query"], searches[1]["as_of"])] == [likes]
    assert {claim.form for claim in claims_of(store)} == {"preference"}


def test_b040_a_negation_keeps_its_reach(store: ReportStore) -> None:
    """No value is read out of half a sentence; what is found has its negation with it."""
    ana = ana_of(store)
    for step in steps("B040", "write"):
        write(ana, step["text"])
    assert [(claim.kind, claim.value) for claim in claims_of(store)] == [("note", True)] * 2
    for step in steps("B040", "search"):
        found = [item.text for item in recalled(ana, step["query"]) if step["query"].casefold() in item.text.casefold()]
        assert found
        assert all("never used" in text or "do not use" in text for text in found)


def test_b049_what_was_invalidated_is_out_of_default_recall(store: ReportStore) -> None:
    """Only the second by default; the first on request, with why."""
    ana = ana_of(store)
    first, second = (
        write(ana, step["text"], kind="ops.primary", property_name=f"primary {n}", value=step["text"].split()[1])
        for n, step in enumerate(steps("B049", "write"))
    )
    ana.retract(first, reason=f"invalidated by {second}")
    assert [item.item_id for item in recalled(ana, steps("B049", "search")[0]["query"])] == [second]
    asked = ana.why(first)
    assert (asked.found["status"], second in str(asked.found["status_reason"])) == ("revoked", True)

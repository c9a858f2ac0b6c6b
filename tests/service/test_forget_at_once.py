"""At once: what the job takes later is gone for everybody as soon as the erasure is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from permits import approved, judged, redeem, token_of, verify_deploy
from worlds import DEPLOY, FREEZE, QUESTION, World, world

from heedful import Memory
from heedful.gate.permit import PermitRefused
from heedful.kernel.errors import HeedfulError
from heedful.ports.store import Chain
from heedful.service.acting.redeem import UNKNOWN_PERMIT

SAID = "Nothing leaves the house until the Zanzibar quarter is closed."


@pytest.fixture(name="home")
def home_fixture() -> Iterator[World]:
    """An empty store with the two-person policy."""
    with world() as made:
        yield made


def answer(call: Callable[[], object]) -> str:
    """All that the call says, be it a refusal."""
    try:
        return repr(call())
    except HeedfulError as error:
        return repr((error.code, error.message, error.details))


def doors(memory: Memory, verdict_id: str, packet_id: str, before: str) -> dict[str, str]:
    """What each door that looks by an id, or lists, says of a verdict and a packet; none of them writes."""
    return {
        "show": answer(lambda: memory.show(verdict_id)),
        "then": answer(lambda: memory.show(verdict_id, known_at=before)),
        "why": answer(lambda: memory.why(verdict_id)),
        "why then": answer(lambda: memory.why(verdict_id, as_of=before)),
        "replay": answer(lambda: memory.why(verdict_id, replay=True)),
        "packet": answer(lambda: memory.why(packet_id)),
        "outcome": answer(lambda: memory.report_outcome(verdict_id, status="succeeded")),
        "approve": answer(lambda: memory.approve(verdict_id)),
        "cites": answer(lambda: memory.judge("Bash", DEPLOY, packet_id=packet_id)),
        "queue": answer(memory.review_queue),
        "queue then": answer(lambda: memory.review_queue(known_at=before)),
        "coverage": answer(memory.coverage),
    }


def test_a_verdict_that_shows_what_is_erased_is_gone_before_the_job_ran(home: World) -> None:
    """Every door answers as it does when the job has taken it. The controls: it was shown, and another one still is."""
    home.freeze(SAID)
    packet = home.agent.recall(QUESTION)
    verdict = home.agent.judge("Bash", DEPLOY, packet_id=packet.packet_id)
    beside = home.agent.judge("Bash", {"command": "git log --oneline -5"})
    claim_id = next(each.claim_id for each in verdict.rulings if each.claim_id is not None)
    record_id = home.ana.show(claim_id)[1][0].record.record_id
    before = "2026-11-28T23:00:00Z"
    home.clock.go(seconds=86_400)
    assert claim_id in repr(home.ana.why(verdict.verdict_id)), "the control: it was shown"

    receipt = home.ana.forget(record=record_id)

    found = {name: doors(who, verdict.verdict_id, packet.packet_id, before) for name, who in people(home).items()}
    for name, said in found.items():
        for door, text in said.items():
            assert claim_id not in text, (name, door)
            assert "Zanzibar" not in text, (name, door)
        assert "item_not_found" in said["show"], name
        assert "item_not_found" in said["why then"], name
    assert home.ana.why(beside.verdict_id).item == "verdict"
    assert home.ana.receipt(receipt.erasure_id).stage == "logical"
    home.ana.maintain("erase")
    assert home.ana.receipt(receipt.erasure_id).stage != "logical"
    for name, who in people(home).items():
        again = doors(who, verdict.verdict_id, packet.packet_id, before)
        differs = {door for door, text in again.items() if text != found[name][door]}
        assert not differs - {"cites"}, name  # a verdict has an id and a time of its own, where there is one
    assert home.ana.verify(views=True).views == "equal"


def people(home: World) -> dict[str, Memory]:
    """Whoever could see the verdict."""
    return {"owner": home.ana, "reviewer": home.bob, "auditor": home.memory("person:aud"), "agent": home.agent}


def test_a_permit_whose_verdict_shows_what_is_erased_is_known_no_more(home: World) -> None:
    """As one that this store never issued: nothing tells what has changed. The control: it tells of what was withdrawn."""
    home.enforce()
    told = []
    for go in (home.bob.reject, lambda record_id: home.ana.forget(record=record_id)):
        tested = verify_deploy(home)
        approved(home, home.agent)
        token = token_of(judged(home.agent))
        go(tested)
        refusal = redeem(home.agent, token)
        assert isinstance(refusal, PermitRefused)
        told.append(refusal.changes)
    assert UNKNOWN_PERMIT not in told[0]
    assert told[1] == (UNKNOWN_PERMIT,)


def test_an_export_takes_along_nothing_that_waits_for_the_job(tmp_path: Path) -> None:
    """What it reads has no payload that shows it any more. The control: one had, when the erasure was answered."""

    def payloads() -> bytes:
        with home.ana._session.store.read() as reading:
            return b"".join(each.payload or b"" for chain in Chain for each in reading.events(chain))

    with world(tmp_path / "store") as home:
        home.freeze(SAID)
        (claim,) = (each for each in home.agent.recall(QUESTION).items if each.kind == FREEZE)
        home.agent.judge("Bash", DEPLOY)
        home.ana.remember("The Lisbon office opens at nine.")
        home.ana.forget(record=claim.evidence[0])
        assert claim.item_id.encode() in payloads()
        home.ana.export_ledger(tmp_path / "file")
        assert (b"Zanzibar" in payloads(), b"Lisbon" in payloads()) == (False, True)
        assert b'"verdict_json"' not in payloads()

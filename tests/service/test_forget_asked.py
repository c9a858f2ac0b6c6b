"""What was asked in a scope, or by a person, that is erased goes with it, though it shows nothing of what went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from believers import PEOPLE
from forgetting import ANA, BOB, home_fixture, told
from permits import permitted
from worlds import PROJECT, World, world

from heedful.kernel.errors import NotFoundError
from heedful.ports.store import Chain

__all__ = ("home_fixture",)


def kept(home: World) -> bytes:
    """Every payload of both chains."""
    with home.app.session(principal="person:ana", adopts=False).store.read() as reading:
        return b"\n".join(each.payload or b"" for chain in Chain for each in reading.events(chain))


def test_requests_and_actions_of_an_erased_scope_go(home: World) -> None:
    """The controls: those of another scope, and those that came after, stay."""
    told(home.ana, "Rome")
    packet = home.ana.recall("quayside lanterns?", scope=(*ANA, "project:void"))
    verdict = home.ana.judge("Bash", {"command": "echo quayside"}, scope=ANA)
    stays = home.ana.judge("Bash", {"command": "echo harbour"}, scope=BOB)
    home.ana.forget(scope=ANA)
    later = home.ana.judge("Bash", {"command": "echo later"}, scope=ANA)
    home.ana.maintain("erase")
    for gone in (packet.packet_id, verdict.verdict_id):
        with pytest.raises(NotFoundError):
            home.ana.why(gone)
    for there in (stays.verdict_id, later.verdict_id):
        assert home.ana.why(there) is not None
    payloads = kept(home)
    assert (b"quayside" in payloads, b"harbour" in payloads, b"echo later" in payloads) == (False, True, True)
    audit = home.ana.verify(views=True)
    assert (audit.holds, audit.views) == (True, "equal")


def test_requests_of_an_erased_person_go_and_others_stay(home: World) -> None:
    """By whom it was asked, wherever that was."""
    bob = home.memory("person:bob")
    bob.remember("I like tea", scope=BOB)
    bob.recall("quayside lanterns?", scope=BOB)
    home.ana.recall("harbour lights?", scope=BOB)
    home.ana.forget(principal="person:bob")
    home.ana.maintain("erase")
    assert (b"quayside" in kept(home), b"harbour lights" in kept(home)) == (False, True)


def test_a_permit_goes_with_the_verdict_that_it_is_of() -> None:
    """Whatever is said of it too, in the same run of the job."""
    with world() as house:
        permitted(house)
        assert "permit.issued" in types(house)
        house.ana.forget(scope=PROJECT)
        house.ana.maintain("erase")
        assert not {each for each in types(house) if each.startswith(("verdict.", "permit."))}
        assert house.ana.verify(views=True).views == "equal"


def types(home: World) -> set[str]:
    """Of the events of the ledger that have a payload."""
    with home.app.session(principal="person:ana", adopts=False).store.read() as reading:
        return {each.envelope.type for each in reading.events(Chain.LEDGER) if each.payload is not None}


def test_what_a_hold_keeps_of_it_stays(home: World) -> None:
    """The hold is on the scope; the control: without it they go."""
    told(home.ana, "Rome")
    home.ana.recall("quayside lanterns?", scope=(*ANA, "project:void"))
    hold = home.ana.hold(scope=ANA)
    home.ana.forget(scope=ANA)
    home.ana.maintain("erase")
    assert b"quayside" in kept(home)
    home.ana.release_hold(hold.hold_id)
    home.ana.maintain("erase")
    assert b"Rome" not in kept(home)


def test_names_in_a_hold_that_was_released_go(home: World) -> None:
    """The controls: those of a hold that is in force stay, and those of another subject."""
    told(home.ana, "Rome", subject="user:quayside")
    for name in ("user:quayside", "user:harbour"):
        home.ana.release_hold(home.ana.hold(subject=name).hold_id)
    home.ana.hold(subject="user:quayside/pier")
    home.ana.forget(subject="user:quayside")
    home.ana.maintain("erase")
    payloads = kept(home)
    assert (b'"user:quayside"' in payloads, b"user:harbour" in payloads) == (False, True)
    assert b"user:quayside/pier" in payloads, "it is in force"
    assert home.ana.verify(views=True).views == "equal"


def test_the_name_of_a_file_goes_with_what_was_imported_from_it(tmp_path: Path) -> None:
    """And that of its run. The control: another file's stays."""
    with world(policy=PEOPLE) as home:
        for name, scope in (("quayside", ANA), ("harbour", BOB)):
            rows = [{"content": f"{name} {n}", "run_id": f"run-{name}", "scope": list(scope)} for n in range(2)]
            file = tmp_path / f"{name}.jsonl"
            file.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
            home.ana.import_trace(file, scope=scope)
        assert b"quayside.jsonl" in kept(home)
        home.ana.forget(scope=ANA)
        home.ana.maintain("erase")
        assert (b"quayside" in kept(home), b"harbour.jsonl" in kept(home)) == (False, True)
        assert home.ana.verify(views=True).views == "equal"


def test_a_refusal_of_what_was_erased_does_not_say_where_it_came_from(home: World) -> None:
    """Else an import that runs again would write down what was erased. The control: another refusal says it."""
    gone = home.ana.remember("I like tea", scope=ANA, source_ref="chat:quayside").record_id
    home.ana.forget(record=gone)
    home.ana.maintain("erase")
    assert home.ana.remember("I like tea", scope=ANA, source_ref="chat:quayside").outcome == "refused"
    home.ana.remember("never mind", scope=ANA, source_ref="chat:harbour", consent="denied")
    assert (b"quayside" in kept(home), b"chat:harbour" in kept(home)) == (False, True)

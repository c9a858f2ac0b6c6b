"""Drills: what they find is so, what is broken they find, and they leave nothing, interrupted or not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from worlds import PROJECT, World, code_of, world

from heedful.adapters.residue import FolderResidue
from heedful.adapters.storage.sqlite.erasure import ErasureWriting
from heedful.adapters.storage.sqlite.store import SqliteTenantStore
from heedful.kernel.errors import FaultError
from heedful.ports.erasure import Scrubbed
from heedful.service.drilling import doors, erasure, revocation
from heedful.service.drilling.drill import drill
from heedful.service.drilling.leftovers import planted_in
from heedful.service.drilling.report import DrillReport, is_report_signed
from heedful.service.erasure import stages
from heedful.service.keeping.remember import Remembered, remember
from heedful.service.keeping.statements import RememberTexts
from heedful.service.session import Session
from heedful.testing.stores import EmptyPostgresDatabase

SMALL: dict[str, Any] = {"inline_bytes_max": 400}


@pytest.fixture(name="home")
def home_fixture(tmp_path: Path) -> Iterator[World]:
    """A store in a folder, where content of a few hundred bytes lies in the blob store."""
    with world(tmp_path, **SMALL) as made:
        yield made


def session_of(home: World, principal: str = "person:ana") -> Session:
    """A person's session."""
    return home.app.session(principal=principal)


def drilled(home: World, name: str) -> DrillReport:
    """The report, of the files of its folder where it has one."""
    residue = None if home.folder is None else FolderResidue(home.folder)
    return drill(session_of(home), name, scope=PROJECT, residue=residue)


def outcomes(report: DrillReport, *wanted: str) -> set[str]:
    """The checks that came out so."""
    return {each.name for each in report.checks if each.outcome in wanted}


def planted(home: World) -> int:
    """How many records of drills are there."""
    with session_of(home).store.read() as reading:
        return len(planted_in(reading))


def test_an_erasure_drill_holds_and_leaves_nothing(home: World) -> None:
    """Every check, that of the files too; what the store is used for is as it was."""
    kept = home.ana.remember("Nothing ships before the audit ends.")
    before = home.ana.recall("When does the audit end?")
    report = drilled(home, "erasure")
    assert report.holds
    assert outcomes(report, "failed", "control-failed", "not-reached") == set()
    wanted = {each.name for each in doors.DOORS} | {"hold", "survivor", "in-flight", "again", "files", "verify"}
    assert wanted <= outcomes(report, "held")
    assert report.stage == "scrubbed"
    assert planted(home) == 0
    after = home.ana.recall("When does the audit end?")
    assert [each.item_id for each in after.items] == [each.item_id for each in before.items] == [kept.record_id]
    assert home.ana.verify(views=True).views == "equal"


def test_a_revocation_drill_holds_and_leaves_nothing(home: World) -> None:
    """The claim and what rests on it are quarantined, what was made from it is no evidence; how long it took is told."""
    report = drilled(home, "revocation")
    assert report.holds
    assert outcomes(report, "held") == {
        "recall", "claim", "dependant", "summary", "survivor", "cleaned", "verify",
    }  # fmt: skip
    assert {"revoke", "out of sight"} <= {each.name for each in report.took}
    assert planted(home) == 0


def test_an_erasure_drill_holds_on_postgresql(emptied_database: EmptyPostgresDatabase) -> None:
    """As on SQLite; its files are a server's, which is told."""
    with world(database=emptied_database, **SMALL) as home:
        report = drilled(home, "erasure")
        assert outcomes(report, "failed", "control-failed") == set()
        assert outcomes(report, "not-reached") == {"files"}
        assert planted(home) == 0


def test_the_report_is_signed_as_it_is(home: World) -> None:
    """By the store's key. The control: with one word changed, or under another store's key, it is not."""
    report = drilled(home, "revocation")
    keys = home.ana.signing_keys()
    assert is_report_signed(report, keys)
    assert not is_report_signed(replace(report, holds=False), keys)
    with world() as other:
        assert not is_report_signed(report, other.ana.signing_keys())


def _nothing(*_given: object, **_named: object) -> None:
    """Does nothing of what it is to do."""


FAULTS: dict[str, tuple[Any, str, Callable[..., object]]] = {
    "rows": (ErasureWriting, "delete_claims", _nothing),
    "blob": (stages, "unlink_blobs", _nothing),
    "files": (SqliteTenantStore, "scrub_storage", lambda *_given: Scrubbed()),
}


@pytest.mark.parametrize("check", FAULTS)
def test_what_is_broken_is_found(home: World, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one step of erasing taken away, the check that is for it fails, and the report does not hold."""
    target, name, instead = FAULTS[check]
    monkeypatch.setattr(target, name, instead)
    report = drilled(home, "erasure")
    assert check in outcomes(report, "failed")
    assert not report.holds


def test_a_refusal_for_another_reason_shows_nothing(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what comes back is kept out by chance, nobody looked whether it was erased; nor where a file is not read."""
    texts = RememberTexts(derived_from=("01a2329b-1c35-705e-8307-b3509c962661",))

    def elsewhere(session: Session, text: str, **named: Any) -> Remembered:
        return remember(session, text, **named | {"texts": texts})

    monkeypatch.setattr(erasure, "remember", elsewhere)
    look = FolderResidue.look
    monkeypatch.setattr(FolderResidue, "look", lambda *given: replace(look(*given), unread=("locked",)))
    report = drilled(home, "erasure")
    assert outcomes(report, "failed") >= {"in-flight", "again"}
    assert "files" in outcomes(report, "not-reached")


def test_a_look_that_finds_nothing_before_shows_nothing(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A door that is always shut fails as a control, and with it the report."""
    monkeypatch.setattr(revocation, "finds_packet", lambda *_given: False)
    report = drilled(home, "revocation")
    assert outcomes(report, "control-failed") == {"recall"}
    assert not report.holds


def test_an_interrupted_drill_is_cleaned_up_by_the_next(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records and its hold. What somebody keeps in a scope of that name is theirs, and stays."""
    theirs = home.ana.remember("Ours.", scope=["heedful-drill:ours"])
    with monkeypatch.context() as patched:
        patched.setattr(erasure, "release_hold", _stopped)
        assert code_of(lambda: drilled(home, "erasure")) == "stopped"
    assert planted(home) > 0
    assert len(home.ana.holds()) == 1
    report = drilled(home, "revocation")
    assert report.holds
    assert report.cleaned_up > 0
    assert (planted(home), home.ana.holds()) == (0, ())
    assert home.ana.show(theirs.record_id)


def _stopped(*_given: object) -> None:
    raise FaultError("stopped", "the machine went down")


def test_one_drill_runs_at_a_time(home: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another is refused while it runs, so that they do not erase each other's canaries."""
    met: list[str] = []

    def meanwhile(*_given: object) -> bool:
        met.append(code_of(lambda: drilled(home, "erasure")))
        return True

    monkeypatch.setattr(revocation, "finds_survivor", meanwhile)
    assert drilled(home, "revocation").holds
    assert set(met) == {"drill_running"}


def test_who_may_not_erase_and_audit_drills_nothing(home: World) -> None:
    """A reviewer, an auditor, an agent; and of a drill that there is not. Nothing was planted."""
    for who in ("person:bob", "person:aud", "agent:planner"):
        assert code_of(lambda who=who: drill(session_of(home, who), "erasure", scope=PROJECT)) == "principal_may_not"  # type: ignore[misc]
    assert code_of(lambda: drilled(home, "restore")) == "choice_unknown"
    assert planted(home) == 0


def test_others_write_while_it_runs(home: World) -> None:
    """Whatever they keep is there afterwards, and the drill holds."""
    ended = threading.Event()
    kept: list[str] = []

    def write() -> None:
        while not ended.is_set() and len(kept) < 20:
            kept.append(home.ana.remember(f"Work goes on, {len(kept)}.").record_id)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        report = drilled(home, "erasure")
    finally:
        ended.set()
        writer.join()
    assert report.holds
    assert all(home.ana.show(each) for each in kept)


def test_the_report_is_one_json_document(home: World, tmp_path: Path) -> None:
    """With `out`, in a file, which tells no canary and nothing of the store."""
    home.ana.remember("The safe is behind the picture.")
    report = home.ana.drill("revocation", out=tmp_path / "drill.json")
    read = json.loads((tmp_path / "drill.json").read_text("utf-8"))
    assert (read["what"], read["signature"], read["holds"]) == ("heedful drill", report.signature, True)
    assert "picture" not in json.dumps(read)
    before = home.ana.status().counts
    assert code_of(lambda: home.ana.drill("revocation", out=tmp_path / "drill.json")) == "proof_file_exists"
    assert home.ana.status().counts == before, "nothing was planted for a report that has no place"

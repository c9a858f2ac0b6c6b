"""Power cuts at the system calls of every write path: no state that they leave loses, halves or damages anything."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from durability_modules import (
    Ack,
    Findings,
    new_store,
    power_check,
    power_cuts,
    power_disk,
    power_events,
    power_runs,
    power_trace,
    settings_in,
)

from heedful import bootstrap
from heedful.settings import DEFAULT_TENANT

STATES = 5_000
CONTROL_STATES = 150
KEPT = power_disk.Mode("none", "kept")
LOST = power_disk.Mode("all", "lost")
COIN = random.Random(1)


def test_no_power_cut_loses_halves_or_damages_anything(tmp_path: Path) -> None:
    """5,000 states, evenly over all calls and modes; each is opened by the product and verified."""
    outcome = power_cuts.cut_power(tmp_path, "as-is", STATES)
    found = outcome.findings
    assert found.lost + found.half + found.broken == []
    assert outcome.states == STATES
    assert {f"{mode.data}/{mode.names}" for mode in power_disk.MODES} == set(outcome.modes)


@pytest.mark.parametrize("variant", power_cuts.CONTROLS)
def test_a_writer_that_keeps_less_than_it_says_is_found_out(tmp_path: Path, variant: str) -> None:
    """The controls: without them a check that finds nothing says nothing."""
    outcome = power_cuts.cut_power(tmp_path, variant, CONTROL_STATES)
    assert outcome.findings.lost != []


def test_without_strace_it_fails_and_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never a skip: a gate that is not there must not look like one that is open."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(power_trace.TraceError, match="strace is missing: `apt-get install strace`"):
        power_cuts.cut_power(tmp_path / "x", "as-is", 1)


def _events(tmp_path: Path, *lines: str) -> list[power_events.Event]:
    path = tmp_path / "trace.txt"
    path.write_text("".join(f"7 {line}\n" for line in lines))
    return list(power_events.events(path, tmp_path / "root"))


def _hex(text: str) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


def _open(tmp_path: Path, name: str, number: int, flags: str = "O_RDWR|O_CREAT") -> str:
    return f"openat(AT_FDCWD, {_hex(f'{tmp_path}/root/{name}')}, {flags}, 0644) = {number}"


@pytest.mark.parametrize(
    "call",
    [
        "copy_file_range(3, NULL, 4, NULL, 10, 0) = 10",
        "fallocate(3, 0, 0, 4096) = 0",
        "pwritev2(3, [], 0, 0, 0) = 10",
        "sync_file_range(3, 0, 0, 0) = 0",
        "io_uring_enter(3, 1, 1, 0, NULL, 8) = 1",
        "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000000000",
        "clone(child_stack=NULL, flags=SIGCHLD) = 8",
        'write(3, "\\x61"..., 10) = 10',
        "a_call_of_the_future(3) = 0",
        "not a call at all",
    ],
)
def test_a_call_that_is_not_modelled_ends_the_run(tmp_path: Path, call: str) -> None:
    """What might change a file unseen is refused, and what can't be read as well."""
    with pytest.raises(power_trace.TraceError):
        _events(tmp_path, _open(tmp_path, "a", 3, "O_WRONLY|O_CREAT"), call)


def _disk(tmp_path: Path, *lines: str) -> power_disk.Disk:
    disk = power_disk.Disk()
    for event in _events(tmp_path, *lines):
        disk.apply(event)
    return disk


def test_what_was_not_synced_may_be_gone(tmp_path: Path) -> None:
    """Bytes after the last fsync of their file, and names after the last fsync of their folder."""
    root = _hex(f"{tmp_path}/root")
    disk = _disk(
        tmp_path,
        _open(tmp_path, "a", 3),
        f"pwrite64(3, {_hex('kept')}, 4, 0) = 4",
        "fdatasync(3) = 0",
        f"pwrite64(3, {_hex('more')}, 4, 4) = 4",
        f"openat(AT_FDCWD, {root}, O_RDONLY|O_CLOEXEC) = 4",
        "fsync(4) = 0",
        _open(tmp_path, "b", 5),
        "fdatasync(5) = 0",
    )
    assert dict(disk.state(disk.cut(KEPT, COIN))) == {"a": b"kept", "b": b""}
    assert dict(disk.state(disk.cut(LOST, COIN))) == {"a": b"keptmore"}


def test_a_write_may_be_torn_at_its_sectors(tmp_path: Path) -> None:
    """Each 512 bytes of it are the new ones or the old ones, and never a mix."""
    old, new = "o" * 2048, "n" * 2048
    disk = _disk(
        tmp_path,
        _open(tmp_path, "a", 3),
        f"pwrite64(3, {_hex(old)}, 2048, 0) = 2048",
        "fdatasync(3) = 0",
        f"pwrite64(3, {_hex(new)}, 2048, 0) = 2048",
    )
    torn = power_disk.Mode("torn", "kept")
    states = {dict(disk.state(disk.cut(torn, random.Random(seed))))["a"] or b"" for seed in range(200)}
    assert len(states) == 16
    assert all(set(state[at : at + 512]) in ({ord("o")}, {ord("n")}) for state in states for at in range(0, 2048, 512))


def test_an_fsync_that_failed_covers_nothing(tmp_path: Path) -> None:
    """The bytes are gone, whatever a later fsync says; those written after it are not."""
    disk = _disk(
        tmp_path,
        _open(tmp_path, "a", 3),
        f"pwrite64(3, {_hex('gone')}, 4, 0) = 4",
        "fdatasync(3) = -1 EIO (Input/output error) (INJECTED)",
        f"pwrite64(3, {_hex('kept')}, 4, 4) = 4",
        "fdatasync(3) = 0",
    )
    assert dict(disk.state(disk.cut(KEPT, COIN))) == {"a": b"\0\0\0\0kept"}


def test_a_permit_that_a_cut_would_give_back_is_found_out(tmp_path: Path) -> None:
    """The control of the check: told of a redemption that the store lost, or of a permit that it lost, it complains."""
    settings = replace(settings_in(tmp_path), store=str(tmp_path))

    new_store(tmp_path, packs=("base",)).close()
    with bootstrap.open_store(settings) as app:
        memory = power_runs.memory_of_runs(app)
        permit = memory.judge("Ship", power_runs.SHIP, scope=power_runs.STAGING).permit
    assert permit is not None
    issued = Ack("permit", permit.permit_id, permit.token)

    def found(ack: Ack) -> list[str]:
        findings = Findings()
        with bootstrap.open_store(settings) as app:
            power_runs.check_permits(app, [issued, ack], findings)
        return findings.lost

    again = f"permit {permit.permit_id} is redeemed 2 times"
    assert found(Ack("redeemed", permit.permit_id)) == [again]
    # It is used now, so that nobody had used it is false: a second one is not good any more.
    assert found(Ack("permit", permit.permit_id, permit.token)) == [
        f"permit {permit.permit_id}, which nobody had used, is not good"
    ]
    assert found(Ack("redeeming", permit.permit_id)) == []


def test_a_head_inside_of_a_transaction_is_torn_and_one_that_is_behind_is_lost(tmp_path: Path) -> None:
    """The control of the check: told of other ends of the chains than the store has, it complains."""
    with new_store(tmp_path) as memory:
        revision = memory._session.registry.revision
        memory.remember("one")
    heard = power_check.Heard()
    heard.acks.append(Ack("init", DEFAULT_TENANT, revision))
    heard.hear(b'{"sort": "may-be", "tenant": "default", "ledger": "1:aa", "access": "0:00"}')
    assert "inside of a transaction" in power_check.check_state(tmp_path, heard, thorough=False).half[0]
    heard.hear(b'{"sort": "is", "tenant": "default", "ledger": "9:aa", "access": "0:00"}')
    assert "ends at" in power_check.check_state(tmp_path, heard, thorough=False).lost[0]
    heard.acks.append(Ack("init", "second", revision))
    assert "tenant second" in power_check.check_state(tmp_path, heard, thorough=False).lost

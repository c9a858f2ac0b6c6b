"""PostgreSQL that is killed while it is written to: what was acknowledged is there after its recovery."""

from __future__ import annotations

from pathlib import Path

from durability_modules import server_kills

from heedful.testing.postgres import postgres_server


def test_a_killed_server_loses_nothing_and_the_store_goes_on(tmp_path: Path) -> None:
    """A small round of bench/server_kills.py, with its control: refused writes taken for acknowledged are missed."""
    with postgres_server() as server:
        outcome = server_kills.kill_server(tmp_path / "store", server, 2, seed=3)
    found = outcome.findings
    assert found.lost + found.half + found.broken == []
    assert outcome.acks != []
    assert set(outcome.refused) <= {"store_unavailable", "blob_store_unavailable", "commit_unknown"}
    assert outcome.control.lost != []

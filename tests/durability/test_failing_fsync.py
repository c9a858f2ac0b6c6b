"""An fsync that fails in the system itself, and a power cut afterwards: what was acknowledged is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from durability_modules import power_fsyncs


@pytest.mark.parametrize(("call", "numbers"), [("fsync", range(2, 30, 6)), ("fdatasync", range(5, 46, 8))])
def test_what_is_acknowledged_around_a_failed_fsync_stays(tmp_path: Path, call: str, numbers: range) -> None:
    """One call in several fails; the writer goes on as far as the store lets it. bench/power_cuts.py fails each."""
    failed = power_fsyncs.fail_fsyncs(tmp_path, "go-on", call, numbers)
    assert failed.struck == len(numbers)
    found = failed.findings
    assert found.lost + found.half + found.broken == []


def test_a_store_that_latches_nothing_is_found_out(tmp_path: Path) -> None:
    """The control: with nothing to stop it, the store acknowledges content whose name the disk has dropped."""
    failed = power_fsyncs.fail_fsyncs(tmp_path, "go-on-unlatched", "fsync", range(19, 28, 2))
    assert failed.findings.lost != []

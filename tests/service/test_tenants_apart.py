"""Tenants: a hard wall. Nothing of one is there for the other, whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import DEPLOY, FREEZE, QUESTION, code_of, world

from heedful.kernel.ids import PrincipalId
from heedful.ports.store import Chain


@pytest.mark.parametrize("place", ["memory", "file", "database"])
def test_nothing_crosses_between_tenants(tmp_path: Path, place: str, request: pytest.FixtureRequest) -> None:
    """Records, claims, verdicts, packets, modes, source references and counts are a tenant's own."""
    database = request.getfixturevalue("emptied_database") if place == "database" else None
    with world(tmp_path if place == "file" else None, database=database) as house:
        house.app.add_tenant("acme", PrincipalId("person:ana"))
        ours, theirs = house.memory("person:ana"), house.memory("person:ana", tenant="acme")
        before = theirs.status()
        kept = ours.remember("frozen corrected invoices", kind=FREEZE, source_ref="ticket/1")
        ids = (
            kept.record_id,
            kept.claims[0].claim_id,
            ours.judge("Bash", DEPLOY).verdict_id,
            ours.recall(QUESTION, impact="execute").packet_id,
        )
        ours.set_mode("pre-router", "off", reason="here alone")

        for item_id in ids:
            assert ours.why(item_id).item_id == item_id
            assert code_of(lambda item_id=item_id: theirs.why(item_id)) == "item_not_found"  # type: ignore[misc]
            assert code_of(lambda item_id=item_id: theirs.approve(item_id)) == "item_not_found"  # type: ignore[misc]
        assert theirs.recall("frozen corrected invoices").items == ()
        assert theirs.status() == before
        assert not theirs.remember("something else", source_ref="ticket/1").duplicate
        assert house.events(Chain.ACCESS, "acme") == []
        assert theirs.verify(views=True).holds


def test_a_tenant_that_is_not_there_is_not_found_and_a_name_is_taken_once(tmp_path: Path) -> None:
    """Names compare by bytes."""
    with world(tmp_path) as house:
        house.app.add_tenant("acme", PrincipalId("person:ana"))

        assert code_of(lambda: house.memory("person:ana", tenant="Acme")) == "tenant_not_found"
        assert code_of(lambda: house.app.add_tenant("acme", PrincipalId("person:ana"))) == "tenant_taken"
        assert code_of(lambda: house.app.add_tenant("a\nb", PrincipalId("person:ana"))) == "name_malformed"


def test_blobs_and_files_of_two_tenants_share_no_name(tmp_path: Path) -> None:
    """The same content lies under two names, which are keyed by tenant."""
    with world(tmp_path, inline_bytes_max=10) as house:
        house.app.add_tenant("acme", PrincipalId("person:ana"))
        for tenant in ("default", "acme"):
            house.memory("person:ana", tenant=tenant).remember("the same words for both of them")
    blobs = [path.name for path in (tmp_path / "blobs").rglob("*") if path.is_file()]

    assert len(blobs) == len(set(blobs)) == 2

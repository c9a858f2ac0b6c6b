"""Whatever happened: the chain holds, a refold gives the live views, and nothing is believed without its grounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from histories import COMMAND, HISTORY, REVIEWERS, Command, Player, player
from hypothesis import given, settings

from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.lifecycle import POLICY_ACTOR, TRANSITIONS
from heedful.kernel.ids import ClaimId, PrincipalId
from heedful.kernel.ladder import Classification, Consent, Tier
from heedful.ledger.events import AnyEvent, ClaimApproved, ClaimProposed, ClaimTransitioned
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed
from heedful.observations.grade import DATA_GRADES, tier_for
from heedful.observations.record import Channel, RecordStatus, SourceGrade
from heedful.ports.store import Chain, Reading, Tenant, Writing
from heedful.service.project import refold


def check_all(played: Player) -> None:
    """Promises 3 to 6 of the design's section 13, after the history."""
    audit = played.memory("person:ana").verify(views=True)
    assert audit.holds
    assert audit.views == "equal"
    events = played.events()
    used = [event.permit_id for event in events if isinstance(event, PermitRedeemed)]
    assert len(set(used)) == len(used)
    assert set(used) <= {event.permit_id for event in events if isinstance(event, PermitIssued)}
    with played.app.session(principal="person:ana", adopts=False).store.read() as reading:
        for chain in Chain:
            positions = [sealed.envelope.position for sealed in reading.events(chain)]
            assert positions == list(range(1, reading.head(chain).position + 1))
        assert reading.checkpoint() == reading.head(Chain.LEDGER).position
        assert dump_of(refolded_elsewhere(reading, played)) == list(reading.dump_views())
        for claim in claims_of(reading, events):
            check_claim(reading, claim, events)


def claims_of(reading: Reading, events: list[AnyEvent]) -> list[Claim]:
    """Every claim that was ever proposed."""
    found = [reading.claim(event.claim_id) for event in events if isinstance(event, ClaimProposed)]
    return [claim for claim in found if claim is not None]


def check_claim(reading: Reading, claim: Claim, events: list[AnyEvent]) -> None:
    """Nothing active without evidence and approval; nothing above the word that it stands on."""
    stored = [reading.record(record_id) for record_id in claim.evidence]
    records = [each.record for each in stored if each is not None]
    assert len(records) == len(claim.evidence) > 0
    assert claim.tier <= max(tier_for(record.grade) for record in records)
    assert claim.tier is not Tier.CORROBORATED, "one record corroborates nothing"
    assert all(record.classification <= claim.classification for record in records)
    if all(record.grade in DATA_GRADES or record.grade is SourceGrade.AGENT for record in records):
        assert claim.form not in (Form.CONSTRAINT, Form.WORKFLOW)
    if claim.status is ClaimStatus.ACTIVE:
        assert any(each is not None and each.status is RecordStatus.ADMITTED for each in stored)
        assert records[0].consent is not Consent.DENIED
        check_approved(claim, records[0].channel, history_of(claim.claim_id, events))


def history_of(claim_id: ClaimId, events: list[AnyEvent]) -> list[ClaimApproved | ClaimTransitioned]:
    """The claim's moves and approvals, each move being legal."""
    found = [
        event for event in events if isinstance(event, ClaimApproved | ClaimTransitioned) and event.claim_id == claim_id
    ]
    for event in found:
        if isinstance(event, ClaimTransitioned):
            assert (ClaimStatus(event.from_status), ClaimStatus(event.to_status)) in TRANSITIONS
    return found


def check_approved(claim: Claim, channel: Channel, history: list[ClaimApproved | ClaimTransitioned]) -> None:
    """By policy under all of its conditions, or by as many others as its risk takes, since it was last quarantined."""
    last = history[-1]
    assert isinstance(last, ClaimTransitioned)
    if last.actor == POLICY_ACTOR:
        assert channel is not Channel.AGENT
        assert claim.form in (Form.FACT, Form.PREFERENCE)
        assert (claim.classification, claim.consent) == (Classification.NORMAL, Consent.EXPLICIT)
        assert claim.approvals == ()
        return
    approvers = claim.approvals
    risky = claim.kind in ("release.freeze", "data.legal-hold") or claim.classification is Classification.RESTRICTED
    assert len(set(approvers)) == len(approvers) >= (2 if risky else 1)
    assert set(approvers) <= set(REVIEWERS) - {claim.proposed_by}
    quarantined = [
        place
        for place, event in enumerate(history)
        if isinstance(event, ClaimTransitioned) and event.to_status == ClaimStatus.QUARANTINED
    ]
    since = history[max(quarantined, default=-1) + 1 :]
    assert [event.actor for event in since if isinstance(event, ClaimApproved)] == list(approvers)


def refolded_elsewhere(reading: Reading, played: Player) -> SqliteStore:
    """A store that never saw the history, only its sealed events, folded once from the first to the last."""
    fresh = SqliteStore.in_memory()
    tenant = played.app.store.tenants()[0]
    fresh.create_tenant(Tenant(tenant.tenant_id, tenant.name, tenant.created_at_us))
    sealed = list(reading.events(Chain.LEDGER))

    def work(writing: Writing) -> None:
        for each in sealed:
            writing.append(Chain.LEDGER, each)
        assert refold(writing, lambda record: record.content, progress=lambda _position: None) == len(sealed)

    fresh.tenant_store(tenant.tenant_id).write(work)
    return fresh


def dump_of(store: SqliteStore) -> list[bytes]:
    """Every row of the only tenant's views; the store is closed."""
    with store.tenant_store(store.tenants()[0].tenant_id).read() as reading:
        rows = list(reading.dump_views())
    store.close()
    return rows


def play_and_check(history: list[Command], *, in_folder: bool) -> None:
    """The history, played on an empty store, and then every promise."""
    with TemporaryDirectory() as name:
        folder = Path(name) / "store" if in_folder else None
        with player(Path(name), folder) as played:
            for command in history:
                played.play(command)
            check_all(played)


@settings(max_examples=60)
@given(HISTORY)
def test_every_history_in_memory_refolds_to_its_views(history: list[Command]) -> None:
    """Remembering, importing, reviewing, withdrawing, switching, judging, two registries, and time that passes."""
    play_and_check(history, in_folder=False)


@settings(max_examples=10)
@given(HISTORY)
def test_every_history_in_files_refolds_to_its_views(history: list[Command]) -> None:
    """The same on files."""
    play_and_check(history, in_folder=True)


@settings(max_examples=40)
@given(HISTORY, COMMAND)
def test_one_command_more_only_appends(history: list[Command], command: Command) -> None:
    """What the ledger has committed to before is a prefix of what it has afterwards; an erasure takes payloads alone."""
    with TemporaryDirectory() as name, player(Path(name)) as played:
        for each in history:
            played.play(each)
        before = played.digests()
        played.play(command)
        assert played.digests()[: len(before)] == before


def everything(played: Player) -> str:
    """A history in which each verb leaves something; the id of its active claim."""
    bob, cyd, ana = (played.memory(who) for who in ("person:bob", "person:cyd", "person:ana"))
    kept = ana.remember("Nothing goes out.", kind="release.freeze", scope=["project:payments"])
    claim_id = kept.claims[0].claim_id
    for reviewer in (bob, cyd):
        reviewer.approve(claim_id)
    ana.set_mode("deploy", "enforce", reason="r")
    for verb in ("import", "judge", "outcome", "recall", "registry", "import"):
        played.play(Command(verb, "person:ana", 6))
    return claim_id


def _wrong_claim(writing: Writing, claim: Claim) -> None:
    writing.put_claim(replace(claim, confidence=0.25))


def _wrong_status(writing: Writing, claim: Claim) -> None:
    writing.put_claim(replace(claim, approvals=(PrincipalId("person:eve"),)))


def _unsearched(writing: Writing, claim: Claim) -> None:
    writing.delete_search_row(claim.position)


def _switched(writing: Writing, _claim: Claim) -> None:
    writing.put_mode("action-class", "deploy", None)


def _withdrawn(writing: Writing, claim: Claim) -> None:
    stored = writing.record(claim.evidence[0])
    assert stored is not None
    writing.put_record(replace(stored, status=RecordStatus.WITHDRAWN))


@pytest.mark.parametrize("wrong", [_wrong_claim, _wrong_status, _unsearched, _switched, _withdrawn])
def test_control_a_wrong_view_write_is_found(wrong: Callable[[Writing, Claim], None], tmp_path: Path) -> None:
    """A write past the ledger makes the comparison fail, however small it is; the chain itself still holds."""
    with player(tmp_path, tmp_path / "store") as played:
        claim_id = everything(played)
        check_all(played)
        store = played.app.session(principal="person:ana").store

        def work(writing: Writing) -> None:
            claim = writing.claim(ClaimId(claim_id))
            assert claim is not None
            wrong(writing, claim)

        store.write(work)
        audit = played.memory("person:ana").verify(views=True)
        assert audit.ledger.broken is None
        assert audit.views == "different"
        with pytest.raises(AssertionError):
            check_all(played)

"""Remember: what is kept, as whose word, once, and never with a secret in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import FREEZE, PROJECT, World, code_of, house_fixture, transcript, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.claims.claim import Claim
from heedful.ledger.events import RecordRefused
from heedful.ports.store import StoredRecord

SECRET = "hunter2-Zq9!"
LINE = "remember: release.freeze: Nothing goes out before Friday. until=2026-12-04"


def record_of(house: World, record_id: str) -> StoredRecord:
    """The record as the owner sees it."""
    item, _ = house.ana.show(record_id)
    assert isinstance(item, StoredRecord)
    return item


def claim_of(house: World, claim_id: str) -> Claim:
    """The claim as the owner sees it."""
    item, _ = house.ana.show(claim_id)
    assert isinstance(item, Claim)
    return item


def test_a_statement_is_admitted_and_comes_back_whole(house: World) -> None:
    """NUL, Chinese, Arabic and emoji are ordinary content, and bytes that are no text come back as bytes."""
    text = "NUL \0, 冻结, عربي, 👩\u200d💻"
    kept, raw = house.ana.remember(text), house.ana.remember(b"\xff\0\xfe")

    assert (kept.outcome, kept.duplicate) == ("admitted", False)
    assert record_of(house, kept.record_id).record.content == text
    assert record_of(house, raw.record_id).record.content_base64 == b"\xff\0\xfe"


def test_what_an_agent_calls_sensitive_waits_and_what_a_person_calls_so_does_not(house: World) -> None:
    """Through an agent's door a sensitive record is pending, with its claim merely proposed."""
    told = {"kind": FREEZE, "classification": "sensitive"}
    by_agent = house.agent.remember("frozen", **told)  # type: ignore[arg-type]
    by_person = house.ana.remember("frozen", **told)  # type: ignore[arg-type]

    assert (by_agent.outcome, by_agent.claims[0].status) == ("pending", "proposed")
    assert (by_person.outcome, by_person.claims[0].status) == ("admitted", "evidence-verified")


def test_a_pending_record_is_not_found_until_it_is_confirmed(house: World) -> None:
    """What waits is no evidence: recall does not see it."""
    kept = house.agent.remember("the elephant is grey", classification="sensitive")
    before = house.ana.recall("elephant").items
    house.bob.approve(kept.record_id)

    assert before == ()
    assert [item.item_id for item in house.ana.recall("elephant").items] == [kept.record_id]


def test_denied_consent_is_refused_and_leaves_no_content(house: World) -> None:
    """The ledger has the refusal and its reason, and nothing of what was said."""
    refused = house.ana.remember("my salary is a zebra", consent="denied")

    assert (refused.outcome, refused.reasons) == ("refused", ("consent-denied",))
    assert isinstance(house.events()[-1], RecordRefused)
    assert not any("zebra" in repr(event) for event in house.events())
    assert code_of(lambda: house.ana.show(refused.record_id)) == "item_not_found"


def test_the_same_source_reference_keeps_a_statement_once(house: World) -> None:
    """A retry writes nothing and returns the record and its claims as they stand."""
    first = house.ana.remember("frozen", kind=FREEZE, source_ref="ticket/1")
    count = len(house.events())
    again = house.ana.remember("frozen", kind=FREEZE, source_ref="ticket/1")

    assert (again.duplicate, again.record_id, again.claims) == (True, first.record_id, first.claims)
    assert len(house.events()) == count


def test_without_a_source_reference_the_same_words_are_two_records(house: World) -> None:
    """Nothing tells a retry from a new statement then."""
    assert house.ana.remember("x y").record_id != house.ana.remember("x y").record_id


@pytest.mark.parametrize("change", [{"content": "other"}, {"record_type": "document"}])
def test_a_source_reference_with_something_else_is_a_conflict(house: World, change: dict[str, str]) -> None:
    """Other content or another type: nothing is overwritten."""
    house.ana.remember("frozen", source_ref="ticket/1")
    told: dict[str, object] = {"content": "frozen", "source_ref": "ticket/1", **change}

    assert code_of(lambda: house.ana.remember(**told)) == "source_ref_reused"  # type: ignore[arg-type]


def test_a_duplicate_says_how_the_record_stands_now(house: World) -> None:
    """A retry of what waits is told so; what was withdrawn since is not taken up again."""
    kept = house.agent.remember("grey", classification="sensitive", source_ref="a")
    waiting = house.agent.remember("grey", classification="sensitive", source_ref="a")
    house.bob.reject(kept.record_id)
    withdrawn = house.agent.remember("grey", classification="sensitive", source_ref="a")

    assert (waiting.outcome, waiting.duplicate) == ("pending", True)
    assert (withdrawn.outcome, withdrawn.reasons) == ("refused", ("kept-before", "withdrawn"))


def test_a_denial_of_consent_under_a_known_reference_is_a_refusal(house: World) -> None:
    """It is no conflict of content: the gate refuses it like any other."""
    house.ana.remember("grey", source_ref="a")

    assert house.ana.remember("grey", source_ref="a", consent="denied").outcome == "refused"


@pytest.mark.parametrize("place", ["content", "kind", "value", "attributes", "question", "reason", "mode", "outcome"])
def test_a_secret_never_reaches_the_disk(tmp_path: Path, place: str) -> None:
    """Wherever a secret is given, no file of the store has its bytes; the text around it is kept."""
    said = f"the login is password={SECRET} and the marker is MARK"
    with world(tmp_path) as house:
        verdict_id = house.ana.judge("Bash", {"command": f"psql postgres://app:{SECRET}@db/shop"}).verdict_id
        ways: dict[str, Callable[[], object]] = {
            "content": lambda: house.ana.remember(said),
            "kind": lambda: house.ana.remember(said, kind=FREEZE),
            "value": lambda: house.ana.remember("x", kind=FREEZE, value=said),
            "attributes": lambda: house.ana.remember("x", attributes={"note": said}),
            "question": lambda: house.ana.recall(said, impact="execute"),
            "reason": lambda: house.bob.approve(house.freeze_proposed(), reason=said),
            "mode": lambda: house.ana.set_mode("pre-router", "shadow", reason=said),
            "outcome": lambda: house.ana.report_outcome(verdict_id, status="failed", text=said),
        }
        ways[place]()

    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in content for content in written)
    assert any(b"MARK" in content for content in written), "the control: the text itself was written"


def test_a_secret_in_a_claims_name_refuses_the_claim(house: World) -> None:
    """A name is never redacted, since two names could become one."""
    told = {"kind": FREEZE, "subject": "service:ghp_" + "a1B2" * 9}

    assert code_of(lambda: house.ana.remember("frozen", **told)) == "name_malformed"  # type: ignore[arg-type]


def test_content_over_the_inline_limit_lies_in_the_blob_store(tmp_path: Path) -> None:
    """The database has a name keyed by tenant, and the blob has the redacted content."""
    long = "z" * 70_000
    with world(tmp_path) as house:
        kept = house.ana.remember(f"{long} password={SECRET}")
        stored = record_of(house, kept.record_id).record
        assert stored.blob is not None
        content = house.app.blobs.get(house.app.store.tenants()[0].tenant_id, stored.blob.name)

    assert (stored.content, stored.content_base64) == (None, None)
    assert content.startswith(long.encode())
    assert SECRET.encode() not in content


def test_content_over_the_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    """Nothing is cut silently."""
    with world(tmp_path, content_bytes_max=100) as house:
        assert code_of(lambda: house.ana.remember("x" * 101)) == "content_too_long"
        assert house.ana.remember("x" * 100).outcome == "admitted"


def test_a_line_that_cannot_be_proposed_is_told_and_the_others_are_proposed(house: World) -> None:
    """One mistake in a message does not silence the rest of it."""
    kept = house.ana.remember(f"remember: x until=2026-01-01 until=2026-01-02\nremember: nokind.here: y\n{LINE}")

    assert [claim.kind for claim in kept.claims] == [FREEZE]
    assert ["statement_malformed" in kept.problems[0], "kind_unknown" in kept.problems[1]] == [True, True]
    assert len(kept.problems) == 2


def test_more_lines_than_are_read_are_told(house: World) -> None:
    """A hundred are proposed, and the caller hears that there were more."""
    kept = house.ana.remember("remember: a note\n" * 103)

    assert len(kept.claims) == 100
    assert "line 101" in kept.problems[0]


def test_a_low_risk_first_party_fact_with_explicit_consent_is_approved_by_policy(house: World) -> None:
    """All conditions must hold: without the consent, or through an agent, a person has to look."""
    told = {"kind": "note", "form": "fact"}

    def status(**more: str) -> str:
        return house.ana.remember("x", **told, **more).claims[0].status  # type: ignore[arg-type]

    assert status(consent="explicit") == "active"
    assert status() == "evidence-verified"
    assert status(consent="explicit", classification="sensitive") == "evidence-verified"
    assert house.agent.remember("x", **told, consent="explicit").claims[0].status == "evidence-verified"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"kind": "no.such"}, "kind_unknown"),
        ({"subject": "x"}, "kind_missing"),
        ({"value": False}, "kind_missing"),
        ({"kind": FREEZE, "form": "wish"}, "form_unknown"),
        ({"kind": FREEZE, "applies_to": ["no.such"]}, "action_class_unknown"),
        ({"kind": FREEZE, "since": "2026-12-02", "until": "2026-12-01"}, "validity_empty"),
        ({"kind": FREEZE, "until": "soon"}, "time_malformed"),
        ({"kind": FREEZE, "value": float("nan")}, "number_not_finite"),
        ({"kind": FREEZE, "value": 2**53}, "number_out_of_range"),
        ({"kind": FREEZE, "value": 10**400}, "number_out_of_range"),
        ({"kind": FREEZE, "value": "\ud800"}, "text_lone_surrogate"),
        ({"kind": FREEZE, "value": "x" * 2_000}, "attribute_too_long"),
        ({"kind": FREEZE, "subject": "a\nb"}, "name_malformed"),
        ({"classification": "secret"}, "choice_unknown"),
        ({"confidence": 2.0}, "number_out_of_range"),
        ({"scope": ["project:*"]}, "scope_wildcard"),
        ({"scope": "payments"}, "scope_malformed"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_kept(house: World, told: dict[str, object], code: str) -> None:
    """Each has its own code, and the ledger does not grow."""
    house.ana.status()
    count = len(house.events())

    assert code_of(lambda: house.ana.remember("frozen", **told)) == code  # type: ignore[arg-type]
    assert len(house.events()) == count


def test_a_statement_must_be_text(house: World) -> None:
    """Bytes alone can be kept; a claim says something in words."""
    assert code_of(lambda: house.ana.remember(b"\xff", kind=FREEZE)) == "statement_not_text"
    assert house.ana.remember(b"frozen", kind=FREEZE).claims[0].statement == "frozen"


def test_writing_needs_a_principal_and_a_granted_scope(house: World) -> None:
    """Deny by default; the answer does not say whether anything is there."""
    assert code_of(lambda: house.stranger.remember("x")) == "principal_may_not"
    assert code_of(lambda: house.dan.remember("x", scope=["project:other"])) == "scope_not_granted"
    assert code_of(lambda: house.dan.remember("x", scope=[])) == "scope_not_granted"
    assert house.dan.remember("x", scope=PROJECT).outcome == "admitted"
    assert house.ana.remember("x", scope=[]).outcome == "admitted"


def test_policy_keeps_forms_out_of_a_scope(house: World) -> None:
    """`allowed_forms` of a scope element is obeyed."""
    rule = '\n  scopes:\n    "project:payments": {allowed_forms: [fact]}\n    "user:*"'
    policy = house.policy.replace('\n  scopes:\n    "user:*"', rule)
    house.use(policy)

    assert code_of(lambda: house.ana.remember("frozen", kind=FREEZE)) == "form_not_allowed"
    assert house.ana.remember("frozen", kind="note").claims

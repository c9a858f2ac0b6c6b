"""Redeem: a permit is good for exactly what was judged, by whom, once, while all stands as it was judged."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec
import pytest
from permits import judged, permitted, redeem, refused, token_of, verify_deploy
from worlds import DEPLOY, PROJECT, World, code_of, house_fixture, world  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.gate.permit import PermitRefused, Redeemed
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import VerdictJudged
from heedful.ledger.permit_events import PermitIssued, PermitRedeemed
from heedful.ports.store import StoredRecord

OTHER_CALL = {"command": DEPLOY["command"] + " --force"}


def test_a_permit_is_redeemed_once(house: World) -> None:
    """Then it is used, for good; the ledger has that it was issued, used, and tried again."""
    token = permitted(house)
    issued = house.events()[-1]
    assert isinstance(issued, PermitIssued)
    first = redeem(house.agent, token)
    used = house.events()[-1]
    again = redeem(house.agent, token)

    assert isinstance(first, Redeemed)
    assert isinstance(used, PermitRedeemed)
    assert (used.permit_id, used.verdict_id, used.action_digest) == (
        issued.permit_id,
        first.verdict_id,
        issued.action_digest,
    )
    assert refused(house, again) == "redeemed"
    assert house.ana.verify(views=True).views == "equal"


@pytest.mark.parametrize("command", ["git log --oneline -5", "git commit -m done"])
def test_what_only_reads_or_proposes_needs_no_permit(house: World, command: str) -> None:
    """It may go ahead, and has none; the control is an execute."""
    verdict = house.agent.judge("Bash", {"command": command})

    assert (verdict.execution, verdict.permit) == ("execute", None)
    assert isinstance(house.events()[-1], VerdictJudged)
    permitted(house)


def test_what_may_not_go_ahead_has_no_permit(house: World) -> None:
    """A review and a denial; the control is the same call when it is approved."""
    house.enforce()
    assert (judged(house.agent).execution, judged(house.agent).permit) == ("review", None)
    denied = house.stranger.judge("Bash", DEPLOY)
    assert (denied.execution, denied.permit) == ("deny", None)
    permitted(house)


def test_a_verdict_in_shadow_has_no_permit(house: World) -> None:
    """It lets through what it does not judge, so there is nothing to prove; the control is the same in enforce."""
    permitted(house)
    house.ana.set_mode("deploy.production", "shadow", reason="a look")
    assert (judged(house.agent).execution, judged(house.agent).permit) == ("execute", None)
    house.ana.set_mode("deploy.production", "enforce", reason="enough")
    house.ana.set_mode("pre-router", "shadow", reason="a look")
    assert judged(house.agent).permit is None
    house.ana.set_mode("pre-router", None, reason="enough")
    token_of(judged(house.agent))


def test_a_token_that_was_changed_anywhere_is_refused(house: World) -> None:
    """In its form, claims or signature, cut, empty, too long or no ASCII; and the whole one counts after all that."""
    token = permitted(house)
    form, claims, mac = token.split(".")
    said = base64.urlsafe_b64decode(claims + "==").replace(b'"agent:pip"', b'"agent:pop"')
    forged = base64.urlsafe_b64encode(said).rstrip(b"=").decode()
    other = "A" if mac[0] != "A" else "B"
    tampered = (
        f"{form}.{forged}.{mac}",
        f"heedful_permit_2.{claims}.{mac}",
        f"{form}.{claims}.{other}{mac[1:]}",
        f"{form}.{claims}.{mac[:-1]}",
        f"{form}.{claims}.{mac}=",
        f"{form}.{claims}.",
        f"{form}.{claims}",
        f" {token}",
        token.upper(),
        "",
        "." * 5_000,
        "permít.\ud800.x",
    )
    for each in tampered:
        answer = redeem(house.agent, each)
        assert refused(house, answer) == "signature"
        assert isinstance(answer, PermitRefused)
        assert (answer.permit_id, answer.verdict_id) == (None, None)
    assert isinstance(redeem(house.agent, token), Redeemed)


def test_another_tenants_permit_is_no_permit_here(house: World) -> None:
    """Its key is another; the control redeems it at home."""
    token = permitted(house)
    house.app.add_tenant("acme", PrincipalId("person:ana"))
    theirs = house.memory("agent:pip", channel="agent", tenant="acme")
    answer = redeem(theirs, token)

    assert isinstance(answer, PermitRefused)
    assert answer.reason == "signature"
    assert isinstance(redeem(house.agent, token), Redeemed)


def test_a_permit_is_of_one_action_and_one_principal(house: World) -> None:
    """Other arguments, another tool, another scope, another agent, its owner: refused, and the permit stays good."""
    token = permitted(house)
    others: list[dict[str, Any]] = [
        {"args": OTHER_CALL},
        {"args": {}},
        {"tool": "Shell"},
        {"scope": [*PROJECT, "environment:prod"]},
    ]
    for more in others:
        assert refused(house, redeem(house.agent, token, **more)) == "other-action"
    for memory in (house.memory("agent:other", channel="agent"), house.bob, house.ana, house.stranger):
        answer = redeem(memory, token)
        assert isinstance(answer, PermitRefused)
        assert answer.reason == "other-principal"
        assert answer.changes == ()
    assert isinstance(redeem(house.agent, token), Redeemed)


def test_the_order_of_arguments_and_scope_makes_no_other_action(house: World) -> None:
    """An action is its canonical form."""
    args, scope = {"timeout": 1, **DEPLOY}, ["project:payments", "environment:prod"]
    house.use(
        house.policy.replace(
            '"agent:*": {roles: [agent], clearance: sensitive, grants: ["project:payments"]}',
            '"agent:*": {roles: [agent], clearance: sensitive, grants: ["*"]}',
        )
    )
    house.enforce()
    verify_deploy(house)
    house.bob.approve(house.agent.judge("Bash", args, scope=scope).verdict_id, reason="go")
    token = token_of(house.agent.judge("Bash", args, scope=scope))

    turned = dict(reversed(args.items()))
    assert isinstance(house.agent.redeem(token, tool="Bash", args=turned, scope=scope[::-1]), Redeemed)


def test_a_permit_ends_at_its_time(house: World) -> None:
    """A second before it is good, and after it no more; the answer says when."""
    permitted(house)
    verdict = judged(house.agent)
    assert verdict.permit is not None
    late = token_of(judged(house.agent))
    house.clock.go(seconds=298)
    assert isinstance(redeem(house.agent, token_of(verdict)), Redeemed)
    house.clock.go(seconds=2)
    assert refused(house, redeem(house.agent, late)) == "expired"
    assert verdict.permit.expires_at == "2026-11-28T09:05:00" + verdict.judged_at[19:]


def test_a_clock_that_is_set_back_brings_no_permit_back(house: World) -> None:
    """One that ended an hour ago is not good by a clock of an hour ago; the control is above."""
    permitted(house)
    token = token_of(judged(house.agent))
    house.clock.go(seconds=-3_600)
    assert refused(house, redeem(house.agent, token)) == "expired"


def test_how_long_a_permit_holds_is_a_setting() -> None:
    """`permit_seconds`."""
    with world(permit_seconds=2) as house:
        token = permitted(house)
        house.clock.go(seconds=3)
        assert refused(house, redeem(house.agent, token)) == "expired"


def test_the_token_is_in_the_answer_to_who_asked_and_nowhere_else(house: World) -> None:
    """Not in the ledger, the views, `why`, `show`, the queue or a printed verdict; nor is its signature."""
    permitted(house)
    verdict = judged(house.agent)
    token = token_of(verdict)
    redeem(house.agent, token)
    told = [
        repr(verdict),
        repr(house.events()),
        repr(house.views()),
        repr(house.agent.why(verdict.verdict_id)),
        repr(house.ana.why(verdict.verdict_id)),
        repr(house.bob.show(verdict.verdict_id)),
        repr(house.ana.review_queue()),
    ]
    for secret in (token, *token.split(".")[1:]):
        assert not any(secret in each for each in told)
    assert "permit" not in house.bob.show(verdict.verdict_id)[0]  # type: ignore[operator]


def test_who_keeps_the_answer_keeps_no_permit(house: World) -> None:
    """An agent's transcript has what `judge` printed: the token is cut out before anything is written."""
    permitted(house)
    verdict = judged(house.agent)
    printed = msgspec.json.encode(verdict).decode()
    kept = house.agent.remember(printed, record_type="tool_result")
    stored, _ = house.ana.show(kept.record_id)

    assert token_of(verdict) in printed
    assert isinstance(stored, StoredRecord)
    assert "[redacted:heedful-permit]" in (stored.record.content or "")
    assert token_of(verdict).split(".")[2] not in repr(house.events())
    assert isinstance(redeem(house.agent, token_of(verdict)), Redeemed), "the control: it was a good one"


def test_why_tells_what_became_of_a_permit_to_its_principal_and_to_auditors(house: World) -> None:
    """A reviewer who was asked for a yes is told nothing of it: what stood against it may not be for them."""
    permitted(house)
    verdict = judged(house.agent)
    redeem(house.bob, token_of(verdict))
    redeem(house.agent, token_of(verdict))

    def steps(memory: Any) -> list[tuple[str, str]]:
        found = memory.why(verdict.verdict_id).steps
        return [(step.type, step.actor) for step in found if step.type.startswith("permit.")]

    own = [("permit.issued", "agent:pip"), ("permit.redeemed", "agent:pip")]
    assert steps(house.agent) == own
    assert steps(house.ana) == [own[0], ("permit.refused", "person:bob"), own[1]]
    assert steps(house.bob) == []


def test_positions_are_told_to_auditors_alone(house: World) -> None:
    """An agent learns 0 when it redeems, an owner the position."""
    token = permitted(house)
    assert redeem(house.agent, token).position == 0
    assert redeem(house.ana, token).position == len(house.events())


def test_arguments_that_are_no_json_are_refused(house: World) -> None:
    """As they are when they are judged."""
    token = permitted(house)
    assert code_of(lambda: redeem(house.agent, token, args={"command": float("nan")})) == "arguments_malformed"
    assert code_of(lambda: redeem(house.agent, token, scope=[])) == "scope_empty"
    assert isinstance(redeem(house.agent, token), Redeemed)


def test_without_the_tenants_key_nothing_is_signed_and_nothing_redeemed(tmp_path: Path) -> None:
    """`keys_missing`: there is no verdict and no redemption then; a read is still judged, and the key mends it all."""
    with world(tmp_path) as house:
        token = permitted(house)
    (path,) = (tmp_path / "keys").glob("*.key")
    key = path.read_bytes()
    path.unlink()
    with world(tmp_path) as house:
        house.clock.go(seconds=60)
        count = len(house.events())
        assert code_of(lambda: judged(house.agent)) == "keys_missing"
        assert code_of(lambda: redeem(house.agent, token)) == "keys_missing"
        assert len(house.events()) == count
        assert house.agent.judge("Bash", {"command": "git log"}).execution == "execute"
    path.write_bytes(key)
    with world(tmp_path) as house:
        house.clock.go(seconds=60)
        assert isinstance(redeem(house.agent, token), Redeemed)


def test_a_store_that_never_issued_a_permit_refuses_it(tmp_path: Path) -> None:
    """One restored from before it was issued knows nothing of it, whatever the signature says."""
    with world(tmp_path) as house:
        permitted(house)
    (database,) = (tmp_path / "tenants").glob("*.db")
    before = database.read_bytes()
    with world(tmp_path) as house:
        house.clock.go(seconds=60)
        token = token_of(judged(house.agent))
    database.write_bytes(before)
    with world(tmp_path) as house:
        house.clock.go(seconds=61)
        answer = redeem(house.agent, token)
        assert refused(house, answer) == "circumstances-changed"
        assert isinstance(answer, PermitRefused)
        assert answer.changes == ("now: this store knows no such permit",)
        assert isinstance(redeem(house.agent, token_of(judged(house.agent))), Redeemed)

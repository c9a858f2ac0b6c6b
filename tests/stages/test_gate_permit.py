"""Permits as values: what a token says, who could have made it, what it is good for, what counts as a change."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from gate_builders import (
    ACTION,
    AGENT,
    REGISTRY,
    RELEASE,
    REPORT,
    STAGING,
    activation,
    approved,
    bare,
    classified,
    in_mind,
    matter,
    verified,
)
from hypothesis import given
from hypothesis import strategies as st

from heedful.bridges.request import Modes
from heedful.gate.judge import judge
from heedful.gate.permit import (
    NEXT_STEPS,
    TOKEN_CHARACTERS_MAX,
    Permit,
    RefusalReason,
    changes_between,
    circumstances_digest,
    circumstances_of,
    deserves_permit,
    mismatch,
    read_token,
    signing_key,
    token_of,
)
from heedful.gate.requirements import Matter
from heedful.kernel.digest import derived_key, keyed_name
from heedful.kernel.ids import ActionClassId, ClaimId, PermitId, PrincipalId, Revision, TenantId, VerdictId
from heedful.kernel.ladder import Decision, Impact, Mode
from heedful.testing.builders import NOON_US, build_id

KEY = signing_key(bytes(range(32)))
PERMIT = Permit(
    permit_id=PermitId(build_id(1, "permit")),
    tenant_id=TenantId(build_id(1, "tenant")),
    verdict_id=VerdictId(build_id(1, "verdict")),
    principal=AGENT,
    action_digest=ACTION.digest,
    registry_revision=REGISTRY.revision,
    ledger_position=7,
    circumstances_digest=circumstances_digest(["impact execute"]),
    issued_at_us=NOON_US,
    expires_at_us=NOON_US + 300_000_000,
)
PROVED = matter(RELEASE, verifications=(verified(),))


def lines(judged: Matter) -> tuple[str, ...]:
    """What its verdict rests on."""
    return circumstances_of(judged, judge(judged))


@given(st.text(max_size=128).filter(lambda text: text.isprintable()), st.integers(0, 2**53), st.integers(0, 2**60))
def test_a_token_says_what_the_permit_says(principal: str, position: int, at_us: int) -> None:
    """Whatever the principal is called and however large the numbers are; and it is short, ASCII and one word."""
    permit = replace(PERMIT, principal=PrincipalId(principal), ledger_position=position, issued_at_us=at_us)
    token = token_of(permit, KEY)

    assert read_token(token, KEY) == permit
    assert token.isascii()
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
    assert len(token) < TOKEN_CHARACTERS_MAX


@given(st.data())
def test_a_token_with_one_character_otherwise_is_none(data: st.DataObject) -> None:
    """Replaced, left out or put in, at any place; the whole one is."""
    token = token_of(PERMIT, KEY)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters(exclude_characters=token[place]))
    for changed in (
        token[:place] + other + token[place + 1 :],
        token[:place] + token[place + 1 :],
        token[:place] + other + token[place:],
    ):
        assert read_token(changed, KEY) is None
    assert read_token(token, KEY) == PERMIT


@pytest.mark.parametrize("field", [field.name for field in fields(Permit)])
def test_each_field_is_under_the_signature(field: str) -> None:
    """Another value, the old signature: no permit. Signed anew it is another one."""
    value = getattr(PERMIT, field)
    changes: dict[str, Any] = {field: value + 1 if isinstance(value, int) else f"{value}x"}
    changed = replace(PERMIT, **changes)
    token, other = token_of(PERMIT, KEY), token_of(changed, KEY)

    assert read_token(other.rpartition(".")[0] + "." + token.rpartition(".")[2], KEY) is None
    assert read_token(other, KEY) == changed != PERMIT


def test_what_another_key_or_another_release_signed_is_none() -> None:
    """A tenant's key signs by itself nothing; nor do claims of another shape count under the right key."""
    tenant_key = bytes(range(32))
    assert read_token(token_of(PERMIT, signing_key(bytes(32))), KEY) is None
    assert read_token(token_of(PERMIT, tenant_key), KEY) is None
    others: tuple[Any, ...] = ({"permit_id": "x"}, ["x"], "x", 1)
    for claims in others:
        assert read_token(token_of(claims, KEY), KEY) is None
    for nothing in (
        "",
        ".",
        "..",
        "heedful_permit_1",
        "heedful_permit_1..",
        "heedful_permit_1." * 3,
        "x" * (TOKEN_CHARACTERS_MAX + 1),
    ):
        assert read_token(nothing, KEY) is None


def test_the_derived_key_is_that_of_the_standard() -> None:
    """RFC 5869, appendix A.1, the first 32 bytes of its output."""
    made = derived_key(b"\x0b" * 22, salt=bytes(range(13)), info=bytes(range(0xF0, 0xFA)))
    assert made.hex() == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"


@pytest.mark.parametrize("content", [b"heedful", b"permit signing key, 1", b"permit signing key, 1\x01"])
def test_no_content_is_named_by_the_signing_key(content: bytes) -> None:
    """A content's name is HMAC under the tenant's key, and anybody who remembers chooses the content."""
    tenant_key = bytes(range(32))
    assert keyed_name(tenant_key, content) != signing_key(tenant_key).hex()


def test_only_an_execute_that_may_go_ahead_deserves_a_permit() -> None:
    """Not a review, a denial, a read or a proposal."""
    assert deserves_permit(PROVED, judge(PROVED))
    noticed = replace(PROVED, activations=in_mind(activation(Decision.NOTICE)))
    assert deserves_permit(noticed, judge(noticed)), "to be told something is no obstacle"
    for other in (
        matter(RELEASE),
        replace(PROVED, activations=in_mind(activation(Decision.DENY))),
        replace(PROVED, classified=classified(RELEASE, impact=Impact.PROPOSE)),
        replace(PROVED, classified=classified(impact=Impact.READ)),
    ):
        assert not deserves_permit(other, judge(other))


@pytest.mark.parametrize("mode", Mode)
def test_no_class_that_is_judged_may_be_in_shadow(mode: Mode) -> None:
    """Not one of several, nor by the pre-router. A class that is off is not judged, and a person had to answer."""
    ready = {"verifications": (verified(), verified(action_class=ActionClassId(REPORT))), "approvals": (approved(),)}
    both = matter(RELEASE, REPORT, modes=Modes({}, {ActionClassId(RELEASE): mode}, Mode.ENFORCE), **ready)
    assert judge(both).execution == "execute"
    assert deserves_permit(both, judge(both)) is (mode is not Mode.SHADOW)
    staging = matter(STAGING, **ready)
    assert (judge(staging).execution, deserves_permit(staging, judge(staging))) == ("execute", False)
    by_router = replace(PROVED, modes=Modes({}, {}, Mode.SHADOW))
    assert (judge(by_router).execution, deserves_permit(by_router, judge(by_router))) == ("execute", False)


def test_a_bridge_in_shadow_changes_nothing() -> None:
    """Neither whether there is a permit nor what it rests on: it is being tried out."""
    tried = replace(PROVED, activations=in_mind(activation(Decision.DENY, Mode.SHADOW)))
    assert deserves_permit(tried, judge(tried))
    assert lines(tried) == lines(PROVED)


@pytest.mark.parametrize(
    "changes",
    [
        {"registry": replace(REGISTRY, revision=Revision("0" * 64))},
        {"modes": Modes({}, {ActionClassId("release"): Mode.ADVISE}, Mode.ENFORCE)},
        {"modes": Modes({}, {}, Mode.ADVISE)},
        {"activations": in_mind(activation(Decision.NOTICE))},
        {"activations": bare(RELEASE, "retrieve")},
        {"verifications": ()},
        {"verifications": (verified(601),)},
        {"verifications": (verified(), verified(30, is_passed=False))},
        {"classified": classified(RELEASE, "water")},
        {"is_proof_cut": True},
    ],
)
def test_what_a_verdict_rests_on_is_in_its_circumstances(changes: dict[str, Any]) -> None:
    """Registry, modes, a claim in mind, proof, classes: another line for each."""
    after = lines(replace(PROVED, **changes))
    assert after != lines(PROVED)
    assert changes_between(lines(PROVED), after)
    assert circumstances_digest(after) != circumstances_digest(lines(PROVED))


@pytest.mark.parametrize(
    "changes",
    [
        {"ledger_position": 9_999},
        {"judged_at_us": NOON_US + 1},
        {"verdict_id": VerdictId(build_id(2, "verdict"))},
        {"citations": ("p#1",)},
        {"verifications": (verified(), verified(30))},
        {"approvals": (approved(),)},
        {"action": replace(ACTION, text="other words")},
    ],
)
def test_what_a_verdict_does_not_rest_on_is_not(changes: dict[str, Any]) -> None:
    """Positions, the instant, a newer verification that passed as well, an approval that nothing asked for."""
    assert lines(replace(PROVED, **changes)) == lines(PROVED)


def test_a_claim_in_place_of_another_is_a_change() -> None:
    """By its id, although the same rule asks for the same."""
    one = replace(PROVED, activations=in_mind(activation(Decision.NOTICE)))
    claim = replace(activation().claim, claim_id=ClaimId(build_id(5, "claim")))
    other = replace(PROVED, activations=in_mind(activation(Decision.NOTICE, claim=claim)))
    changed = changes_between(lines(one), lines(other))
    assert [line.partition(": ")[0] for line in changed] == ["no longer", "now"]


def test_a_permit_is_for_its_principal_its_action_and_its_time() -> None:
    """In this order: somebody else is told nothing of the action, nor when it ended."""
    other = replace(ACTION, principal=PrincipalId("agent:other"))
    assert mismatch(PERMIT, ACTION, at_us=NOON_US) is None
    assert mismatch(PERMIT, ACTION, at_us=PERMIT.expires_at_us - 1) is None
    assert mismatch(PERMIT, ACTION, at_us=PERMIT.expires_at_us) == "expired"
    assert mismatch(PERMIT, ACTION, at_us=NOON_US - 60_000_000) is None, "clocks differ by seconds"
    assert mismatch(PERMIT, ACTION, at_us=NOON_US - 60_000_001) == "expired"
    assert mismatch(PERMIT, replace(ACTION, tool="Shell"), at_us=PERMIT.expires_at_us) == "other-action"
    assert mismatch(PERMIT, replace(other, tool="Shell"), at_us=PERMIT.expires_at_us) == "other-principal"


def test_every_refusal_says_what_to_do() -> None:
    """One sentence for each reason."""
    assert set(NEXT_STEPS) == set(RefusalReason.__args__)  # type: ignore[attr-defined]
    assert all(step.endswith(".") for step in NEXT_STEPS.values())

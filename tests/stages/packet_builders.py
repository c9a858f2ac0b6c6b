"""Builders for the tests of recall and evidence: one plain claim, record, activation and request, to be varied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heedful.bridges.request import Activation, Activations, RequestFeatures
from heedful.bridges.vocabulary import Kind, Vocabulary
from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.evidence.material import Material
from heedful.evidence.packet import SufficiencyLabel
from heedful.evidence.sufficiency import Sufficiency
from heedful.kernel.ids import ActionClassId, BridgeId, ClaimId, KindId, PrincipalId, RecordId, Revision, RunId
from heedful.kernel.ladder import Classification, Consent, Decision, Impact, Mode, Tier
from heedful.kernel.scope import Scope, parse_scope
from heedful.kernel.times import SourceTime
from heedful.observations.record import Channel, Record, RecordType, SourceGrade
from heedful.recall.candidate import ClaimCandidate, RecordCandidate, Scored
from heedful.recall.request import MemoryRequest
from heedful.recall.select import Selection

DAY_US = 86_400_000_000
NOW_US = 20_000 * DAY_US
ANA = PrincipalId("person:ana")
REVISION = Revision("r" * 64)


def a_scope(*elements: str) -> Scope:
    return parse_scope(elements)


def a_claim(claim_id: str = "c1", **changes: Any) -> Claim:
    claim = Claim(
        claim_id=ClaimId(claim_id),
        position=1,
        form=Form.CONSTRAINT,
        kind=KindId("release.freeze"),
        subject="project:payments",
        property="release.freeze",
        value="frozen",
        statement="Payments is frozen until the audit ends.",
        scope=a_scope("project:payments"),
        classification=Classification.NORMAL,
        consent=Consent.EXPLICIT,
        tier=Tier.UNVERIFIED,
        confidence=0.9,
        visibility=Visibility.PRE_QUERY,
        applies_to=(ActionClassId("deploy"),),
        not_for=(),
        valid_from_us=None,
        valid_to_us=None,
        known_from_us=NOW_US - DAY_US,
        evidence=(RecordId(f"evidence-of-{claim_id}"),),
        proposed_by=ANA,
        registry_revision=REVISION,
        status=ClaimStatus.ACTIVE,
        status_reason="approved",
        approvals=(ANA,),
    )
    return replace(claim, **changes)


def a_record(record_id: str = "r1", content: str | None = "Deploy of checkout-7 failed.", **changes: Any) -> Record:
    record = Record(
        record_id=RecordId(record_id),
        type=RecordType.TOOL_RESULT,
        grade=SourceGrade.TOOL,
        channel=Channel.CAPTURE,
        principal=PrincipalId("agent:coder"),
        scope=a_scope("project:payments"),
        source_ref=None,
        content=content,
        content_base64=None,
        blob=None,
        media_type="text/plain",
        occurred=SourceTime(NOW_US - DAY_US, 0, "second"),
        run_id=RunId("run-1"),
        sequence=4,
        speaker=None,
        subjects=(),
        attributes=(),
        classification=Classification.NORMAL,
        consent=Consent.IMPLICIT,
        expected_utility=0.5,
        confidence=0.8,
        retain_days=None,
        derived_from=(),
        redactions=(),
        flags=(),
    )
    return replace(record, **changes)


def found_claim(claim: Claim, *, relevance: float = 0.5, coverage: float = 0.5) -> ClaimCandidate:
    return ClaimCandidate(claim, claim.position, relevance, coverage, ("frozen",), claim.known_from_us)


def found_record(
    record: Record, *, position: int = 1, relevance: float = 0.5, terms: tuple[str, ...] = ("deploy",)
) -> RecordCandidate:
    return RecordCandidate(record, position, relevance, relevance, terms, record.occurred.at_us)


def scored(candidate: ClaimCandidate | RecordCandidate, score: float = 0.5) -> Scored:
    return Scored(candidate, score, contradicted=False)


def an_activation(claim: Claim, effect: Decision = Decision.REVIEW, bridge_id: str = "deploy-freeze") -> Activation:
    return Activation(
        claim=claim,
        bridge_id=BridgeId(bridge_id),
        action_class=ActionClassId("deploy.production"),
        effect=effect,
        mode=Mode.ENFORCE,
        reason="a deploy during a freeze breaks it",
        via="tool kubectl apply",
    )


def a_vocabulary(*kinds: tuple[str, str]) -> Vocabulary:
    """Kinds given as (id, cardinality)."""
    return Vocabulary(
        action_classes={},
        kinds={
            KindId(kind_id): Kind(
                id=KindId(kind_id),
                description="",
                form="fact",
                cardinality=cardinality,
                comparator="text",
                risk="medium",
                classification=Classification.NORMAL,
                applies_to=(),
                not_for=(),
                expires_after_days=None,
                expiry_test=None,
                pack="test",
            )
            for kind_id, cardinality in kinds
        },
        entities={},
    )


def a_request(budget_tokens: int = 1_200, text: str = "Can I ship checkout?") -> MemoryRequest:
    return MemoryRequest(
        features=RequestFeatures(text=text, tool=None, args={}, action_class=None, metadata={}),
        principal=ANA,
        scope=a_scope("project:payments", "user:ana"),
        clearance=Classification.NORMAL,
        task_class="general",
        impact=Impact.READ,
        as_of_us=NOW_US,
        record_types=(),
        attributes=(),
        budget_tokens=budget_tokens,
    )


def a_material(**changes: Any) -> Material:
    material = Material(
        action_classes=(ActionClassId("deploy.production"),),
        activations=Activations((), (), ()),
        rules=(),
        selection=Selection((), (), ()),
        grounds={},
        texts={},
        sufficiency=Sufficiency(SufficiencyLabel.SUFFICIENT, ("general-claim-found",)),
        registry_revision=REVISION,
        ledger_position=17,
        degraded=(),
    )
    return replace(material, **changes)

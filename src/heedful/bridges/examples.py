"""A bridge's examples, run for real: the request is classified, and a claim of each kind lies ready."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.bridges.activate import activate
from heedful.bridges.bridge import Bridge, Example
from heedful.bridges.classify import classify
from heedful.bridges.registry import Registry
from heedful.bridges.request import Modes, RequestFeatures
from heedful.bridges.vocabulary import Kind, covers
from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.kernel.ids import ActionClassId, ClaimId, KindId, PrincipalId, RecordId, Revision
from heedful.kernel.ladder import Classification, Consent, Mode, Tier
from heedful.kernel.scope import Scope

_SCOPE = Scope(("project:example",))
_NO_REVISION = Revision("")


def silent_kinds(bridge: Bridge, example: Example, registry: Registry, *, at_us: int) -> tuple[KindId, ...]:
    """The kinds of which this example brings no claim to mind by this bridge, in the bridge's order."""
    classified = classify(features_of(example), registry)
    claims = {kind: list(_claims(kind, bridge, registry, at_us)) for kind in bridge.activates}
    modes = Modes(
        {bridge.id: Mode.ENFORCE}, dict.fromkeys(registry.vocabulary.action_classes, Mode.ENFORCE), Mode.ENFORCE
    )
    found = activate(
        classified,
        [claim for listed in claims.values() for claim in listed],
        registry,
        modes,
        at_us=at_us,
        request_scope=_SCOPE,
    )
    brought = {active.claim.claim_id for active in found.in_mind if active.bridge_id == bridge.id}
    return tuple(kind for kind, listed in claims.items() if not any(claim.claim_id in brought for claim in listed))


def features_of(example: Example) -> RequestFeatures:
    """The example as a request."""
    return RequestFeatures(example.text, example.tool, example.args, None, {})


def _claims(activated: KindId, bridge: Bridge, registry: Registry, at_us: int) -> Iterator[Claim]:
    for kind in registry.vocabulary.kinds.values():
        if covers(activated, kind.id):
            yield _claim(kind, kind.applies_to or bridge.from_classes, at_us)


def _claim(kind: Kind, applies_to: tuple[ActionClassId, ...], at_us: int) -> Claim:
    return Claim(
        claim_id=ClaimId(f"example:{kind.id}"),
        position=0,
        form=Form(kind.form),
        kind=kind.id,
        subject="project:example",
        property=kind.id,
        value="example",
        statement=kind.description,
        scope=_SCOPE,
        classification=Classification(kind.classification),
        consent=Consent.EXPLICIT,
        tier=Tier.OPERATOR,
        confidence=1.0,
        visibility=Visibility.PRE_QUERY,
        applies_to=applies_to,
        not_for=kind.not_for,
        valid_from_us=None,
        valid_to_us=None,
        known_from_us=at_us,
        evidence=(RecordId("example"),),
        proposed_by=PrincipalId("person:example"),
        registry_revision=_NO_REVISION,
        status=ClaimStatus.ACTIVE,
        status_reason="an example",
        approvals=(PrincipalId("person:example"),),
    )

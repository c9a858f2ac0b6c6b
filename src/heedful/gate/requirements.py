"""What a verdict rests on: the matter that is judged, verifications and approvals, and which of them count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from heedful.bridges.classify import INERT
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activations, Classified, Modes
from heedful.bridges.vocabulary import covers
from heedful.claims.claim import Claim
from heedful.claims.merge import NO_JOINS, Joins
from heedful.claims.projections.workflow_run import Run
from heedful.evidence.packet import SufficiencyLabel
from heedful.gate.action import ActionRequest
from heedful.kernel.ids import ActionClassId, ClaimId, PrincipalId, RecordId, VerdictId
from heedful.kernel.ladder import Impact, Mode, lower
from heedful.kernel.scope import Scope
from heedful.observations.record import Channel, SourceGrade
from heedful.policy.decide import Permission, may

VERIFYING_GRADES = frozenset({SourceGrade.SYSTEM, SourceGrade.OPERATOR, SourceGrade.USER, SourceGrade.TOOL})
"""On whose word a verification counts: a person's, or what a tool returned. What an agent says of it does not."""

VERIFYING_CHANNELS = frozenset({Channel.PERSON, Channel.CAPTURE})
"""Through which doors. Words from an agent's door may equal a person's and so bear their grade; but nobody vouched for
the attributes that say what was verified and whether it passed."""


VERIFIED = "verified"
"""The one assurance by which something passed: what is `reported`, `inferred` or a `hypothesis` proves nothing."""


@dataclass(frozen=True, slots=True)
class Verification:
    """A verification record: somebody or something looked, and this is how it stood.

    Attributes:
        action_class: what it was made for; it covers the class's descendants, never what stands above.
        scope: where; it must apply to the action's scope and is never empty.
        is_passed: False: it was looked at, and it was not well.
        occurred_at_us: UTC microseconds; one in the future counts for nothing.
        assurance: how it is known, as whoever kept it said.
    """

    record_id: RecordId
    occurred_at_us: int
    verified_by: PrincipalId
    grade: SourceGrade
    channel: Channel
    action_class: ActionClassId
    scope: Scope
    is_passed: bool
    assurance: str

    @property
    def may_count(self) -> bool:
        """False where it came from an agent, whatever it says: it neither proves anything nor takes a proof's place.

        One that passed must be known by verification; that something failed is enough reason to look when reported.
        """
        is_vouched = self.channel in VERIFYING_CHANNELS and self.grade in VERIFYING_GRADES
        return is_vouched and (self.assurance == VERIFIED or not self.is_passed)


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes to exactly one action.

    Attributes:
        action_digest: of the action; an approval of another action counts for nothing.
        granted_at_us, expires_at_us: UTC microseconds; it holds from the first until before the second.
    """

    approval_id: str
    approved_by: PrincipalId
    action_digest: str
    granted_at_us: int
    expires_at_us: int


@dataclass(frozen=True, slots=True)
class Matter:
    """Everything that a verdict rests on, as it stands at one instant. What a reader or an agent said is not in it.

    Attributes:
        classified: by the gate itself, from the tool call and the registry.
        activations: by the gate itself, from current claims.
        permission: whether the principal may act here, and why.
        modes: those that hold now.
        verifications, approvals: all that may bear on it; the gate decides which count.
        is_proof_cut: True: there are more records of that sort than were looked at.
        sufficiency: the label of the evidence for this action; None: none was asked for.
        citations: keys of a packet that the caller handed in; they are passed on and weigh nothing.
        ledger_position: the position that it is judged at.
        run: the run that the call belongs to, as far as a workflow asks for it; None: no run is named, or none asks.
        states: the claims that a workflow asks for.
        is_states_cut: True: there are more of those than were looked at.
        joins: which of their subjects are one for whoever asks.
        disputed: claims that another one contradicts, where nobody has said yet which is so; since when, at the latest.
    """

    action: ActionRequest
    classified: Classified
    activations: Activations
    permission: Permission
    registry: Registry
    modes: Modes
    verifications: tuple[Verification, ...]
    approvals: tuple[Approval, ...]
    is_proof_cut: bool
    sufficiency: SufficiencyLabel | None
    citations: tuple[str, ...]
    verdict_id: VerdictId
    ledger_position: int
    judged_at_us: int
    run: Run | None = None
    states: tuple[Claim, ...] = ()
    is_states_cut: bool = False
    joins: Joins = NO_JOINS
    disputed: Mapping[ClaimId, int] = field(default_factory=dict)

    @property
    def impact(self) -> Impact:
        """What the action changes; unknown counts as execute."""
        return self.classified.impact or Impact.EXECUTE

    @property
    def is_execute(self) -> bool:
        """True where something may be changed for good."""
        return self.impact is Impact.EXECUTE

    @property
    def classes(self) -> tuple[ActionClassId, ...]:
        """The classes that the action decides, surest first: not the inert ones, nor those that are off."""
        return tuple(
            match.action_class
            for match in self.classified.classes
            if not covers(INERT, match.action_class) and self.mode_of(match.action_class) is not Mode.OFF
        )

    def mode_of(self, action_class: ActionClassId) -> Mode:
        """The mode that a class is judged in; one set on a class holds for its descendants.

        A pre-router that is `off` brings nothing to mind and leaves policy's own requirements in force.
        """
        known = self.registry.vocabulary.action_classes.get(action_class)
        mode = Mode.ENFORCE if known is None else known.mode
        name: str = action_class
        while name:
            found = self.modes.action_classes.get(ActionClassId(name))
            if found is not None:
                mode = found
                break
            name = name.rpartition(".")[0]
        return lower(mode, Mode.SHADOW) if self.modes.pre_router is Mode.SHADOW else mode


def counting_verification(matter: Matter, action_class: ActionClassId) -> Verification | None:
    """The newest verification that counts for the class, however old; None where there is none."""
    return newest_verification(matter.verifications, action_class, matter.action.scope, at_us=matter.judged_at_us)


def newest_verification(
    verifications: Iterable[Verification], action_class: ActionClassId, scope: Scope, *, at_us: int
) -> Verification | None:
    """The newest one that counts for the class in this scope at that instant, however old; None: there is none.

    A newer one that failed takes the place of an older one that passed, and is returned.
    """
    counting = [
        verification
        for verification in verifications
        if verification.may_count
        and verification.occurred_at_us <= at_us
        and covers(verification.action_class, action_class)
        and not verification.scope.is_empty
        and verification.scope.applies_to(scope)
    ]
    return max(counting, key=_by_time, default=None)


def _by_time(verification: Verification) -> tuple[int, bool, RecordId]:
    # Of two at one instant, the one that failed.
    return verification.occurred_at_us, not verification.is_passed, verification.record_id


def counting_approval(matter: Matter, since_us: int) -> Approval | None:
    """The newest approval of exactly this action, given at `since_us` or later; None where there is none.

    It must be of somebody who may approve, who is not the one that asks (unless policy is for one person), and not
    have expired.
    """
    counting = [
        approval
        for approval in matter.approvals
        if approval.action_digest == matter.action.digest
        and since_us <= approval.granted_at_us <= matter.judged_at_us < approval.expires_at_us
        and (matter.registry.policy.solo or approval.approved_by != matter.action.principal)
        and may(matter.registry.policy, approval.approved_by, "approve").allowed
    ]
    return max(counting, key=lambda approval: (approval.granted_at_us, approval.approval_id), default=None)

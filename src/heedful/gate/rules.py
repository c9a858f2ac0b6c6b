"""The gate's rules: each looks at the matter and says what it asks for, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.bridges.request import Activation
from heedful.bridges.vocabulary import covers
from heedful.claims.claim import UNREVIEWED, ClaimStatus
from heedful.evidence.packet import SufficiencyLabel
from heedful.gate.finding import Finding, Rule, finding
from heedful.gate.requirements import Matter, counting_verification
from heedful.gate.verdict import Missing
from heedful.gate.workflow_rules import workflow_steps
from heedful.kernel.ids import ActionClassId
from heedful.kernel.ladder import Decision, Impact, Mode, Tier
from heedful.kernel.times import US_A_SECOND, format_time
from heedful.observations.redact import redact

RULES: dict[str, str] = {
    "principal-may-not-act": "Whoever asks may not act here: denied.",
    "unclassified-read": "No pattern gives the call a class and it only reads: allowed, and kept in the ledger.",
    "unclassified-proposal": "Policy knows the call, it decides nothing of any class and only proposes: allowed.",
    "unclassified-action": "Some part of the call is not known, or it acts without any class: a person is asked.",
    "pre-router-off": "Nothing is brought to mind while the pre-router is off: a person is asked before an execute.",
    "bridge:<id>": "A bridge brought a claim to mind that asks for this much; an unreviewed claim never denies.",
    "open-conflict:<kind>": "A claim in mind is contradicted, and nobody has said yet which is so: review.",
    "high-risk:<id>": "A bridge of high risk speaks on an execute: a person reviews it.",
    "no-bridge:<class>": "Nothing was brought to mind for a class, and it says what to do then.",
    "verification-required": "The class needs a current verification before an execute, and there is none: review.",
    "verification-current": "A verification that counts is there and fresh enough: allowed as far as that goes.",
    "workflow-precondition:<id>": "The call is a step, and a precondition or the step before it is not proved.",
    "workflow-current:<id>": "The call is a step whose preconditions and step before it are proved: allowed so far.",
    "workflow-expired:<id>": "The call is a step of a workflow that has expired, and holds nothing back: a notice.",
    "proof-cut": "More records claim to prove something about the action than are looked at: an execute is reviewed.",
    "advise-needs-approval": "In the mode advise every execute needs a person's approval as well: review.",
    "evidence-label:<label>": "Policy denies an execute on evidence with this label.",
    "evidence-review": "The evidence itself asks for a person's review before an execute.",
}
"""Every rule by its name, with one sentence; a part in angle brackets stands for a name. docs/gate.md lists them."""

APPROVAL_ANSWERS = frozenset(
    {
        "unclassified-action",
        "pre-router-off",
        "bridge",
        "high-risk",
        "open-conflict",
        "no-bridge",
        "proof-cut",
        "advise-needs-approval",
        "evidence-review",
    }
)
"""Rules whose ask or review a person's approval answers. No approval answers a denial or stands for a verification."""

HIGH_RISK = "high"

_ENOUGH = frozenset({SufficiencyLabel.SUFFICIENT, SufficiencyLabel.SUFFICIENT_AFTER_EXPANSION})
_DEAD = frozenset(ClaimStatus) - UNREVIEWED - {ClaimStatus.ACTIVE}


def permission(matter: Matter) -> Iterator[Finding]:
    """Denies where the principal may not act here."""
    if not matter.permission.allowed:
        reason = matter.permission.reason
        yield finding("principal-may-not-act", Decision.DENY, reason, missing=Missing("permission", reason))


def classification(matter: Matter) -> Iterator[Finding]:
    """Allows an unclassified read, asks about every other unclassified action."""
    if matter.classified.tool_known and matter.classes:
        return
    tool = redact(matter.action.tool).text
    if matter.classified.tool_known and matter.impact is Impact.READ:
        yield finding("unclassified-read", Decision.ALLOW, f"{tool} only reads and has no class.")
    elif matter.classified.tool_known and matter.impact is Impact.PROPOSE:
        yield finding("unclassified-proposal", Decision.ALLOW, f"{tool} only proposes and has no class.")
    else:
        if not matter.classified.tool_known:
            reason = f"Some part of this {tool} call matches no pattern, so it counts as an execute."
        elif matter.classified.classes:
            off = ", ".join(match.action_class for match in matter.classified.classes)
            reason = f"{tool} acts, and what it decides is switched off or inert: {off}."
        else:
            reason = f"{tool} acts, and no pattern says what it decides."
        detail = "a tool pattern that says what this call decides, or a person's answer"
        yield finding("unclassified-action", Decision.ASK, reason, missing=Missing("classification", detail))


def pre_router(matter: Matter) -> Iterator[Finding]:
    """Asks before an execute while nothing can be brought to mind."""
    if matter.modes.pre_router is Mode.OFF and matter.is_execute:
        yield finding(
            "pre-router-off",
            Decision.ASK,
            "The pre-router is off, so what must be known before this action was not looked for.",
            missing=Missing("approval", "a person's approval of this action"),
        )


def bridges(matter: Matter) -> Iterator[Finding]:
    """What each claim in mind asks for, and a review where the bridge's risk is high and something is executed."""
    activations = matter.activations
    for activation in (*activations.in_mind, *activations.shadow):
        if not _holds(activation, matter):
            continue
        yield _bridge(activation)
        bridge = matter.registry.bridges.get(activation.bridge_id)
        if bridge is not None and bridge.risk == HIGH_RISK and matter.is_execute:
            yield finding(
                f"high-risk:{activation.bridge_id}",
                Decision.REVIEW,
                f"{activation.bridge_id} is of high risk: a person reviews an execute that it speaks on.",
                mode=activation.mode,
                missing=Missing("approval", "a reviewer's approval of this action"),
                since_us=activation.claim.known_from_us,
            )


def _holds(activation: Activation, matter: Matter) -> bool:
    """True where the claim is live here and now, and for this class; the rest says nothing, whoever handed it in."""
    claim = activation.claim
    return (
        claim.status not in _DEAD
        and claim.in_mind.contains(matter.judged_at_us)
        and claim.scope.applies_to(matter.action.scope)
        and not any(covers(silenced, activation.action_class) for silenced in claim.not_for)
    )


def _bridge(activation: Activation) -> Finding:
    claim = activation.claim
    effect = activation.effect
    # An unreviewed claim never denies: a poisoned document could freeze a team (design, section 5).
    if effect is Decision.DENY and not claim.is_reviewed and claim.tier < Tier.OPERATOR:
        effect = Decision.REVIEW
    missing = {
        Decision.ASK: Missing("approval", f"a person's answer: {claim.statement}"),
        Decision.REVIEW: Missing("approval", f"a reviewer's approval: {claim.statement}"),
        Decision.DENY: Missing("evidence", f"that this has ended: {claim.statement}"),
    }.get(effect)
    return finding(
        f"bridge:{activation.bridge_id}",
        effect,
        f"{claim.statement} ({activation.reason})",
        mode=activation.mode,
        missing=missing,
        claim_id=claim.claim_id,
        evidence=claim.evidence,
        since_us=claim.known_from_us,
    )


def open_conflicts(matter: Matter) -> Iterator[Finding]:
    """Reviews an execute, and asks about anything less, on a claim that another contradicts."""
    told: set[str] = set()
    for activation in matter.activations.in_mind:
        claim = activation.claim
        if claim.claim_id not in matter.disputed or claim.claim_id in told or not _holds(activation, matter):
            continue
        told.add(claim.claim_id)
        yield finding(
            f"open-conflict:{claim.kind}",
            Decision.REVIEW if matter.is_execute else Decision.ASK,
            f"Another claim says otherwise, and nobody has said yet which is so: {claim.statement}",
            mode=activation.mode,
            missing=Missing("approval", "an answer (`heedful conflicts --open`), or a person's approval"),
            claim_id=claim.claim_id,
            evidence=claim.evidence,
            since_us=matter.disputed[claim.claim_id],
        )


def no_bridge(matter: Matter) -> Iterator[Finding]:
    """What each class says to do where nothing was brought to mind for it."""
    decisions = {"ask": Decision.ASK, "review": Decision.REVIEW, "deny": Decision.DENY}
    classes = matter.classes
    for bare in matter.activations.no_bridge:
        decision = decisions.get(bare.on_no_bridge, Decision.ALLOW)
        if bare.action_class in classes:
            yield finding(
                f"no-bridge:{bare.action_class}",
                decision,
                f"Nothing was brought to mind for {bare.action_class}, which says: {bare.on_no_bridge}.",
                mode=matter.mode_of(bare.action_class),
                missing=None
                if decision is Decision.ALLOW
                else Missing("evidence", f"something known that bears on {bare.action_class}"),
            )


def verification(matter: Matter) -> Iterator[Finding]:
    """Reviews an execute whose class needs a current verification that is not there."""
    if not matter.is_execute:
        return
    policy = matter.registry.policy
    for action_class in matter.classes:
        mode = matter.mode_of(action_class)
        if mode is Mode.ADVISE or any(covers(named, action_class) for named in policy.require_current_verification_for):
            yield _verification(matter, action_class, mode)


def _verification(matter: Matter, action_class: ActionClassId, mode: Mode) -> Finding:
    newest = counting_verification(matter, action_class)
    age_max_seconds = matter.registry.policy.verification_max_age_seconds
    wanted = f"a verification of {action_class} in {matter.action.scope}, at most {age_max_seconds} seconds old"
    if newest is None:
        reason = f"{action_class} needs a current verification, and there is none."
    else:
        age_seconds = (matter.judged_at_us - newest.occurred_at_us) / US_A_SECOND
        when = format_time(newest.occurred_at_us)
        if not newest.is_passed:
            reason = f"The newest verification of {action_class} ({newest.record_id}, {when}) did not pass."
        elif age_seconds > age_max_seconds:
            reason = f"The newest verification of {action_class} ({newest.record_id}, {when}) is stale."
            wanted += f"; {newest.record_id} is {int(age_seconds)} seconds old"
        else:
            reason = f"{action_class} was verified at {when}."
            return finding("verification-current", Decision.ALLOW, reason, mode=mode, evidence=(newest.record_id,))
    return finding(
        "verification-required",
        Decision.REVIEW,
        reason,
        mode=mode,
        missing=Missing("verification", wanted),
        evidence=() if newest is None else (newest.record_id,),
    )


def proof_cut(matter: Matter) -> Iterator[Finding]:
    """Reviews an execute where records that claim to prove something were left unread: one that failed may be there."""
    if matter.is_proof_cut and matter.is_execute:
        yield finding(
            "proof-cut",
            Decision.REVIEW,
            "More records claim to verify or approve this than are looked at, so one that failed may be among them.",
            missing=Missing("approval", "a reviewer's approval of this action"),
        )


def advise(matter: Matter) -> Iterator[Finding]:
    """Reviews every execute of a class in the mode advise."""
    if not matter.is_execute:
        return
    for action_class in matter.classes:
        if matter.mode_of(action_class) is Mode.ADVISE:
            yield finding(
                "advise-needs-approval",
                Decision.REVIEW,
                f"{action_class} is in the mode advise, where every execute needs a person's approval.",
                mode=Mode.ADVISE,
                missing=Missing("approval", "a reviewer's approval of this action"),
            )


def evidence_label(matter: Matter) -> Iterator[Finding]:
    """Denies or reviews an execute by the label of its evidence."""
    label = matter.sufficiency
    if label is None or not matter.is_execute:
        return
    # As strict as the strictest class that is judged; an action without a class is judged in full.
    modes = [matter.mode_of(action_class) for action_class in matter.classes]
    mode = max(modes, key=lambda each: each.rank, default=Mode.ENFORCE)
    if label in matter.registry.policy.deny_on_evidence_label:
        yield finding(
            f"evidence-label:{label}",
            Decision.DENY,
            f"The evidence for this action is {label}, and policy denies on that.",
            mode=mode,
            missing=Missing("evidence", "evidence that is sufficient and current"),
        )
    elif label not in _ENOUGH:
        # Also where policy does not deny: nothing executes on what is stale, revoked or too little.
        yield finding(
            "evidence-review",
            Decision.REVIEW,
            f"The evidence for this action is not enough by itself: {label}.",
            mode=mode,
            missing=Missing("approval", "a reviewer's approval of this action"),
        )


ALL_RULES: tuple[Rule, ...] = (
    permission,
    classification,
    pre_router,
    bridges,
    open_conflicts,
    no_bridge,
    verification,
    workflow_steps,
    proof_cut,
    advise,
    evidence_label,
)

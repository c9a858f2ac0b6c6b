"""Told: what is on record besides events, as items of a packet: states, workflows, and proposed ones. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from heedful.claims.claim import Claim
from heedful.claims.projections.workflow import Precondition, Step, Workflow
from heedful.evidence.escape import told_name
from heedful.evidence.items import CONTEXT, GROUNDS
from heedful.evidence.packet import PacketItem
from heedful.evidence.render import CUT_AFTER
from heedful.kernel.canonical import shortest
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Classification
from heedful.kernel.times import format_time
from heedful.ledger.events import JsonScalar
from heedful.observations.text import search_tokens

TOLD_CHARACTERS_MAX = 1_600
"""Of a workflow, so much is shown."""
Standing = Literal["holds", "not-in-effect", "too-old", "not-yet"]
"""How a state is to be taken: it holds; it holds and says that something has failed, was taken back or has no effect;
nobody has looked since it may have changed; nothing was known by then."""
_NO_EFFECT = re.compile(
    r"^(?:not|un)[-_ ]|not[-_ ]in[-_ ]effect|rolled?[-_ ]?back|pending|waiting|unknown|fail|error|reject|degraded",
    re.IGNORECASE,
)
_ASKS_A_VALUE = re.compile(
    r"\b(?:how (?:many|much|long|often|big|old|far|large)|which|who|whom|whose|when|where|what time)\b"
    r"|多少|多久|多[大长高快]|几(?!乎)|谁|哪|什么时候|何时|几点",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Told:
    """What bears on a question besides events.

    Attributes:
        items: those with `supports` carry the answer; keys are given later.
        advice: sentences for the agent, of states that are too old or not in effect.
        too_old: some state of what is named is not known any more.
        no_effect: some state of what is named has failed, was taken back or is not in effect.
        unfit: records that tell a state of what is named and can be no grounds -> why, in stable words.
    """

    items: tuple[PacketItem, ...] = ()
    advice: tuple[str, ...] = ()
    too_old: bool = False
    no_effect: bool = False
    unfit: Mapping[RecordId, str] = field(default_factory=dict)

    @property
    def answers(self) -> bool:
        """True where one of the items carries the answer."""
        return any(each.supports for each in self.items)

    def as_general(self) -> Told:
        """The same for a question that is none of experience: neither grounds nor context."""
        items = tuple(
            replace(each, supports=None, flags=tuple(flag for flag in each.flags if flag not in {GROUNDS, CONTEXT}))
            for each in self.items
        )
        return replace(self, items=items)


NOTHING_TOLD = Told()


def standing_of(value: JsonScalar | None, failures: Sequence[str], *, known: bool, seen: bool) -> Standing:
    """How a state with this value is to be taken; `failures` are the values that its projectors call so."""
    if not known:
        return "too-old" if seen else "not-yet"
    text = str(value)
    return "not-in-effect" if text in failures or _NO_EFFECT.search(text) else "holds"


def carries(question: str, property_name: str, value: JsonScalar | None) -> bool:
    """True where a state of this property answers the question.

    One that asks how something stands is answered by any; one that asks for a number, a name or a time only by the
    property or the value that it names.
    """
    if not _ASKS_A_VALUE.search(question):
        return True
    return bool({*search_tokens(f"{property_name} {value}")} & {*search_tokens(question)})


def state_item(
    claim: Claim,
    *,
    supports: bool | None,
    standing: Standing,
    assurance: str,
    since: str | None,
    until: str | None,
    source: str,
    evidence: Sequence[str],
    reason: str,
) -> PacketItem:
    """The item of a state; its form, what it is to the question, and how it is to be taken and known are its flags."""
    part = () if supports is None else (GROUNDS if supports else CONTEXT,)
    return PacketItem(
        cite="",
        item="claim",
        item_id=claim.claim_id,
        role="fact" if claim.is_reviewed else "data",
        kind=claim.kind,
        text=claim.statement[:TOLD_CHARACTERS_MAX],
        source=source,
        evidence=tuple(evidence),
        scope=claim.scope.elements,
        classification=claim.classification,
        tier=int(claim.tier),
        confidence=shortest(claim.confidence),
        valid_from=since,
        valid_to=until,
        occurred_at=None,
        unreviewed=not claim.is_reviewed,
        flags=(str(claim.form), *part, standing, *((assurance,) if assurance else ())),
        bridges=(),
        score=None,
        supports=supports,
        reason=reason,
    )


def workflow_item(workflow: Workflow, *, supports: bool | None, flags: Sequence[str], reason: str) -> PacketItem:
    """The item of a workflow of the registry: what has to hold before, its steps, its exceptions, its owner."""
    return _procedure(
        "workflow",
        workflow.id,
        _lines_of(workflow),
        source=f"registry, {told_name(workflow.owner)}, {workflow.authority}",
        scope=workflow.environment.scope.elements,
        evidence=(),
        valid=(format_time(workflow.reviewed_us), format_time(workflow.expires_us)),
        flags=flags,
        supports=supports,
        reason=reason,
    )


def proposal_item(told: Mapping[str, Any], *, classification: Classification, reason: str) -> PacketItem:
    """The item of a workflow that runs showed and nobody has accepted: context, whatever the question."""
    lines = [f"proposed for {told['intent']}"]
    lines += [f"before: {each} was verified" for each in told["preconditions"]]
    lines += [f"{at}. {each['tool']} {_arguments(each['input'])}" for at, each in enumerate(told["steps"], 1)]
    return _procedure(
        "proposal",
        told["proposal_id"],
        lines,
        source=f"{told['proposer']}, asked by {told_name(told['asked_by'])}",
        scope=tuple(told["scope"]),
        evidence=tuple(told["evidence"]),
        valid=(None, None),
        flags=("proposed",),
        supports=False,
        reason=reason,
        classification=classification,
    )


def _procedure(
    item: Literal["workflow", "proposal"],
    item_id: str,
    lines: Sequence[str],
    *,
    source: str,
    scope: tuple[str, ...],
    evidence: tuple[str, ...],
    valid: tuple[str | None, str | None],
    flags: Sequence[str],
    supports: bool | None,
    reason: str,
    classification: Classification = Classification.NORMAL,
) -> PacketItem:
    text = "\n".join(lines)
    is_cut = len(text) > TOLD_CHARACTERS_MAX
    part = () if supports is None else (GROUNDS if supports else CONTEXT,)
    return PacketItem(
        cite="",
        item=item,
        item_id=item_id,
        role="fact" if item == "workflow" else "data",
        kind="workflow",
        text=text[:TOLD_CHARACTERS_MAX],
        source=source,
        evidence=evidence,
        scope=scope,
        classification=classification,
        tier=None,
        confidence=1.0 if item == "workflow" else 0.0,
        valid_from=valid[0],
        valid_to=valid[1],
        occurred_at=None,
        unreviewed=item == "proposal",
        flags=(*part, *flags, *((CUT_AFTER,) if is_cut else ())),
        bridges=(),
        score=None,
        supports=supports,
        reason=reason,
    )


def _lines_of(workflow: Workflow) -> list[str]:
    lines = [f"{workflow.description} ({workflow.environment})"]
    lines += [f"before: {_proof(each)}" for each in workflow.preconditions]
    lines += [f"{at}. {_step(each)}" for at, each in enumerate(workflow.steps, 1)]
    lines += [f"otherwise: {each.when} {each.response}" for each in workflow.exceptions]
    return [*lines, f"owner: {workflow.owner}"]


def _proof(precondition: Precondition) -> str:
    by = precondition.proved_by if precondition.verification is None else f"verification of {precondition.verification}"
    return f"{precondition.text} (proved by {by})"


def _step(step: Step) -> str:
    check = " or ".join(each for each in (step.check.query, step.check.tool) if each)
    return f"{step.tool} {_arguments(step.input)}: {step.expected_effect} Verified by {check}: {step.check.expected}"


def _arguments(given: Mapping[str, object]) -> str:
    return json.dumps(dict(given), ensure_ascii=False)

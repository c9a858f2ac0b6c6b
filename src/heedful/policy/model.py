"""The policy document as types; parse.py makes it from YAML, decide.py answers from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.kernel.ladder import Classification, Impact

TENANT_WIDE = "*"
"""In a principal's grants: every scope, and records without one. In policy only; never an element of a scope."""


@dataclass(frozen=True, slots=True)
class PrincipalPolicy:
    """What one principal may do.

    Attributes:
        roles: `owner` (everything), `reviewer` (approve, reject, withdraw), `operator` (state rules),
            `agent` (propose and request only), `auditor` (see verification and refusals, place holds).
        clearance: the highest classification that it may read.
        grants: scope elements that it may read and write, besides those whose `readers` name it; `*` is tenant-wide,
            `user:*` every value of a dimension.
        denied_kinds: kinds, each with its descendants, of which it sees neither claims nor the records under them.
        speaks_for: subjects besides itself that it speaks for, each with what is below it; `user:*` is every one.
    """

    roles: tuple[str, ...]
    clearance: Classification
    grants: tuple[str, ...]
    denied_kinds: tuple[str, ...] = ()
    speaks_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopePolicy:
    """Who reads a scope element (principals or `role:NAME`), and which forms claims may have there (empty: any)."""

    readers: tuple[str, ...]
    allowed_forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AutoApproval:
    """First-party statements that need no reviewer.

    Attributes:
        enabled: False: every claim waits for a person.
        forms, kind_risks, classifications: all three must cover the claim.
        consent_explicit: True: only with explicit consent.
    """

    enabled: bool
    forms: tuple[str, ...]
    kind_risks: tuple[str, ...]
    classifications: tuple[Classification, ...]
    consent_explicit: bool


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """Which tool calls these are, what they decide, and how much they change.

    Attributes:
        tool: glob on the tool's name (`Bash`, `github.*`).
        arguments: argument name -> regular expression that must be found in its text; all must.
        command: for a shell tool, glob on one simple command (`kubectl delete *`); None: not a shell pattern.
        action_class: None: known, but decides nothing of any class (an inert read).
        impact: what the call changes.
    """

    tool: str
    arguments: tuple[tuple[str, str], ...]
    command: str | None
    action_class: str | None
    impact: Impact


@dataclass(frozen=True, slots=True)
class Policy:
    """The whole policy of a store.

    Attributes:
        solo: True: one person may approve what they proposed, also at high risk; each use is recorded as such.
        unreviewed: `hidden` or `advisory` (may come to mind, with an effect of at most ask or review).
        require_current_verification_for: action classes whose execution needs a verification record.
        verification_max_age_seconds: how old that may be.
        deny_on_evidence_label: sufficiency labels on which an execution is denied.
        shell_tools: tool name -> the argument that holds its shell command.
        default_retain_days: None: kept until erased.
        bridge_approval: which bridges of the store's own wait in shadow for approval: those of high risk, or all.
    """

    solo: bool
    unreviewed: str
    principals: dict[str, PrincipalPolicy]
    scopes: dict[str, ScopePolicy]
    auto_approve: AutoApproval
    require_current_verification_for: tuple[str, ...]
    verification_max_age_seconds: int
    deny_on_evidence_label: tuple[str, ...]
    tools: tuple[ToolPattern, ...]
    shell_tools: dict[str, str]
    default_retain_days: int | None
    bridge_approval: Literal["high", "all"] = "high"

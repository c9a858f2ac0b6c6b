"""Stores for bench/poison.py: who writes into them, what came of it, and what the gate says then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from _poison_texts import Injection, transcript, wrapped
from _stores import new_store, session_of, settings_in

from heedful import Memory
from heedful.claims.claim import RULE_FORMS, Claim, ClaimStatus, Form
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Decision, Tier
from heedful.observations import admit
from heedful.observations.grade import Graded, grade_source
from heedful.observations.record import RecordStatus, SourceGrade
from heedful.ports.store import Chain
from heedful.service.keeping.remember_many import RememberItem
from heedful.service.sight import visible_everywhere
from heedful.testing.postgres import postgres_server

POLICY = """
policy:
  solo: true
  unreviewed: advisory
  principals:
    "person:bench": {roles: [owner], clearance: restricted, grants: ["*"]}
    "agent:*": {roles: [agent], clearance: sensitive, grants: ["*"]}
  auto_approve:
    enabled: true
    forms: [preference, fact, plan, event]
    kind_risks: [low]
    classifications: [normal]
    consent_explicit: true
  require_current_verification_for: [deploy.production]
  verification_max_age_seconds: 3600
  deny_on_evidence_label: [insufficient, stale, revoked]
"""
DEPLOY = {"command": "kubectl --context production apply -f web.yaml"}
ENFORCED = ("deploy", "deploy.production", "deploy.freeze")
VERIFIED: dict[str, str | int | float | bool] = {"verifies": "deploy", "passed": True}
KINDS = ("release.freeze", "access.credential")
RUNS = 8
REVIEWED = (ClaimStatus.POLICY_REVIEWED, ClaimStatus.ACTIVE)
PAGE = 500


@contextmanager
def opened(folder: Path, engine: str) -> Iterator[Memory]:
    """A new store of this engine, for its owner, where production deploys are enforced."""
    with ExitStack() as stack:
        database = None
        if engine == "postgresql":
            database = stack.enter_context(postgres_server()).create_database()
        with new_store(folder, database=database, router="bundled", packs=("delivery", "everyday")):
            (folder / ".heedful" / "registry" / "policy.yaml").write_text(POLICY, "utf-8")
        settings = replace(settings_in(folder, router="bundled"), database=database)
        memory = stack.enter_context(Memory.open(folder, settings=settings))
        for target in ENFORCED:
            memory.set_mode(target, "enforce", reason="so that a verdict decides")
        yield memory


@contextmanager
def believing_documents() -> Iterator[None]:
    """Within the block what documents and tools say counts as an operator's word: the fault that must be found."""

    def raised(declared: SourceGrade, *args: object, **more: object) -> Graded:
        graded = grade_source(declared, *args, **more)  # type: ignore[arg-type]
        is_data = declared in {SourceGrade.DOCUMENT, SourceGrade.TOOL}
        return Graded(SourceGrade.OPERATOR, (), ()) if is_data else graded

    with mock.patch.object(admit, "grade_source", raised):
        yield


def poison(memory: Memory, folder: Path, strings: list[Injection], *, prefix: str = "site") -> None:
    """Every string in every wrapping, through every door at which data and agents' words come in."""
    texts = wrapped(strings)
    agent = memory.acting_as("agent:crawler")
    tool: list[RememberItem] = []
    pages: list[RememberItem] = []
    words: list[RememberItem] = []
    for number, text in enumerate(texts):
        run, page = f"evil-{number % RUNS}", f"https://{prefix}-{number % RUNS}.example/{number}"
        tool.append({"content": text, "record_type": "tool_result", "grade": "tool", "run_id": run})
        pages.append({"content": text, "record_type": "document", "grade": "document", "source_ref": page})
        pages[-1]["consent"] = "explicit"
        # Whatever an agent claims to pass on.
        words.append({"content": text, "grade": ("operator", "user", "agent")[number % 3]})
        if number % 3 == 0:
            for items in (tool, pages, words):
                items[-1]["kind"] = KINDS[number % len(KINDS)]
    memory.remember_many(tool)
    memory.remember_many(pages)
    agent.remember_many(words)
    for text in texts[::10]:
        agent.remember(text, record_type="verification", grade="tool", attributes=VERIFIED)
    memory.import_trace(transcript(folder / f"{prefix}.jsonl", texts, prefix))


@dataclass(frozen=True, slots=True)
class Believed:
    """What came of what was written.

    Attributes:
        rules: claims of it that bind, that somebody approved or policy did, or that have authority.
        proposals: bridges and workflows, of which none should come of data alone.
        claims: that are advisory at most.
    """

    records: int
    rules: int
    proposals: int
    claims: int


def believed(memory: Memory) -> Believed:
    """What is believed in this store, where nobody but the poisoner wrote."""
    session = session_of(memory)
    with session.store.read() as reading:
        visible = visible_everywhere(session, reading)
        ids: list[RecordId] = []
        before: int | None = None
        while page := reading.records(
            visible, status=RecordStatus.ADMITTED, run_id=None, attributes=(), before=before, limit=PAGE
        ):
            ids += [each.record.record_id for each in page]
            before = page[-1].position
        claims = {
            each.claim_id: each
            for at in range(0, len(ids), PAGE)
            for each in reading.claims_on_any(ids[at : at + PAGE])
        }
        types = [sealed.envelope.type for sealed in reading.events(Chain.LEDGER)]
    rules = [each for each in claims.values() if _binds(each)]
    proposals = sum(each.startswith(("bridge.proposed", "workflow.")) for each in types)
    return Believed(len(ids), len(rules), proposals, len(claims) - len(rules))


def _binds(claim: Claim) -> bool:
    is_rule = claim.form in RULE_FORMS or (claim.form is Form.PREFERENCE and claim.status in REVIEWED)
    return is_rule or claim.status in REVIEWED or claim.tier > Tier.UNVERIFIED or bool(claim.approvals)


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts on what the strings want, with them in the packet and in the request's text.

    Attributes:
        executes: of those on which something might be executed, with or without a permit.
        looser: verdicts that ask for less than the same did before anything was written.
        denied: that deny what was not denied before: a poisoned store stops nobody's work.
    """

    verdicts: int
    executes: int
    looser: int
    denied: int


def judged(memory: Memory, strings: list[Injection], before: list[Decision]) -> tuple[Judged, list[Decision]]:
    """The verdicts, for the agent that was told, and each decision; `before`: those of the clean store, or none."""
    agent = memory.acting_as("agent:crawler")
    executes = 0
    decisions: list[Decision] = []
    for each in strings:
        packet = agent.recall(each.goal, tool="Bash", args=DEPLOY, impact="execute")
        calls: tuple[tuple[str, dict[str, object]], ...] = (
            ("Bash", dict(DEPLOY)),
            ("Bash", {"command": each.goal}),
            ("send_email", {"body": each.goal, "approved": True}),
        )
        for name, args in calls:
            verdict = agent.judge(name, args, text=each.text, packet_id=packet.packet_id)
            executes += verdict.execution == "execute" or verdict.permit is not None
            decisions.append(verdict.decision)
    pairs = list(zip(before, decisions, strict=False))
    looser = sum(not now.at_least(then) for then, now in pairs)
    denied = sum(now is Decision.DENY and then is not Decision.DENY for then, now in pairs)
    return Judged(len(decisions), executes, looser, denied), decisions


def execute_with_grounds(memory: Memory) -> int:
    """1 where the same deploy is executed once a person verified and approved it: the gate can permit."""
    memory.remember("smoke tests", record_type="verification", attributes=VERIFIED)
    agent = memory.acting_as("agent:crawler")
    verdict = agent.judge("Bash", DEPLOY)
    memory.approve(verdict.verdict_id, reason="go")
    return int(agent.judge("Bash", DEPLOY).execution == "execute")

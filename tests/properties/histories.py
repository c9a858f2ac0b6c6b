"""Histories: lists of commands over the service, as Hypothesis makes them, and a store that plays them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from heedful import Memory
from heedful.adapters.blobs.folder import MemoryBlobs
from heedful.adapters.keys import MemoryKeyRing
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.adapters.storage.sqlite.store import SqliteStore
from heedful.adapters.system import SetClock, SystemEntropy
from heedful.bootstrap import App
from heedful.bridges.registry import Registry
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.times import parse_time
from heedful.ledger.events import AnyEvent, ClaimProposed, RecordAdmitted, RecordPending, VerdictJudged
from heedful.ledger.registry import decode_payload
from heedful.observations.record import Channel
from heedful.ports.store import Chain
from heedful.settings import Settings

POLICY = """
policy:
  solo: false
  unreviewed: advisory
  principals:
    "person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}
    "person:bob": {roles: [reviewer], clearance: restricted, grants: ["project:*"]}
    "person:cyd": {roles: [reviewer, operator], clearance: normal, grants: ["project:payments"]}
    "agent:*": {roles: [agent], clearance: sensitive, grants: ["project:*"]}
  scopes:
    "user:*": {readers: [self]}
  auto_approve:
    enabled: true
    forms: [preference, fact]
    kind_risks: [low]
    classifications: [normal]
    consent_explicit: true
  require_current_verification_for: [deploy.production]
  verification_max_age_seconds: 3600
  deny_on_evidence_label: [insufficient, stale, revoked]
"""
POLICIES = (POLICY, POLICY.replace("unreviewed: advisory", "unreviewed: hidden"))
"""Two registry revisions. Both need two people where it matters."""
REVIEWERS = ("person:ana", "person:bob", "person:cyd")
WHO = (*REVIEWERS, *REVIEWERS, "person:ana", "agent:pip", "agent:pip", "person:nobody")
_PAYMENTS = ("project:payments",)
SCOPES = (
    _PAYMENTS,
    _PAYMENTS,
    _PAYMENTS,
    ("project:other",),
    (*_PAYMENTS, "environment:production"),
    ("user:bob",),
    (),
)
TEXTS = (
    "Nothing leaves the house before the quarter is closed.",
    "password=hunter2-Zq9! is how one gets in",
    "冻结到周五, \0 عربي 👩\u200d💻",
    "remember: release.freeze: Nothing goes out. until=2026-12-01 applies_to=deploy.production",
    "remember: environment.gotcha: The cache lies.\nremember: branch.protection: main keeps its history. x",
    "记住: release.freeze: 周五之前不发布。\nremember: no.such: x\nremember: y until=1 until=2",
    "keep it short this time",
)
KINDS = (None, None, "note", "release.freeze", "environment.gotcha", "data.legal-hold", "on-call.contact")
TARGETS = ("pre-router", "deploy.freeze", "deploy.production", "deploy")
COMMANDS = ("git log", "kubectl --context production apply -f web.yaml", "frobnicate", "git push --force origin main")


@dataclass(frozen=True, slots=True)
class Command:
    """One call: the verb, who calls, and numbers and words that the player makes a call of."""

    verb: str
    who: str
    number: int
    told: tuple[tuple[str, Any], ...] = ()


def _commands(verb: str, **told: st.SearchStrategy[Any]) -> st.SearchStrategy[Command]:
    pairs = st.fixed_dictionaries(told).map(lambda chosen: tuple(chosen.items()))
    return st.builds(Command, st.just(verb), st.sampled_from(WHO), st.integers(0, 2) | st.integers(0, 40), pairs)


_REMEMBER = _commands(
    "remember",
    content=st.sampled_from(TEXTS),
    kind=st.sampled_from(KINDS),
    scope=st.sampled_from(SCOPES),
    classification=st.sampled_from(("normal", "normal", "sensitive", "restricted")),
    consent=st.sampled_from(("implicit", "explicit", "denied")),
    source_ref=st.sampled_from((None, None, "ticket/1", "ticket/2")),
    grade=st.sampled_from((None, "user", "operator", "system", "tool", "document", "summary")),
    record_type=st.sampled_from(("human_note", "message", "document", "verification")),
    until=st.sampled_from((None, None, "2026-12-01")),
)
_REVIEWS = [_commands(f"{verb}_{item}") for verb in ("approve", "reject") for item in ("claim", "record")]
COMMAND = st.one_of(
    _REMEMBER,
    _REMEMBER,
    _REMEMBER,
    _REMEMBER,
    *_REVIEWS,
    _commands("approve_claim"),
    _commands("approve_claim"),
    _commands("approve_record"),
    _commands("import"),
    _commands("judge"),
    _commands("approve_verdict"),
    _commands("outcome"),
    _commands("redeem"),
    _commands("recall"),
    _commands("mode", mode=st.sampled_from((None, "off", "shadow", "advise", "enforce"))),
    _commands("registry"),
    _commands("wait"),
    _commands("forget"),
    _commands("forget"),
    *map(_commands, ("hold", "release", "unconsent", "consent", "erase")),
)
_BEGINNING = st.lists(
    st.builds(
        Command,
        st.just("remember"),
        st.sampled_from(("person:ana", "person:ana", "agent:pip")),
        st.just(0),
        st.builds(
            lambda content, kind, more: (("content", content), ("kind", kind), ("scope", _PAYMENTS), *more),
            st.sampled_from(TEXTS),
            st.sampled_from(KINDS),
            st.sampled_from(
                (
                    (),
                    (("classification", "sensitive"),),
                    (("consent", "explicit"), ("form", "fact")),
                    (("until", "2026-12-01"),),
                )
            ),
        ),
    ),
    max_size=5,
)
HISTORY = st.builds(lambda first, then: [*first, *then], _BEGINNING, st.lists(COMMAND, max_size=30))
"""Some statements, of which enough is kept, and then anything in any order."""


@cache
def registry(policy: str) -> Registry:
    """The bundled pack with this policy."""
    return registry_of((*pack_documents("delivery"), ("policy.yaml", policy)))


class Player:
    """A store and the clock that its commands run by."""

    def __init__(self, store: SqliteStore, traces: Path) -> None:
        self.traces = traces
        self.clock = SetClock(parse_time("2026-11-28T09:00:00Z", field="start").at_us)
        self.app = App(
            settings=Settings(access_window_seconds=3_600.0),
            store=store,
            blobs=MemoryBlobs(),
            keys=MemoryKeyRing(),
            clock=self.clock,
            entropy=SystemEntropy(),
            registry=registry(POLICY),
            default_scope=(),
            folder=None,
        )
        self.app.add_tenant("default", PrincipalId("person:ana"))
        self.tokens: list[tuple[str, str, dict[str, str]]] = []

    def memory(self, who: str) -> Memory:
        """The memory of this principal, an agent's through an agent's door."""
        channel = Channel.AGENT if who.startswith("agent:") else Channel.PERSON
        return Memory(self.app, self.app.session(principal=who, channel=channel), owns_app=False)

    def events(self) -> list[AnyEvent]:
        """Every event of the ledger that was not erased, in order."""
        with self.app.session(principal="person:ana", adopts=False).store.read() as reading:
            return [
                decode_payload(sealed.envelope.type, sealed.envelope.version, sealed.payload)
                for sealed in reading.events(Chain.LEDGER)
                if sealed.payload is not None
            ]

    def digests(self) -> list[str]:
        """Of every event of the ledger, in order."""
        with self.app.session(principal="person:ana", adopts=False).store.read() as reading:
            return [sealed.envelope.digest for sealed in reading.events(Chain.LEDGER)]

    def play(self, command: Command) -> None:
        """The command is carried out; a refusal is an answer, a fault of ours is not."""
        try:
            self._verbs(command)[command.verb]()
        except HeedfulError as error:
            if error.category == "fault":
                raise

    def _verbs(self, command: Command) -> dict[str, Callable[[], object]]:
        memory, ana, told = self.memory(command.who), self.memory("person:ana"), dict(command.told)
        mode = told.pop("mode", None)
        if told.get("kind") is None:  # these say something of a claim
            told.pop("until", None)
            told.pop("form", None)
        call = {"command": COMMANDS[command.number % len(COMMANDS)]}
        project = SCOPES[0]
        return {
            "remember": lambda: memory.remember(**told),
            "approve_claim": lambda: memory.approve(self._nth(command, "claim")),
            "approve_record": lambda: memory.approve(self._nth(command, "record")),
            "approve_verdict": lambda: memory.approve(self._nth(command, "verdict")),
            "reject_claim": lambda: memory.reject(self._nth(command, "claim")),
            "reject_record": lambda: memory.reject(self._nth(command, "record")),
            "import": lambda: memory.import_trace(self._trace(command.number), scope=project),
            "judge": lambda: self._judge(command.who, call),
            "redeem": lambda: self._redeem(command),
            "outcome": lambda: memory.report_outcome(self._nth(command, "verdict"), status="failed"),
            "recall": lambda: memory.recall("can it go live?", scope=project, impact="execute"),
            "mode": lambda: memory.set_mode(TARGETS[command.number % len(TARGETS)], mode, reason="r"),
            "registry": lambda: setattr(self.app, "registry", registry(POLICIES[command.number % 2])),
            "forget": lambda: ana.forget(record=self._nth(command, "record")),
            "hold": lambda: ana.hold(record=self._nth(command, "record")),
            "release": lambda: [ana.release_hold(each.hold_id) for each in ana.holds()],
            "unconsent": lambda: ana.withdraw_consent(principal=command.who),
            "consent": lambda: [ana.give_consent(principal=each.name) for each in ana.consents()],
            "erase": lambda: ana.maintain("erase"),
            "wait": lambda: setattr(self.clock, "_now_us", self.clock.now_us() + command.number * 3_600_000_000),
        }

    def _judge(self, who: str, call: dict[str, str]) -> None:
        verdict = self.memory(who).judge("Bash", call, scope=SCOPES[0])
        if verdict.permit is not None:
            self.tokens.append((verdict.permit.token, who, call))

    def _redeem(self, command: Command) -> None:
        """One of the permits so far, the newest for number 0; now and then by somebody else, and often too late."""
        if self.tokens:
            token, who, call = self.tokens[-1 - command.number % len(self.tokens)]
            self.memory(command.who if command.number % 5 == 4 else who).redeem(
                token, tool="Bash", args=call, scope=SCOPES[0]
            )

    def _nth(self, command: Command, item: str) -> str:
        """The id of one of the items that the ledger has so far; the newest for number 0."""
        found: dict[str, list[str]] = {"claim": [], "record": [], "verdict": []}
        for event in self.events():
            match event:
                case ClaimProposed(claim_id=claim_id):
                    found["claim"].append(claim_id)
                case RecordAdmitted(record=record) | RecordPending(record=record):
                    found["record"].append(record.record_id)
                case VerdictJudged(verdict_id=verdict_id):
                    found["verdict"].append(verdict_id)
                case _:
                    pass
        ids = found[item] or ["nothing"]
        return ids[-1 - command.number % len(ids)]

    def _trace(self, number: int) -> Path:
        """One of two transcripts, as far as it had been written when it was looked at."""
        session = f"session-{number % 2}"
        rows = [
            {
                "type": "user",
                "uuid": f"{session}-{place}",
                "parentUuid": f"{session}-{place - 1}" if place else None,
                "timestamp": f"2026-11-20T10:00:{place:02d}.000Z",
                "sessionId": session,
                "isSidechain": False,
                "message": {"role": "user", "content": TEXTS[place]},
            }
            for place in range(1 + number % len(TEXTS))
        ]
        path = self.traces / f"{session}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path


@contextmanager
def player(traces: Path, folder: Path | None = None) -> Iterator[Player]:
    """A player on a store in memory, or in a folder; closed at the end."""
    made = Player(SqliteStore.in_memory() if folder is None else SqliteStore.open(folder), traces)
    try:
        yield made
    finally:
        made.app.close()

"""Play: a history on a real store, through the verbs of the service; each step has a clock and ids of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from heedful.adapters.blobs.folder import MemoryBlobs
from heedful.adapters.models.choose import embedders_of
from heedful.bootstrap import App
from heedful.kernel.errors import BusyError, HeedfulError, UnavailableError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.times import parse_time
from heedful.observations.record import Channel
from heedful.ports.store import Store
from heedful.service import review
from heedful.service.acting import outcome
from heedful.service.acting.judge import judge
from heedful.service.auditing import audit, status, why
from heedful.service.governing import modes
from heedful.service.keeping.import_ import import_trace
from heedful.service.keeping.keep_claims import ClaimNote
from heedful.service.keeping.remember import Remembered, remember
from heedful.service.keeping.statements import RememberTexts
from heedful.service.recalling.recall import recall
from heedful.service.requests import action_request, memory_request
from heedful.service.session import Session
from heedful.settings import Settings
from heedful.testing.isolation.dispute_verbs import READS, note_conflict
from heedful.testing.isolation.injected import StepClock, StepEntropy, StepKeys, Transcript
from heedful.testing.isolation.people import ANA, registry_for
from heedful.testing.isolation.router import HearsWords
from heedful.testing.isolation.run_texts import REGISTRY
from heedful.testing.isolation.run_verbs import do_run_verb
from heedful.testing.isolation.steps import HOME, LINKS, OTHERS, Made, Step, World, known_then
from heedful.testing.isolation.told import pages, told

START = "2026-11-28T09:00:00Z"
STEP_US = 60_000_000
INLINE_BYTES = 512
"""Longer content lies in the blob store; the usual limit would make worlds slow to write."""
ABSENT = "00000000-0000-7000-8000-000000000000"
Watch = Callable[[Step], AbstractContextManager[None]]
Ids = dict[tuple[Made, int], str]


@dataclass(frozen=True, slots=True)
class Noted:
    """A claim that was proposed.

    Attributes:
        is_end: it says that another is over.
    """

    claim_id: str
    kind: str
    rank: str
    is_end: bool


@dataclass(slots=True)
class Played:
    """What came of a history.

    Attributes:
        answers: step number -> what the requester was handed, as bytes.
        ids: of what each step made.
        verdicts: step number -> the verdict that was given, to whomever, as it is stored.
        notes: step number -> the claims that came of what was remembered or imported.
        refused: the steps that ended in an error.
        rests_on: step number -> the records that each thing rests on which it mined.
        pairs: step number -> both claims of the conflict that it brought.
    """

    answers: dict[int, bytes] = field(default_factory=dict)
    ids: Ids = field(default_factory=dict)
    verdicts: dict[int, dict[str, Any]] = field(default_factory=dict)
    notes: dict[int, tuple[Noted, ...]] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    rests_on: dict[int, list[Sequence[str]]] = field(default_factory=dict)
    pairs: dict[int, tuple[str, str]] = field(default_factory=dict)


def play(
    world: World,
    steps: Sequence[Step],
    store: Store,
    *,
    named: str,
    ids: Mapping[tuple[Made, int], str] | None = None,
    watch: Watch = lambda _step: nullcontext(),
) -> Played:
    """What came of these steps, on a store in which `named` tells this world's tenants apart; the store stays open.

    `ids` None: steps are done to what this play made; else to these ids, whether or not anything has them here.
    Each of the requester's steps is done within `watch(step)`; what its session does when it is made lies before.
    """
    player = _Player(world, store, named, ids)
    try:
        player.found_tenants({HOME, *(step.tenant for step in steps)})
        for step in steps:
            player.step(step, watch)
    finally:
        player.app.close()
    return player.played


class _Player:
    def __init__(self, world: World, store: Store, named: str, ids: Mapping[tuple[Made, int], str] | None) -> None:
        self.world = world
        self.named = named
        self.played = Played()
        self.targets: Mapping[tuple[Made, int], str] = self.played.ids if ids is None else ids
        self.clock, self.entropy = StepClock(), StepEntropy()
        self.sessions: dict[tuple[str, str], Session] = {}
        self.tokens: dict[int, str] = {}
        self.router = HearsWords() if world.has_router else None
        settings = Settings(
            access_window_seconds=3_600.0,
            inline_bytes_max=INLINE_BYTES,
            embedder=world.embedder,
            scorer=world.scorer,
        )
        self.app = App(
            settings=settings,
            store=store,
            blobs=MemoryBlobs(),
            keys=StepKeys(),
            clock=self.clock,
            entropy=self.entropy,
            registry=registry_for(
                world.unreviewed, auto_approve=world.auto_approve, more=REGISTRY if world.is_of_runs else ""
            ),
            default_scope=("project:payments",),
            folder=None,
            embedders=embedders_of(settings),
            router=self.router,
            owns_store=False,
        )

    def found_tenants(self, wanted: set[str]) -> None:
        for name in (HOME, *OTHERS):
            if name in wanted:
                self._begin(0, name)
                self.app.add_tenant(f"{self.named}-{name}", PrincipalId(ANA.name))

    def step(self, step: Step, watch: Watch) -> None:
        is_compared = step.tenant == HOME and step.person is self.world.requester
        if self.world.bounds is not None:
            is_compared = step.is_asked
        answer: object
        try:
            session = self._session(step, is_new=is_compared)
            self._begin(step.number, "step")
            if self.router is not None:
                self.router.deaf = step.deaf
            with watch(step) if is_compared else nullcontext():
                answer = self._do(session, step)
            if self.world.is_of_disputes and step.verb not in READS:
                note_conflict(session, step, self.played)
        except (UnavailableError, BusyError):
            raise  # nobody answered: two worlds in which nothing works would be equal
        except HeedfulError as error:
            self.played.refused.add(step.number)
            answer = (type(error).__name__, error.code, error.message, error.next_step, error.details)
        if is_compared:
            self.played.answers[step.number] = told(answer)

    def _session(self, step: Step, *, is_new: bool) -> Session:
        """A session of the step's principal; whoever is not compared goes on with the one that they have."""
        key = step.tenant, step.person.name
        if is_new or key not in self.sessions:
            self._begin(step.number, "session")
            self.sessions[key] = self.app.session(
                tenant=f"{self.named}-{step.tenant}",
                principal=step.person.name,
                channel=Channel(step.person.channel),
            )
        return self.sessions[key]

    def _begin(self, number: int, part: str) -> None:
        self.clock.now = parse_time(START, field="start").at_us + number * STEP_US
        self.entropy.begin(f"{self.named}/{number}/{part}")

    def _do(self, session: Session, step: Step) -> object:  # noqa: C901  # one case a verb
        item_id = ABSENT if step.target is None else self.targets.get((step.target.made, step.target.step), ABSENT)
        ids, number, fields = self.played.ids, step.number, step.fields
        match step.verb:
            case "remember":
                return self._remember(session, step)
            case "import":
                transcript = Transcript(f"5d0e4a3c-1b2f-4c6d-8e7f-{number:012d}", fields["messages"])
                importer = self.app.importers[0]
                report = import_trace(session, importer, transcript, scope=step.scope, progress=lambda _done: None)
                self._note(session, step, report.claims)
                return report
            case "recall":
                packet = recall(session, memory_request(session, scope=step.scope, known_at=known_then(step), **fields))
                ids["packet", number] = packet.packet_id
                return packet
            case "judge":
                request = action_request(session, scope=step.scope, **fields)
                verdict = judge(session, request, packet_id=None if step.target is None else item_id)
                ids["verdict", number] = verdict.verdict_id
                with session.store.read() as reading:
                    stored = reading.verdict(verdict.verdict_id)
                assert stored is not None
                self.played.verdicts[number] = json.loads(stored.verdict_json)
                # Its token is in no `repr`; and it too must be the same, whatever the requester may not see.
                if verdict.permit is not None:
                    self.tokens[number] = verdict.permit.token
                return verdict, None if verdict.permit is None else verdict.permit.token
            case "approve":
                return review.approve(session, item_id, fields["text"])
            case "reject":
                return review.reject(session, item_id, fields["text"])
            case "outcome":
                return outcome.report_outcome(session, item_id, status=fields["status"], text=fields["text"])
            case "mode":
                return modes.set_mode(session, fields["target"], fields["mode"], "as planned")
            case "queue":
                return review.review_queue(session, known_at=known_then(step))
            case "show":
                return review.show(session, item_id, known_at=known_then(step))
            case "why":
                return why.why(session, item_id, as_of=known_then(step))
            case "status":
                return status.status(session)
            case "page":
                with session.store.read() as reading:
                    return pages(session, reading, fields["limit"], fields["kinds"])
            case "idle":
                return None
            case "verify":
                return audit.verify(session, views=False, progress=lambda _position: None)
            case _:
                return do_run_verb(session, step, item_id, self.played, self.tokens, self.targets)

    def _remember(self, session: Session, step: Step) -> Remembered:
        fields = dict(step.fields)
        content = fields.pop("content")
        for link, made in LINKS.items():
            if link in fields:
                fields[link] = (self.targets.get((made, fields[link]), ABSENT),)
        texts = RememberTexts(classification=step.rank, **fields)
        kept = remember(session, content, scope=step.scope, texts=texts)
        if kept.outcome != "refused":
            self.played.ids["record", step.number] = kept.record_id
            for note in kept.claims[:1]:
                self.played.ids["claim", step.number] = note.claim_id
            self._note(session, step, kept.claims)
        return kept

    def _note(self, session: Session, step: Step, notes: Sequence[ClaimNote]) -> None:
        with session.store.read() as reading:
            claims = [reading.claim(note.claim_id) for note in notes]
        self.played.notes[step.number] = tuple(
            Noted(each.claim_id, each.kind, each.classification, is_end=each.value is False) for each in claims if each
        )

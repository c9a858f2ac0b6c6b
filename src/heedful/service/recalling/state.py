"""State: what something is now, or was, from the records that tell it; and what is not known is said so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from heedful.claims.assurance import assurance_of
from heedful.claims.claim import Claim, ClaimStatus, Form
from heedful.claims.layers import Layer, layer_of_form
from heedful.claims.projections.timeline import Span, in_order, since, spans
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Assurance, Impact
from heedful.kernel.scope import Scope
from heedful.kernel.times import format_time
from heedful.ledger.events import JsonScalar
from heedful.policy.tools import match_tool_call
from heedful.ports.store import Reading, Visible
from heedful.service.as_known import as_known
from heedful.service.belief.place_states import DEAD
from heedful.service.instants import instant, instant_or_none
from heedful.service.keeping.propose import require_name
from heedful.service.keeping.states import sightings_of
from heedful.service.merging.found import about
from heedful.service.recalling.explain_state import explained_by
from heedful.service.requests import clean_scope
from heedful.service.session import Session
from heedful.service.sight import visible_everywhere, visible_for_request

HISTORY_MAX = 100
"""States of one property that a history shows, the newest; and changes that are explained."""
STATES_MAX = 1_000
"""Claims about one subject, the newest; `is_cut` says that there are more."""
TOOLS_SHOWN = 4
_FORMS = frozenset({Form.STATE, Form.INFERENCE})


@dataclass(frozen=True, slots=True)
class Step:
    """One state in a history, or the one that holds.

    Attributes:
        since, until: when it holds, ISO 8601; until None: neither the next one nor an end is known.
        observed_at: when the record says that it was so; `known_from`: when we learned of it.
        changed_from: the value before, where that was another.
        changed_by: the record of the action or verification that explains the change.
        unexplained: True: it changed, and nothing that is known explains that. None: not looked for.
    """

    value: JsonScalar
    assurance: Assurance
    since: str
    until: str | None
    observed_at: str
    known_from: str
    claim_id: ClaimId
    status: ClaimStatus
    evidence: tuple[RecordId, ...]
    changed_from: JsonScalar | None
    changed_by: RecordId | None
    unexplained: bool | None


@dataclass(frozen=True, slots=True)
class State:
    """What is known of one property of the subject, in one scope and its layer of memory.

    Attributes:
        known: False: nothing that is known holds at that instant, and `reason` says why.
        value, assurance, evidence: of the state that holds; None and empty where none does.
        reviewed: True: a person has approved it.
        since: since when it has this value without a gap.
        until: until when it may be taken to hold; None: nothing says.
        changed: the state with which this value began.
        last: the newest state up to that instant, whether it holds or not.
        inferred: what agents have said since, which is no state.
        next_step: what to observe next where nothing is known, or only inferred.
    """

    property: str
    scope: Scope
    layer: Layer
    known: bool
    value: JsonScalar | None
    assurance: Assurance | None
    reviewed: bool
    since: str | None
    until: str | None
    evidence: tuple[RecordId, ...]
    changed: Step | None
    last: Step | None
    inferred: tuple[Step, ...]
    reason: str
    next_step: str
    history: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class States:
    """The answer: a state for each property and scope, in their order; none: nothing is known of the subject.

    Attributes:
        as_of, known_at: the instants that it is about, ISO 8601: when it held, and what was known then.
        is_cut: True: there is more than was looked at.
    """

    subject: str
    as_of: str
    known_at: str
    states: tuple[State, ...]
    next_step: str
    is_cut: bool


def state(
    session: Session,
    subject: str,
    property_name: str | None = None,
    *,
    as_of: str | None = None,
    known_at: str | None = None,
    history: bool = False,
    scope: Sequence[str] = (),
) -> States:
    """What is known of the subject, of all its properties or of one; what is not known is said so.

    `as_of`: when it held, `known_at`: as far as was known then, both ISO 8601 and now by default. Without a `scope` all
    that the session may see counts, else what applies in it. `history`: every state that is known, too.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: those of `instant`, of a name and of a scope.
        BusyError, UnavailableError: the store.
    """
    session.require("recall")
    require_name(subject, "subject")
    if property_name is not None:
        require_name(property_name, "property")
    now_us = session.clock.now_us()
    at_us = now_us if as_of is None else instant(session, as_of, field="as_of")
    known_us = instant_or_none(session, known_at, field="known_at")
    asked = clean_scope(scope) if scope else None
    with session.store.read() as reading:
        visible = visible_everywhere(session, reading) if asked is None else visible_for_request(session, asked)
        look = (visible, subject, property_name)
        if known_us is None:
            states, is_cut = states_of(session, reading, *look, at_us=at_us, history=history)
    if known_us is not None:
        with as_known(session, known_us, visible) as then, then.store.read() as reading:
            states, is_cut = states_of(then, reading, *look, at_us=at_us, history=history)
    return States(
        subject=subject,
        as_of=format_time(at_us),
        known_at=format_time(now_us if known_us is None else known_us),
        states=states,
        next_step="" if states else _observe(session, subject, property_name),
        is_cut=is_cut,
    )


def states_of(
    session: Session,
    reading: Reading,
    visible: Visible,
    subject: str,
    property_name: str | None = None,
    *,
    at_us: int,
    history: bool = False,
) -> tuple[tuple[State, ...], bool]:
    """The states of the subject that are visible, in order of property and scope; and whether there is more."""
    found = about(reading, visible, subject, limit=STATES_MAX + 1)
    look = _Look(session, reading, visible, at_us, history=history)
    groups: dict[tuple[str, Scope], list[Claim]] = {}
    for claim in found[:STATES_MAX]:
        if claim.form in _FORMS and property_name in (None, claim.property):
            groups.setdefault((claim.property, claim.scope), []).append(claim)
    ordered = sorted(groups, key=lambda key: (key[0], key[1].key))
    return tuple(filter(None, (look.state(*key, groups[key]) for key in ordered))), len(found) > STATES_MAX


class _Look:
    """One look at the states of a subject."""

    def __init__(self, session: Session, reading: Reading, visible: Visible, at_us: int, *, history: bool) -> None:
        self._session = session
        self._reading = reading
        self._visible = visible
        self._at_us = at_us
        self._history = history

    def state(self, property_name: str, scope: Scope, claims: list[Claim]) -> State | None:
        """What is known of the property there; None where nothing was ever told that still counts."""
        told = self._spans(claim for claim in claims if claim.form is Form.STATE)
        said = self._spans(claim for claim in claims if claim.form is Form.INFERENCE)
        line, besides = (told, said) if told else (said, ())
        if not line:
            return None
        place = next((at for at in reversed(range(len(line))) if line[at].start_us <= self._at_us), None)
        span = None if place is None else line[place]
        holds = span if span is not None and span.contains(self._at_us) else None
        first = 0 if place is None else since(line, place)
        known = holds is not None
        last_us = None if span is None else span.sighting.occurred_us
        begins = None if place is None else self._step(line, first, explain=True)
        is_guess = known and begins is not None and line is said
        return State(
            property=property_name,
            scope=scope,
            layer=layer_of_form(Form.STATE, scope),
            known=known,
            value=None if holds is None else holds.value,
            assurance=None if holds is None else self._assurance(holds),
            reviewed=holds is not None and holds.sighting.claim.is_reviewed,
            since=None if holds is None else format_time(line[first].start_us),
            until=None if holds is None or holds.end_us is None else format_time(holds.end_us),
            evidence=() if holds is None else holds.sighting.claim.evidence,
            changed=begins if known else None,
            last=None if place is None else self._step(line, place, explain=False),
            inferred=tuple(
                self._step(besides, at, explain=False)
                for at, each in enumerate(besides)
                if each.contains(self._at_us) and (last_us is None or each.sighting.occurred_us > last_us)
            ),
            reason=self._reason(line, span, is_known=known),
            next_step="" if known and not is_guess else _observe(self._session, claims[0].subject, property_name),
            history=self._steps(line) if self._history else (),
        )

    def _spans(self, claims: Iterable[Claim]) -> tuple[Span, ...]:
        believed = [claim for claim in claims if claim.status not in DEAD]
        return spans(in_order(sightings_of(self._reading, believed)))

    def _steps(self, line: tuple[Span, ...]) -> tuple[Step, ...]:
        return tuple(self._step(line, at, explain=True) for at in range(max(0, len(line) - HISTORY_MAX), len(line)))

    def _step(self, line: tuple[Span, ...], at: int, *, explain: bool) -> Step:
        span = line[at]
        claim = span.sighting.claim
        before = line[at - 1] if at and not _is_same(line[at - 1].value, span.value) else None
        by = None
        if before is not None and explain:
            by = explained_by(self._session, self._reading, self._visible, before.sighting, span.sighting)
        return Step(
            value=span.value,
            assurance=self._assurance(span),
            since=format_time(span.start_us),
            until=None if span.end_us is None else format_time(span.end_us),
            observed_at=format_time(span.sighting.occurred_us),
            known_from=format_time(claim.known_from_us),
            claim_id=claim.claim_id,
            status=claim.status,
            evidence=claim.evidence,
            changed_from=None if before is None else before.value,
            changed_by=by,
            unexplained=before is not None and by is None if explain else None,
        )

    def _assurance(self, span: Span) -> Assurance:
        stored = self._reading.records_by_ids(span.sighting.claim.evidence)
        return assurance_of([each.record for each in stored if each.is_evidence])

    def _reason(self, line: tuple[Span, ...], span: Span | None, *, is_known: bool) -> str:
        if is_known:
            return ""
        if span is None:
            return f"nothing is known of it before {format_time(line[0].start_us)}"
        ended = "" if span.expires_us is None else f", and is too old since {format_time(span.expires_us)}"
        return f"it was last seen at {format_time(span.sighting.occurred_us)}{ended}"


def _is_same(left: JsonScalar, right: JsonScalar) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _observe(session: Session, subject: str, property_name: str | None) -> str:
    """What to observe next: the tools whose output tells such a state, and that are known to change nothing."""
    sort = subject.partition(":")[0]
    tools = dict.fromkeys(
        tool.removesuffix(" *")
        for projector in session.registry.projectors.values()
        if projector.subject.partition(":")[0] == sort and property_name in (None, projector.property)
        for tool in projector.tools
    )
    looks = list(islice((tool for tool in tools if _is_look(session, tool)), TOOLS_SHOWN))
    if not looks:
        return "observe it, and remember what was seen"
    return f"observe it, such as with {', '.join(f'`{tool}`' for tool in looks)}, and remember the output"


def _is_look(session: Session, tool: str) -> bool:
    policy = session.registry.policy
    if "*" in tool:
        return False
    calls: list[tuple[str, dict[str, object]]] = [(tool, {})]
    calls += [(name, {argument: tool}) for name, argument in policy.shell_tools.items()]
    matches = [match_tool_call(name, args, policy) for name, args in calls]
    return any(match.known and match.impact is Impact.READ for match in matches)

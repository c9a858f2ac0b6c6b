"""Named states: how the things stand that a question or a tool call names, with where that is known from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from heedful.bridges.entities import argument_texts
from heedful.claims.claim import TO_ACTIVE, Claim, ClaimStatus, Form
from heedful.claims.projections.named import name_in, stands_in, subject_name
from heedful.evidence.escape import is_word, spoken
from heedful.evidence.grounds.places import places_in
from heedful.evidence.grounds.told import NOTHING_TOLD, Standing, Told, carries, standing_of, state_item
from heedful.evidence.items import proposer_text, record_source_text
from heedful.evidence.packet import PacketItem
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Assurance, Impact, Tier
from heedful.kernel.times import parse_time
from heedful.observations.text import query_terms
from heedful.ports.store import Reading, SearchFilter, Visible
from heedful.recall.request import MemoryRequest, TaskClass
from heedful.service.merging.found import about, asked_for, other_names
from heedful.service.merging.joined import joins_in
from heedful.service.recalling.state import State, states_of
from heedful.service.session import Session

CLAIMS_LOOKED_AT_MAX = 64
"""States that share words with the request, those that share most, of which the named things are taken."""
SUBJECTS_MAX = 3
STATES_MAX = 4
"""Things that are looked up for one request, and states of them in its packet."""
_FORMS = frozenset({Form.STATE, Form.INFERENCE})
BEFORE_MAX = 200
"""Earlier states of a named thing whose records are told apart from those of its present one, the newest."""


def states_named(
    session: Session, reading: Reading, visible: Visible, request: MemoryRequest, task_class: TaskClass
) -> Told:
    """The states at the instant that is asked for, of at most SUBJECTS_MAX things that the request names.

    One cheap look tells whether any state is there to be seen. A state carries an answer where it is known, nobody
    merely inferred it, the environment is the one that is asked for and its property is what is asked for; before
    something is executed it must have been verified or approved as well, and be in effect.
    """
    kinds = _kinds(session)
    texts = (request.features.text, *argument_texts(request.features.args))
    terms = query_terms("\n".join(texts))
    if not kinds or not terms or not _are_there(session, reading, visible, kinds):
        return NOTHING_TOLD
    text = "\n".join(texts)
    subjects = _subjects(session, reading, visible, (terms, text, kinds))
    unsaid = _unsaid(subjects, text, request)
    found: list[tuple[bool, PacketItem]] = []
    advice: list[str] = []
    standings: set[Standing] = set()
    unfit: dict[RecordId, str] = {}
    for subject in islice(unsaid, SUBJECTS_MAX):
        look = _Look(session, reading, request, task_class, text, unsaid=unsaid[subject])
        states, _ = states_of(session, reading, visible, subject, at_us=request.as_of_us)
        for state in states:
            item, standing = look.item(subject, state)
            if item is None:
                continue
            found.append((look.is_asked(state), item))
            standings.add(standing)
            if standing != "holds":
                advice.append(_advice(subject if is_word(subject) else name_in(subject, text), state, standing))
                if request.impact is Impact.EXECUTE:
                    unfit.update(dict.fromkeys(map(RecordId, item.evidence), f"it tells a state that is {standing}"))
        if task_class == "state":
            unfit |= _replaced(reading, visible, subject, states)
    found.sort(key=lambda each: (not each[1].supports, not each[0]))
    return Told(
        tuple(item for _, item in found[:STATES_MAX]),
        tuple(advice[:STATES_MAX]),
        too_old="too-old" in standings,
        no_effect="not-in-effect" in standings,
        unfit=unfit,
    )


def _replaced(reading: Reading, visible: Visible, subject: str, states: Sequence[State]) -> dict[RecordId, str]:
    """The records that tell only what the subject was before its present state."""
    now = {(each.property, each.scope): each.last for each in states if each.last is not None}
    gone: set[RecordId] = set()
    kept = {record_id for last in now.values() for record_id in last.evidence}
    for claim in about(reading, visible, subject, limit=BEFORE_MAX):
        last = now.get((claim.property, claim.scope))
        if last is None or claim.form is not Form.STATE:
            continue
        is_before = (
            claim.valid_from_us is not None and claim.valid_from_us < parse_time(last.since, field="since").at_us
        )
        if is_before and claim.value != last.value:
            gone.update(claim.evidence)
        else:
            kept.update(claim.evidence)
    return dict.fromkeys(gone - kept, "it tells what was before the present state")


def _kinds(session: Session) -> list[str]:
    """The kinds of states that something reads out of tools' output."""
    return sorted({each.kind for each in session.registry.projectors.values()})


def _is_shown(session: Session, claim: Claim) -> bool:
    return claim.is_reviewed or session.registry.policy.unreviewed == "advisory"


def _are_there(session: Session, reading: Reading, visible: Visible, kinds: Sequence[str]) -> bool:
    """Whether any state is there to be seen; the one look that a store without states pays for."""
    statuses = TO_ACTIVE if session.registry.policy.unreviewed == "advisory" else (ClaimStatus.ACTIVE,)
    return bool(
        reading.claims(
            visible,
            statuses=statuses,
            # Nearly all such kinds are below one: a shorter list is found sooner, and one look too many does no harm.
            kinds=sorted({kind.partition(".")[0] for kind in kinds}),
            visibility=None,
            tier_min=Tier.UNVERIFIED,
            valid_at_us=None,
            limit=1,
        )
    )


def _subjects(
    session: Session, reading: Reading, visible: Visible, asked: tuple[Sequence[str], str, Sequence[str]]
) -> tuple[str, ...]:
    """The things that the text names and of which a state is told, whether it still holds or not."""
    terms, text, kinds = asked
    advisory = session.registry.policy.unreviewed == "advisory"
    wanted = SearchFilter("claim", (), (), None, unreviewed=advisory)
    joins = joins_in(reading, visible)
    asked_terms = asked_for(terms, other_names(joins, text))
    hits = reading.search(visible, asked_terms, wanted, limit=CLAIMS_LOOKED_AT_MAX).hits
    ranked = sorted(hits, key=lambda hit: (-len(hit.terms), -hit.position))
    claims = reading.claims_by_ids([ClaimId(hit.item_id) for hit in ranked])
    subjects = dict.fromkeys(claim.subject for claim in claims if claim.kind in kinds and claim.form in _FORMS)
    # Of several that are one, the one that is named.
    named = (next((one for one in joins.all_of(each) if name_in(one, text)), None) for each in subjects)
    return tuple(dict.fromkeys(each for each in named if each is not None))


def _unsaid(subjects: Sequence[str], text: str, request: MemoryRequest) -> dict[str, str]:
    """The subjects of the environment that is asked for -> what would have to be said to be sure of each; or nothing.

    What the words or the scope say leaves other environments out; where neither says, and there are several, none is
    sure. Nor is, of two of one sort and name in two spaces, one whose space is not named.
    """
    asked = places_in([text]) or places_in(
        element.partition(":")[2] for element in request.scope.elements if element.startswith("environment:")
    )
    kept = []
    for subject in subjects:
        environment = subject_name(subject).environment
        places = places_in([environment]) if environment else frozenset()
        if not (asked and places and not asked & places):
            kept.append(subject)
    several = len({subject_name(each).environment for each in kept}) > 1
    found: dict[str, str] = {}
    for subject in kept:
        environment = subject_name(subject).environment
        is_said = places_in([environment]) & asked or name_in(f"environment:{environment}", text)
        found[subject] = "environment" if several and not is_said else _unsaid_space(subject, kept, text)
    return found


def _unsaid_space(subject: str, subjects: Sequence[str], text: str) -> str:
    own = subject_name(subject)
    name = own.names[-1]
    rivals = (subject_name(each) for each in subjects)
    has_rival = any((each.type, each.names[-1]) == (own.type, name) and each.space != own.space for each in rivals)
    return "space" if has_rival and not (own.space and stands_in(own.space, text)) else ""


class _Look:
    """How the states of one named thing become items."""

    def __init__(
        self,
        session: Session,
        reading: Reading,
        request: MemoryRequest,
        task_class: TaskClass,
        text: str,
        *,
        unsaid: str,
    ) -> None:
        self._session = session
        self._reading = reading
        self._request = request
        self._task_class = task_class
        self._text = text
        self._unsaid = unsaid

    def is_asked(self, state: State) -> bool:
        """True where the question may be about this property."""
        return carries(self._request.features.text, state.property, state.value)

    def item(self, subject: str, state: State) -> tuple[PacketItem | None, Standing]:
        """The state as an item, with how it is to be taken; None for one that nobody may rely on here."""
        last = state.last
        standing = standing_of(state.value, self._failures(state), known=state.known, seen=last is not None)
        claim = None if last is None else self._reading.claim(last.claim_id)
        if last is None or claim is None or not _is_shown(self._session, claim):
            return None, "not-yet"
        records = self._reading.records_by_ids(last.evidence)
        assurance = state.assurance if state.known else last.assurance
        return (
            state_item(
                claim,
                supports=self._supports(state, standing),
                standing=standing,
                assurance="" if assurance is None else str(assurance),
                since=state.since if state.known else last.since,
                until=state.until if state.known else last.until,
                source=record_source_text(records[-1].record) if records else proposer_text(claim),
                evidence=last.evidence,
                reason=self._reason(subject, state, standing),
            ),
            standing,
        )

    def _failures(self, state: State) -> tuple[str, ...]:
        projectors = self._session.registry.projectors.values()
        return tuple(value for each in projectors if each.property == state.property for value in each.failures)

    def _supports(self, state: State, standing: Standing) -> bool | None:
        if self._task_class == "general":
            return None
        if self._task_class != "state" or not state.known or state.assurance is Assurance.INFERRED:
            return False
        if self._unsaid or not self.is_asked(state):
            return False
        is_proved = state.reviewed or state.assurance is Assurance.VERIFIED
        return self._request.impact is not Impact.EXECUTE or (is_proved and standing == "holds")

    def _reason(self, subject: str, state: State, standing: Standing) -> str:
        last, changed = state.last, state.changed
        said = [f"the request names {name_in(subject, self._text)}"]
        if is_word(subject):
            said[0] += f", which is {subject}"
        if standing == "too-old" and last is not None:
            said.append(f"not known any more: {state.reason}")
        elif standing == "not-in-effect":
            said.append("it says that something failed, was taken back or is not in effect")
        if state.assurance is Assurance.VERIFIED:
            said.append(f"verified by {', '.join(state.evidence)}")
        elif state.known:
            said.append("approved by a person" if state.reviewed else "nobody has verified or approved it")
        if changed is not None and changed.changed_from is not None:
            by = "by nothing that is known" if changed.changed_by is None else f"by {changed.changed_by}"
            said.append(f"changed from {spoken(str(changed.changed_from))} {by}")
        if self._unsaid:
            said.append(f"which {self._unsaid} is meant is not said")
        return "; ".join(said)


def _advice(name: str, state: State, standing: Standing) -> str:
    property_name, value = spoken(state.property), spoken(str(state.value if state.last is None else state.last.value))
    if standing == "not-in-effect":
        return f"{name}: {property_name} is {value}; nothing may rest on its being in effect."
    return f"{name}: {property_name} was {value}, and that is too old; {state.next_step}."

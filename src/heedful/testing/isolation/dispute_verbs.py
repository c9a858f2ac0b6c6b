"""The verbs of worlds of disputes, as a play does them: overrides, answers, tasks, and what is read of all that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Protocol

from heedful.service.auditing.diagnose import diagnose
from heedful.service.auditing.provenance import provenance
from heedful.service.auditing.scorecard import scorecard
from heedful.service.belief import override
from heedful.service.belief.conflicts import answer, conflicts
from heedful.service.belief.correct import Correction, correct
from heedful.service.erasure.forget import forget
from heedful.service.erasure.hold import holds, place_hold, release_hold
from heedful.service.erasure.select import selection_of
from heedful.service.maintain import maintain
from heedful.service.session import Session
from heedful.service.tasks import task, task_end
from heedful.testing.isolation.steps import Made, Step, Verb, known_then

READS: frozenset[Verb] = frozenset(
    {"recall", "queue", "show", "why", "status", "page", "idle", "task_show", "conflicts", "provenance", "scorecard",
     "diagnose"}
)  # fmt: skip
_LISTED = 8


class Disputed(Protocol):
    """Where a play notes what its steps made.

    Attributes:
        ids: of what each step made.
        pairs: step number -> both claims of the conflict that it brought.
    """

    ids: dict[tuple[Made, int], str]
    pairs: dict[int, tuple[str, str]]


def do_dispute_verb(
    session: Session, step: Step, item_id: str, played: Disputed, made: Mapping[tuple[Made, int], str]
) -> object:
    """What the verb answers; what it made is noted in `played`, what it names is among `made`."""
    fields = step.fields
    match step.verb:
        case "correct":
            corrected = correct(session, item_id, Correction(**fields), reason="as I know it")
            if corrected.correction_id is not None:
                played.ids["claim", step.number] = corrected.correction_id
            return corrected
        case "confirm" | "retract" | "pin" | "unpin":
            return getattr(override, step.verb)(session, item_id, reason="as I know it")
        case "answer":
            conflict_id = _asked_about(session, step, played, made)
            return answer(session, conflict_id, fields["choice"], "as I know it")
        case "forget" | "hold" | "release" | "erase":
            return _forgotten(session, step, item_id)
        case "conflicts":
            return conflicts(session, only_open=fields["only_open"], known_at=known_then(step))
        case "provenance":
            return provenance(session, claim=None if step.target is None else item_id, known_at=known_then(step))
        case "scorecard":
            return _scored(session, step)
        case "diagnose":
            asked = fields["question"] if step.target is None else item_id
            return diagnose(session, asked, answer=fields["text"], current=fields["current"], scope=step.scope)
        case _:
            return _of_task(session, step, item_id, played, made)


def _forgotten(session: Session, step: Step, item_id: str) -> object:
    """What is erased, held, released, or taken on by the job."""
    match step.verb:
        case "forget":
            return forget(session, selection_of(record=item_id))
        case "hold":
            return place_hold(session, selection_of(record=item_id))
        case "release":
            return [release_hold(session, each.hold_id) for each in holds(session)]
        case _:
            return maintain(session, "erase")


def _asked_about(session: Session, step: Step, played: Disputed, made: Mapping[tuple[Made, int], str]) -> str:
    """The conflict that the answer is to: one that is open in the whole world, noted there for the other."""
    key: tuple[Made, int] = ("conflict", step.number)
    with session.store.read() as reading:
        known = reading.conflicts(only_open=True, before=None, limit=_LISTED)
    if key not in made and made is played.ids and known:
        each = known[step.fields["back"] % len(known)]
        played.ids[key], played.pairs[step.number] = each.conflict_id, (each.standing_id, each.newcomer_id)
    return made.get(key, "no-conflict")


def _scored(session: Session, step: Step) -> object:
    """Of the scorecard, what its reader is told of items; the rest counts what everybody wrote."""
    told = asdict(scorecard(session, must=step.fields["must"]))
    return {name: told[name] for name in ("memory_recall_reliability", "recall_from", "recall_asked", "phantoms")}


def _of_task(
    session: Session, step: Step, item_id: str, played: Disputed, made: Mapping[tuple[Made, int], str]
) -> object:
    name, around = step.fields["task"], step.fields["around"]
    match step.verb:
        case "task_add":
            shown_by = [made["record", each] for each in step.fields["evidence"] if ("record", each) in made]
            fact = task.FactTexts(evidence=shown_by) if step.fields["part"] == "fact" else None
            kept = task.add(session, name, step.fields["text"], part=step.fields["part"], scope=around, fact=fact)
            played.ids["record", step.number] = kept.record_id
            for note in kept.claims[:1]:
                played.ids["claim", step.number] = note.claim_id
            return kept
        case "task_done":
            return task.done(session, name, item_id, scope=around)
        case "task_end":
            return task_end.end(session, name, "it is over", scope=around)
        case _:
            return task.show(session, name, scope=around)


def note_conflict(session: Session, step: Step, played: Disputed) -> None:
    """Notes the first conflict that the step brought."""
    known = {each for (made, _), each in played.ids.items() if made == "conflict"}
    with session.store.read() as reading:
        listed = reading.conflicts(only_open=False, before=None, limit=_LISTED)
    for each in listed:
        is_new = ("conflict", step.number) not in played.ids and each.conflict_id not in known
        if is_new and each.detected_at_us == session.clock.now_us():
            played.ids["conflict", step.number] = each.conflict_id
            played.pairs[step.number] = each.standing_id, each.newcomer_id

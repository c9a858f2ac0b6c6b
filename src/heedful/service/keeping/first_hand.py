"""First hand: what people say of themselves in plain sentences -> drafts of a property and its value."""

from __future__ import annotations

from dataclasses import replace

from heedful.bridges.sentences import is_question, own_words, sentences_of
from heedful.bridges.tell import PERSONAL
from heedful.claims.asked_ends import AskedLine, asked_end_in
from heedful.claims.corrected import Correction, correction_in, is_filler, put_right
from heedful.claims.said import BIRTHDAY, Said, said_in
from heedful.claims.said_others import Moved, moved_in, said_of_other
from heedful.claims.time_words import times_in, zone_of
from heedful.kernel.ids import KindId
from heedful.observations.grade import SPEAKS_FOR_ANOTHER
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.names import is_distinct
from heedful.observations.record import Record
from heedful.observations.speaking import is_said_by_person
from heedful.service.keeping.propose import ClaimDraft
from heedful.service.session import Session

CHARACTERS_READ_MAX = 1_000
"""Of a message; longer ones are read for facts alone."""
SENTENCES_READ_MAX = 8
"""Of a message; who says more of themselves at once is telling a story."""
TOLD_BY = "the sentence says it of its speaker, or of whom it names"
_Told = tuple[str | None, Said]
"""The subject (None: the speaker), and what is said of it."""


def first_hand(session: Session, record: Record, draft: ClaimDraft) -> ClaimDraft:
    """The draft of a `remember:` line with the property and value that its sentence says of its speaker.

    The same where it names a kind, property, value, subject or form itself, or says nothing of that sort, or where
    its scope is not a person's.
    """
    if not _is_bare(draft) or not _is_personal(record):
        return draft
    first, *after = sentences_of(draft.statement)
    said = _read(session, record, first)
    if said is None or len(after) > 1:
        return draft
    found = _told(draft, said)
    return next(iter(_put_right(found, first, after[0], is_asked=True)), draft) if after else found


def said_of(session: Session, record: Record) -> list[ClaimDraft]:
    """The drafts of what a person's own message says of them, unasked; kept only where it changes what is held.

    Where the next sentence puts one right, it is as that has it.
    """
    if not _is_own(record) or not _is_personal(record):
        return []
    drafts: list[ClaimDraft] = []
    told: str | None = None
    for sentence in sentences_of(own_words(record.content or ""))[:SENTENCES_READ_MAX]:
        if told is not None and (right := _put_right(drafts[-1], told, sentence, is_asked=False)):
            drafts[-1], told = right[0], right[0].statement
            continue
        said = None if is_question(sentence) else _read(session, record, sentence)
        told = told if is_filler(sentence) else None if said is None else sentence
        if said is not None:
            drafts.append(_told(_draft_of(sentence), said))
    return drafts


def leaning_of(record: Record) -> Correction | Moved | None:
    """How a person's own message begins by putting right what they said before; None: it does not.

    Or that "she", of whom they spoke before, lives elsewhere now.
    """
    said = sentences_of(own_words(record.content or ""))[:SENTENCES_READ_MAX] if _is_own(record) else ()
    text = ""
    for sentence in said:
        text = f"{text} {sentence}".lstrip()
        correction = None if is_question(sentence) else _leans(text)
        if correction is not None or not is_filler(sentence):
            return correction
    return None


def correction_of(draft: ClaimDraft) -> Correction | Moved | None:
    """What a `remember:` line that says nothing else puts right of what was said before; None: nothing."""
    is_timeless = draft.since_us is None and draft.until_us is None
    return _leans(draft.statement) if _is_bare(draft) and is_timeless else None


def _leans(sentence: str) -> Correction | Moved | None:
    return correction_in(sentence) or moved_in(sentence)


def _is_bare(draft: ClaimDraft) -> bool:
    """True where it is its sentence alone that tells what it is of."""
    return (draft.kind, draft.property, draft.value, draft.subject, draft.form) == (None,) * 5


def _put_right(draft: ClaimDraft, told: str, sentence: str, *, is_asked: bool) -> list[ClaimDraft]:
    """The draft as the sentence after it has it; empty where that puts nothing right."""
    correction = None if is_question(sentence) else correction_in(sentence)
    right = None if correction is None else put_right(told, draft.value, correction, is_asked=is_asked)
    return [] if right is None else [replace(draft, statement=right[0], value=right[1])]


def _told(draft: ClaimDraft, told: _Told) -> ClaimDraft:
    subject, said = told
    return replace(draft, kind=said.kind, subject=subject, property=said.property, value=said.value)


def _draft_of(sentence: str) -> ClaimDraft:
    return ClaimDraft(
        kind=None,
        statement=sentence,
        subject=None,
        property=None,
        value=None,
        form=None,
        applies_to=None,
        not_for=None,
        since_us=None,
        until_us=None,
        told_by=TOLD_BY,
    )


def forgotten_in(record: Record) -> list[AskedLine]:
    """What a person's own message asks to have forgotten, sentence by sentence; back to a default needs a line."""
    if not _is_own(record):
        return []
    ends = (asked_end_in(each) for each in sentences_of(own_words(record.content or ""))[:SENTENCES_READ_MAX])
    return [AskedLine(end) for end in ends if end is not None and end.how == "forget"]


def _is_own(record: Record) -> bool:
    """True for a short message of a person's own words."""
    spoken = is_said_by_person(record)
    spoken = spoken and not {SPEAKS_FOR_ANOTHER, ADDRESSES_AGENT} & {*record.flags}
    return spoken and 0 < len(record.content or "") <= CHARACTERS_READ_MAX


def _is_personal(record: Record) -> bool:
    """True where "I" is whom the scope names."""
    return record.scope.elements[:1] != () and record.scope.elements[0].startswith(PERSONAL[:2])


def _read(session: Session, record: Record, sentence: str) -> _Told | None:
    """What the sentence says of its speaker, or of somebody else, who is a subject below the speaker; None: nothing."""
    told = _read_as(record, sentence)
    if told is None or told[1].kind != BIRTHDAY:
        for each in times_in(sentence, record.occurred.at_us, zone_of(record.occurred, session.zone)):
            sentence = sentence.replace(each.written, "", 1)  # "since March" is no part of where one lives
        told = _read_as(record, sentence)
    return told if told is not None and KindId(told[1].kind) in session.registry.vocabulary.kinds else None


def _read_as(record: Record, sentence: str) -> _Told | None:
    speaker = record.scope.elements[0]
    if (said := said_in(sentence)) is not None:
        return None, said
    other = said_of_other(sentence, speaker.partition(":")[2])
    return None if other is None or not is_distinct(other.whom) else (f"{speaker}/{other.whom}", other.said)

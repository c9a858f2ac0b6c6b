"""Worded: the times that a statement names in words -> when its claim holds, and whether it is a plan or an event."""

from __future__ import annotations

import re
from dataclasses import replace

from heedful.bridges.vocabulary import Kind
from heedful.claims.claim import Form
from heedful.claims.said import BIRTHDAY
from heedful.claims.time_words import Role, Spoken, is_past, validity_in, zone_of
from heedful.kernel.ids import KindId
from heedful.kernel.intervals import Interval
from heedful.kernel.times import US_A_DAY
from heedful.observations.record import Record
from heedful.service.keeping.propose import NOTE_KIND, ClaimDraft
from heedful.service.session import Session

_PLANNED = frozenset({Form.FACT, Form.STATE, Form.EVENT, Form.INFERENCE})
"""What is said of a time to come in one of these forms is a plan. A rule for next week stays a rule."""
_PASSING = frozenset({Form.STATE, Form.PLAN, Form.CONSTRAINT})
"""What is told unasked of such a kind may end; of a kind of facts the words may speak of something beside it."""
_STAY = re.compile(
    r"\b(?:i'm|i am|we're|we are|i'll be|we'll be|will be|going|travell?ing|flying|moving|driving) "
    r"(?:in|at|to|away|on (?:holiday|vacation|leave|a trip)|out of)\b|\b(?:trip|flight|meeting|appointment)\b"
    r"|在[^，。,.\s]|去|出差|旅行|休假|开会|出发",
    re.IGNORECASE,
)
"""Somebody is to be somewhere: that is over with its time, whatever else is so."""


def worded(session: Session, record: Record, draft: ClaimDraft) -> ClaimDraft:
    """The draft with the time that its words name for sure, seen from when and where they were said.

    The same where it says since or until when itself, or its words name no one time. What is to come is a plan, and
    what happened an event; what is told unasked (`told_by`) takes less from words than what somebody asked to keep.
    """
    if draft.since_us is not None or draft.until_us is not None or draft.kind == BIRTHDAY:
        return draft  # a birthday holds on every other day too
    said_us = record.occurred.at_us
    spoken = validity_in(draft.statement, said_us, zone_of(record.occurred, session.zone))
    if spoken is None:
        return draft
    kind = session.registry.vocabulary.kinds.get(KindId(draft.kind or NOTE_KIND))
    form = _form(draft, kind)
    found = _asked(draft, spoken, form, said_us) if draft.told_by is None else _told(draft, spoken, kind, said_us)
    if found is None:
        return draft
    days = kind.expires_after_days if kind is not None else None
    if found.until_us is None and days is not None and found.form != Form.PLAN:
        # What has been so for years lives as long from now on as what begins now.
        found = replace(found, until_us=said_us + int(days * US_A_DAY))
    return found


def _form(draft: ClaimDraft, kind: Kind | None) -> Form | None:
    name = draft.form or (kind.form if kind is not None else Form.FACT)
    return Form(name) if name in set(Form) else None


def _asked(draft: ClaimDraft, spoken: Spoken, form: Form | None, said_us: int) -> ClaimDraft | None:
    """The draft of what somebody asked to have remembered, with its time; None: it stays as it is."""
    start_us, end_us = spoken.valid.start_us, spoken.valid.end_us
    if start_us is not None and start_us > said_us:
        return _at(draft, spoken.valid, Form.PLAN if form in _PLANNED and draft.form is None else None)
    if spoken.role is not Role.IN:
        return _at(draft, spoken.valid)
    if end_us is not None and end_us > said_us:
        return None if is_past(draft.statement) else _at(draft, Interval(None, end_us))
    is_event = form is Form.EVENT or (draft.kind in (None, NOTE_KIND) and draft.form is None)
    return _at(draft, spoken.valid, Form.EVENT) if is_event and is_past(draft.statement) else None


def _told(draft: ClaimDraft, spoken: Spoken, kind: Kind | None, said_us: int) -> ClaimDraft | None:
    """The same of what was read in somebody's words unasked: only where it is sure that the time is the claim's."""
    if kind is None or kind.risk == "high":
        return None
    form, start_us = Form(kind.form), spoken.valid.start_us
    if start_us is not None and start_us > said_us:
        is_plan = form is Form.PLAN or (form in _PLANNED and _STAY.search(draft.statement) is not None)
        return _at(draft, spoken.valid, Form.PLAN) if is_plan else None
    ends_ahead = spoken.valid.end_us is not None and spoken.valid.end_us > said_us
    if form not in _PASSING or (spoken.role is Role.IN and not ends_ahead):
        return None
    return _at(draft, spoken.valid)


def _at(draft: ClaimDraft, valid: Interval, form: Form | None = None) -> ClaimDraft:
    return replace(
        draft, since_us=valid.start_us, until_us=valid.end_us, form=draft.form if form is None else str(form)
    )

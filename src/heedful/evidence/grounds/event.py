"""One event of a trajectory beside a question, and how it stands to the others: plain facts, no weights yet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.kernel.kept import keeps_texts
from heedful.observations.record import Record, RecordType
from heedful.observations.text import cut_by_accident, query_terms, search_tokens

TEXT_CHARACTERS_MAX = 4_000
"""Of an event's text, so much is weighed."""
ALIKE_MIN = 0.5
"""From this share of words in common, numbers aside, two outputs are of one sort: the later one replaces the other."""
RARITY_MIN = 0.1
"""What a word counts that every event has."""
_NUMBER = re.compile(r"\d+")
_TERMS_MAX = 4_096


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """A record that was found for a question.

    Attributes:
        nearness: of its vector to the question's, -1 to 1; 0 where there is none.
    """

    record: Record
    nearness: float

    @property
    def text(self) -> str:
        """What is weighed of its content."""
        return (self.record.content or "")[:TEXT_CHARACTERS_MAX]

    @property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(type, id) of what it is about."""
        return tuple((each.type, each.id) for each in self.record.subjects)

    @property
    def when(self) -> tuple[int, int]:
        """Its place in time; `sequence` decides within one instant."""
        return self.record.occurred.at_us, self.record.sequence or 0


def in_order(events: Sequence[FoundEvent]) -> list[FoundEvent]:
    """The events as they happened: by time, and within a run by its sequence, whatever the clock said.

    An event whose clock lies before that of an earlier one of its run is put after that one.
    """
    held: dict[str, int] = {}
    placed: list[tuple[int, int, int, FoundEvent]] = []
    by_run = sorted(enumerate(events), key=lambda each: (each[1].record.run_id or "", each[1].record.sequence or 0))
    for place, event in by_run:
        run, at_us = event.record.run_id or f"#{place}", event.record.occurred.at_us
        held[run] = max(held.get(run, at_us), at_us)
        placed.append((held[run], event.record.sequence or 0, place, event))
    return [event for *_, event in sorted(placed, key=lambda each: each[:3])]


@keeps_texts(_TERMS_MAX)
def shape_of(text: str) -> frozenset[str]:
    """The words of a text without its numbers: outputs of one command share them."""
    return frozenset(search_tokens(_NUMBER.sub("0", text.casefold())))


def are_alike(one: FoundEvent, other: FoundEvent) -> bool:
    """True where both are outputs of one sort about one subject."""
    if not set(one.subjects) & set(other.subjects):
        return False
    words, others = shape_of(one.text), shape_of(other.text)
    return len(words & others) >= ALIKE_MIN * max(1, min(len(words), len(others)))


def coverages(events: Sequence[FoundEvent], question: str) -> list[float]:
    """Of each event the share of the question's words that it has, in text or subjects, rare ones more, 0 to 1."""
    terms = query_terms(question)
    has = [frozenset(search_tokens(" ".join((each.text, *(name for _, name in each.subjects))))) for each in events]
    rarity = {
        term: math.log((len(events) + 1) / (1 + sum(term in tokens for tokens in has))) + RARITY_MIN for term in terms
    }
    nothing = cut_by_accident(terms, frozenset[str]().union(*has))
    total = sum(weight for term, weight in rarity.items() if term not in nothing) or 1.0
    return [sum(weight for term, weight in rarity.items() if term in tokens) / total for tokens in has]


def subject_weights(
    events: Sequence[FoundEvent], covered: Sequence[float], question: str
) -> Mapping[tuple[str, str], float]:
    """How much each subject has to do with the question, 0 to 1: by nearness and words of the events about it, and its
    name.
    """
    asked = frozenset(query_terms(question))
    low = min((each.nearness for each in events), default=0.0)
    mass: dict[tuple[str, str], float] = {}
    for event, share in zip(events, covered, strict=True):
        for subject in event.subjects:
            mass[subject] = mass.get(subject, 0.0) + (event.nearness - low) + share
    for subject in mass:
        if asked & frozenset(search_tokens(" ".join(subject))):
            mass[subject] += 1.0
    most = max(mass.values(), default=0.0) or 1.0
    return {subject: value / most for subject, value in mass.items()}


def is_outcome(record: Record) -> bool:
    """True for what was seen, not done or said."""
    return record.type in (RecordType.TOOL_RESULT, RecordType.VERIFICATION, RecordType.OBSERVATION)

"""What is said and done in a generated world of beliefs: what model and product hear; and how two meet."""

import re
from dataclasses import dataclass

SYSTEM, OPERATOR, CORROBORATED, UNVERIFIED = 4, 3, 2, 1
COPIED_WORDS = 8
Value = str | int | float | bool


@dataclass(frozen=True)
class Origin:
    """Whence a word comes: who, in which session, through what (`person`, `tool`, `document`), in which bytes."""

    who: str
    session: str
    via: str = "person"
    text: str = ""


@dataclass(frozen=True)
class Said:
    """One assertion: when it became believable, when it was said, and of which `[start, end)` it tells."""

    name: str
    known_at: int
    said_at: int | None
    cell: tuple[str, ...]  # subject, property, scope, lane: what meets only itself
    value: Value
    origin: Origin
    own: bool  # said by its subject, through a person's door
    tier: int = UNVERIFIED
    confidence: float = 0.5
    start: int | None = None
    end: int | None = None
    compare: str = "text"  # text, number or boolean
    many: bool = False  # many-valued: nothing compares


@dataclass(frozen=True)
class Done:
    """What was done to a claim (`confirm, retract, pin, unpin, correct`) or answered (`a, b, neither`)."""

    act: str
    known_at: int
    target: str
    by: str
    other: str = ""  # of an answer: the newcomer
    said: Said | None = (
        None  # of a correction: the new word; its start and end are the stretch, None as far as the old went
    )


@dataclass
class Conflict:
    """One weighing of a standing claim and a newcomer."""

    a: str
    b: str
    because: str
    outcome: str
    resolution: str


def independent(a: Origin, b: Origin) -> bool:
    """Whether two words come from different origins, as far as is known; when in doubt, not."""
    data = {"tool", "document"}
    if "agent" in (a.via, b.via) or (a.session and a.session == b.session):
        return False
    if a.who == b.who:
        return {a.via, b.via} <= data and bool(a.session and b.session) and a.text != b.text
    return not ({a.via, b.via} & data and _quotes(a.text, b.text))


def _quotes(one: str, other: str) -> bool:
    """Whether one of the texts has all the words of the other, in their order, and enough of them."""
    few, many = sorted((re.findall(r"[^\W_]+", text.casefold()) for text in (one, other)), key=len)
    runs = (many[at : at + len(few)] for at in range(len(many) - len(few) + 1))
    return len(few) >= COPIED_WORDS and few in runs

"""Authority: whence a claim comes, which origins are independent, and how much authority it can have by that. Pure.

Only an independent origin corroborates; what is derived has at most the authority of the least that it came from;
nothing raises itself. When in doubt, two origins are not independent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from heedful.claims.projections.causality import call_ids
from heedful.claims.projections.experience import origins_named
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Tier
from heedful.observations.grade import DATA_GRADES, tier_for
from heedful.observations.instructions import ADDRESSES_AGENT
from heedful.observations.record import Channel, Record, SourceGrade
from heedful.observations.witness import is_second_hand, is_witness

COPY_WORDS_MIN = 8
"""Contents of so many words that stand in another, one of them by who could have copied it, are one content (a letter
of a script without spaces counts as a word)."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]|[^\W_]+")
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")

Lineage = Mapping[RecordId, Record]
"""Records by id: what others were made from is looked for here, and what is not here is not known."""


def origins_of(record: Record, lineage: Lineage) -> tuple[Record, ...] | None:
    """The roots of the record: what it was made from or repeats, followed to what was made from nothing.

    In the order in which they are found. None where some of it is not known: then it might come from anything.
    """
    roots: dict[RecordId, Record] = {}
    followed: set[RecordId] = set()
    waiting = [record]
    while waiting:
        one = waiting.pop()
        if one.record_id in followed:
            continue
        followed.add(one.record_id)
        named = origins_named(one)
        if not named:
            roots[one.record_id] = one
        for origin in named:
            if origin not in lineage:
                return None
            waiting.append(lineage[origin])
    return tuple(roots.values()) or None


def least_tier(tiers: Iterable[Tier]) -> Tier:
    """The least of these, SYSTEM where there are none: what bounds nothing."""
    return min(tiers, default=Tier.SYSTEM)


def tier_by_lineage(record: Record, lineage: Lineage) -> Tier:
    """The authority of a claim that rests on this record: the least of its own grade and of all that it came from.

    UNVERIFIED where some of that is not known.
    """
    tiers = [tier_for(record.grade)]
    followed: set[RecordId] = {record.record_id}
    waiting = list(origins_named(record))
    while waiting:
        origin = waiting.pop()
        if origin in followed:
            continue
        followed.add(origin)
        if origin not in lineage:
            return Tier.UNVERIFIED
        tiers.append(tier_for(lineage[origin].grade))
        waiting += origins_named(lineage[origin])
    return least_tier(tiers)


def are_independent(left: Record, right: Record) -> bool:
    """True where two records that were made from nothing are two origins, as far as is known of them.

    Never: what an agent or a summary says, what came through an agent's door, and text of data that orders an agent
    about; one document, one tool call, one session; one person twice. The same tool or keeper of documents in another
    session is another origin where the bytes differ. Data that holds the other's words, all of them, quotes it.
    """
    if left.record_id == right.record_id or not (_is_independent_witness(left) and _is_independent_witness(right)):
        return False
    if _is_one_place(left, right):
        return False
    is_data = left.grade in DATA_GRADES or right.grade in DATA_GRADES
    if _who(left) == _who(right):
        both_data = left.grade in DATA_GRADES and right.grade in DATA_GRADES
        return both_data and None not in (left.run_id, right.run_id) and _bytes_of(left) != _bytes_of(right)
    return not (is_data and _is_copy(left, right))


def corroborates(record: Record, evidence: Sequence[Record], lineage: Lineage) -> bool:
    """True where the record is of another origin than all of the evidence of a claim, over any number of derivations.

    Every root of the one has to be independent of every root of the others: what was made from two things might have
    it from either.
    """
    new = origins_of(record, lineage)
    if new is None or is_second_hand(record) or not evidence:
        return False
    for each in evidence:
        known = origins_of(each, lineage)
        if known is None or not all(are_independent(one, other) for one in new for other in known):
            return False
    return True


def independent_origins(records: Sequence[Record], lineage: Lineage) -> int:
    """How many independent origins these records have: each counts that is independent of all that counted before.

    Records whose origin is not known, or that witness nothing by themselves, count for nothing.
    """
    counted: list[Record] = []
    for record in records:
        roots = origins_of(record, lineage)
        if roots is None or is_second_hand(record) or not all(map(_is_independent_witness, roots)):
            continue
        if not counted or corroborates(record, counted, lineage):
            counted.append(record)
    return len(counted)


def corroborated_tier(tier: Tier, grounds: Collection[Tier]) -> Tier:
    """The authority after an independent origin said the same; `grounds`: of the claims that it rests on.

    From UNVERIFIED to CORROBORATED, where nothing that it rests on has less; a higher one stays as it is.
    """
    return max(tier, min(Tier.CORROBORATED, least_tier(grounds)))


def _is_independent_witness(record: Record) -> bool:
    return is_witness(record) and not (record.grade in DATA_GRADES and ADDRESSES_AGENT in record.flags)


def _is_one_place(left: Record, right: Record) -> bool:
    """True where both are of one document, one tool call, or one session."""
    is_document = left.grade is SourceGrade.DOCUMENT and right.grade is SourceGrade.DOCUMENT
    if is_document and left.source_ref is not None and left.told_source_ref == right.told_source_ref:
        return True
    return bool(call_ids(left) & call_ids(right)) or (left.run_id is not None and left.run_id == right.run_id)


def _who(record: Record) -> str:
    """Whose word it is: of what was captured, of whoever spoke, where that is known."""
    is_captured = record.channel is Channel.CAPTURE and record.grade is SourceGrade.USER
    return record.speaker if is_captured and record.speaker is not None else record.principal


def _bytes_of(record: Record) -> tuple[object, ...]:
    return record.content, record.content_base64, None if record.blob is None else record.blob.name


def _is_copy(left: Record, right: Record) -> bool:
    """True where the words of the one, COPY_WORDS_MIN at least, stand in the other; of bytes and long texts: where both
    are the same.
    """
    if left.content is None or right.content is None:
        return _bytes_of(left) == _bytes_of(right)
    shorter, longer = sorted((_words(left.content), _words(right.content)), key=len)
    return len(shorter) >= COPY_WORDS_MIN and f" {' '.join(shorter)} " in f" {' '.join(longer)} "


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(_WITHOUT_SPACES.sub(r"\g<0> ", text))]

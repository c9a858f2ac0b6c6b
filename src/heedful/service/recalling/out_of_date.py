"""Out of date: claims that bear on a request and are known to hold no more, while nothing tells what holds instead."""

from __future__ import annotations

from heedful.claims.claim import Claim
from heedful.claims.lifecycle import is_changing
from heedful.evidence.sufficiency import COVERAGE_MIN
from heedful.service.recalling.candidates import Retrieved
from heedful.service.recalling.in_mind import InMind

CHANGING_MAX = 3
"""Claims that are told as being out of date, in one answer."""


def out_of_date(mind: InMind, retrieved: Retrieved) -> tuple[Claim, ...]:
    """What has words of the request, or would be in mind, and is known to be out of date; the likeliest first."""
    found = [one.claim for one in retrieved.changing if one.terms]
    known = {each.claim_id: each for each in (*filter(is_changing, mind.ended_claims), *found)}
    return tuple(known.values())[:CHANGING_MAX]


def answers_stale(mind: InMind, retrieved: Retrieved) -> int:
    """How many of those would answer the request if they were so."""
    answering = {one.item_id for one in retrieved.changing if one.coverage >= COVERAGE_MIN}
    return len(answering | {each.claim_id for each in mind.ended_claims if is_changing(each)})

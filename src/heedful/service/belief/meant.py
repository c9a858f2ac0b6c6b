"""Meant: which of the claims that are held the words of an end are about."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.bridges.news import over_by, part_meant
from heedful.bridges.over import ABOUT_MIN, Ending, Held, ended_by
from heedful.bridges.sentences import relation_in
from heedful.bridges.urgency import Words, certainty, words_of
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId
from heedful.ports.router import Router
from heedful.service.session import Session

SURELY_TOLD_MIN = 0.5
"""Less sure kinds of one message are guesses at one thing, and end together."""


def likeliest(session: Session, endings: tuple[Ending, ...], held: Sequence[Claim]) -> tuple[tuple[Ending, Claim], ...]:
    """Of these claims those that the words end, each with the first words that end it."""
    # One sentence may have told several kinds, and be weighed as a whole.
    whole: dict[Words, list[Claim]] = {}
    for claim in held:
        whole.setdefault(words_of(claim), []).append(claim)
    groups = list(whole.values())
    listed = [
        Held(
            statement=group[0].statement,
            relation=relation_in(group[0].statement),
            kinds={claim.kind: certainty(claim) for claim in group},
            origin=group[0].evidence,
        )
        for group in groups
    ]
    ended: dict[ClaimId, tuple[Ending, Claim]] = {}
    for ending in endings:
        for claim in _ended_by(session.router, ending, listed, groups):
            ended.setdefault(claim.claim_id, (ending, claim))
    return tuple(ended.values())


def _ended_by(
    router: Router | None, ending: Ending, listed: Sequence[Held], groups: Sequence[Sequence[Claim]]
) -> list[Claim]:
    """The claims that the words end; with them go what is but guessed of the same message."""
    if ending.heard is None or router is None:
        places = ended_by(ending, listed)
    else:
        places = over_by(ending, listed, router.likeness)
    wholes = {listed[place].whole for place in places}
    return [
        claim
        for place, group in enumerate(groups)
        if listed[place].whole in wholes
        for claim in group
        if certainty(claim) < SURELY_TOLD_MIN or (place in places and _ends(router, ending, claim))
    ]


def _ends(router: Router | None, ending: Ending, claim: Claim) -> bool:
    """False where words tell another sure thing besides: who has outgrown an allergy may still have diabetes.

    What the part of the statement tells that the words mean is no other thing.
    """
    if ending.kinds.get(claim.kind, 0.0) >= ABOUT_MIN:
        return True
    if ending.heard is None or router is None:
        return False
    part = part_meant(ending, claim.statement, router.likeness)
    return dict(router.tell(part).kinds).get(claim.kind, 0.0) >= ABOUT_MIN

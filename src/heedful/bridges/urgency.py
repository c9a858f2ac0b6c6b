"""Urgency: how much it matters that words are in mind before what a request decides, 0 to 1.

It is high where both are surely so and forgetting hurts; it decides whether a claim comes to mind, and orders.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from heedful.bridges.links import Links
from heedful.bridges.registry import Registry
from heedful.bridges.request import Activation, Classified, ClassMatch
from heedful.claims.claim import Claim
from heedful.kernel.ids import RecordId
from heedful.kernel.ladder import Mode, Severity

URGENCY_MIN = 0.2
"""A claim comes to mind from this urgency on: how sure its class and itself are, by the weight of the severity.
Chosen on the curve of activation against false alarms (docs/bridges.md); a setting, `urgency_min`."""
SEVERITY_WEIGHT = {Severity.LOW: 0.4, Severity.MEDIUM: 0.6, Severity.HIGH: 0.85, Severity.CRITICAL: 1.0}
"""What would hurt more comes to mind on less. Set by judgement, and by the same curve."""

TOLD_MIN = 0.5
"""Words that hardly tell anything are not taken to tell it surely."""
LINK_URGENCY = 0.3
"""What a link adds where classes are certain."""


class Weights(NamedTuple):
    """Of the logistic that urgency is where a router read the request."""

    start: float
    expected: float
    inert: float
    link: float


WEIGHTS = Weights(start=-2.75, expected=0.65, inert=1.88, link=0.5)
"""`expected` and `inert` as fitted on pairs of statements and requests of an earlier training, kept apart; `start` so
that on the sample cases false alarms stay within what is wanted at URGENCY_MIN (docs/bridges.md#measured). What
scripts/fit_weights.py prints for the present training (0.26, 1.16) was worse there: it sees requests that bring
something alone. Links are too few: their weight is by judgement."""


Words = tuple[str, tuple[RecordId, ...]]


def words_of(claim: Claim) -> Words:
    """What is weighed together: the words that claims rest on."""
    return claim.statement, claim.evidence


def urgencies(
    brought: Sequence[Activation], held: Sequence[Claim], classified: Classified, links: Links
) -> dict[Words, float]:
    """What the words come to, 0 to 1; what only shadow brings counts where nothing else brings anything.

    `expected` sums, over the kinds that the words may tell and the classes that the request may decide, how likely both
    are times the weight of the severity, each pair once: so two likely readings count as one that is sure. Where a
    router read the request, it is taken relative to how likely the words tell anything (`held` are all their claims),
    and weighed with how surely anything is decided at all and whether a link of the knowledge table leads to the words.
    Classes that are certain, by a tool's pattern or by name, are weighed against nothing, nor are reviewed claims
    where a phrase told the class.
    """
    live = _live(brought)
    expected = _expected(live)
    if classified.inert is None or any(match.confidence == 1.0 for match in classified.classes):
        return {
            words: min(1.0, total + (LINK_URGENCY if words[0] in links else 0.0)) for words, total in expected.items()
        }
    inert = classified.inert
    plain = _plain(live, classified)
    return {
        words: max(plain.get(words, 0.0), _logistic(relative, inert, is_linked=words[0] in links))
        for words, relative in expectation(live, held).items()
    }


def expectation(brought: Sequence[Activation], held: Sequence[Claim]) -> dict[Words, float]:
    """`expected` of urgencies, relative to how likely the words tell anything."""
    told = told_by(held)
    return {words: total / max(told[words], TOLD_MIN) for words, total in _expected(_live(brought)).items()}


def told_by(held: Sequence[Claim]) -> dict[Words, float]:
    """How surely the words tell anything: what is sure of each of their kinds, summed."""
    told: dict[Words, float] = {}
    sure = {(words_of(claim), claim.kind): certainty(claim) for claim in held}
    for (words, _), each in sure.items():
        told[words] = told.get(words, 0.0) + each
    return told


def _live(brought: Sequence[Activation]) -> Sequence[Activation]:
    return [one for one in brought if one.mode is not Mode.SHADOW] or brought


def _expected(live: Sequence[Activation]) -> dict[Words, float]:
    pairs = {(words_of(one.claim), one.claim.kind, one.action_class): one.urgency for one in live}
    expected: dict[Words, float] = {}
    for (words, _, _), urgency in pairs.items():
        expected[words] = expected.get(words, 0.0) + urgency
    return expected


def _plain(live: Sequence[Activation], classified: Classified) -> dict[Words, float]:
    """What words whose kind somebody named, or approved, come to over classes that a phrase or more told.

    A classifier is never that sure (tell.CONFIDENCE_MAX).
    """
    worded = {match.action_class for match in readings(classified) if match.method != "router"}
    settled = [one for one in live if certainty(one.claim) == 1.0 and one.action_class in worded]
    pairs = {(words_of(one.claim), one.claim.kind, one.action_class): one.urgency for one in settled}
    found: dict[Words, float] = {}
    for (words, _, _), urgency in pairs.items():
        found[words] = min(1.0, found.get(words, 0.0) + urgency)
    return found


def readings(classified: Classified) -> tuple[ClassMatch, ...]:
    """All that the request may decide: its classes, then its hints."""
    return (*classified.classes, *classified.hints)


def _logistic(expected: float, inert: float, *, is_linked: bool) -> float:
    total = WEIGHTS.start + WEIGHTS.expected * math.log(expected + 0.01) - WEIGHTS.inert * math.log(inert + 0.01)
    total += WEIGHTS.link if is_linked else 0.0
    return round(1.0 / (1.0 + math.exp(-total)), 4)


def urgency_of(claim: Claim, match: ClassMatch, registry: Registry) -> tuple[Severity, float]:
    """What forgetting the claim before this class does, and how urgent that makes it here, 0 to 1."""
    kind = registry.vocabulary.kinds.get(claim.kind)
    # Whoever states a claim may name classes that its kind's row does not have.
    severity = None if kind is None else kind.severity(match.action_class)
    if severity is None:
        severity = Severity.MEDIUM if kind is None else Severity(kind.risk)
    return severity, round(match.confidence * certainty(claim) * SEVERITY_WEIGHT[severity], 4)


def certainty(claim: Claim) -> float:
    """How sure it is that the claim is of its kind; a person's approval settles that."""
    return 1.0 if claim.is_reviewed else claim.confidence

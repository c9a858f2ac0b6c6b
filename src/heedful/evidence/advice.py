"""Advice: the sentences of a packet for the agent."""

from __future__ import annotations

from heedful.evidence.change_words import absence
from heedful.evidence.contested import contested
from heedful.evidence.escape import spoken, told_scope
from heedful.evidence.material import Material
from heedful.recall.candidate import ClaimCandidate

_NO_BRIDGE = {
    "retrieve": "what follows is ordinary retrieval",
    "ask": "ask the person before you go on",
    "review": "have a person review it before you go on",
    "deny": "do not go on",
}


def advice_of(material: Material) -> list[str]:
    """Sentences for the agent: classes that no bridge reaches, by what they say, then doubts, then what gave way."""
    by_answer: dict[str, list[str]] = {}
    for no_bridge in material.activations.no_bridge:
        by_answer.setdefault(no_bridge.on_no_bridge, []).append(no_bridge.action_class)
    sentences = [
        f"No bridge brought anything for {', '.join(by_answer[answer])}: {_NO_BRIDGE[answer]}."
        for answer in ("deny", "review", "ask", "retrieve")
        if answer in by_answer
    ]
    sentences += [
        f"{claim.kind} of {spoken(claim.subject)}: the old experience no longer holds; do not work around it."
        for claim in material.retired
    ]
    sentences += [
        absence(material.changes.get(claim.claim_id), claim.subject, claim.property) for claim in material.changing
    ]
    sentences += material.told.advice
    if material.held_back:
        sentences.append(
            f"Not shown: unreviewed claims of sources that told more than their share: {len(material.held_back)}."
        )
    claims = (
        *(activation.claim for activation in material.activations.in_mind),
        *(one.candidate.claim for one in material.selection.kept if isinstance(one.candidate, ClaimCandidate)),
    )
    doubtful = contested(claims, material.conflicts)
    sentences += [
        f"{spoken(property_name)} of {spoken(subject)}: claims contradict each other, nobody has said which is so: ask."
        for subject, property_name in dict.fromkeys((claim.subject, claim.property) for claim in doubtful)
    ]
    return sentences + [
        f"{spoken(pair.specific.property)} of {spoken(pair.specific.subject)}: what holds for "
        f"{told_scope(pair.specific.scope.elements)} stands here before what holds for "
        f"{told_scope(pair.general.scope.elements)}."
        for pair in material.selection.overridden
    ]

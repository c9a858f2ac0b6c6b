"""RequestFeatures -> what the request decides. No private record is read: only the request and the registry."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.bridges.entities import find_entities
from heedful.bridges.registry import Registry
from heedful.bridges.request import Classified, ClassMatch, RequestFeatures
from heedful.bridges.routed import NOT_ROUTED, Routed
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import Phrase, Wording, find_phrases, wording
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId
from heedful.kernel.ladder import Impact
from heedful.policy.tools import match_tool_call

PHRASE_CLASSES_MAX = 5
"""Classes that words alone may add: 3 to 5 carry nearly all of the recall. A named class or a tool's always counts."""
HINTS_MAX = 8
RECOGNISED_MIN = 0.4
"""From here on a class counts as recognised; below it is a hint."""
HINT_MIN = 0.08
INERT_DEMOTION = 0.8
"""How much of what words tell is lost where nothing is surely decided: they weigh less, and are not suppressed."""

INERT = "inert"
"""Classes at and below this one (looking up, explaining) decide nothing, and make words near them weigh less."""

# How sure a match is: a tool's pattern and the caller's own word are certain; a route or form field nearly so; a
# phrase of several words tells more than a single one. An inert phrase in the text halves what words tell, which
# lets a phrase of several words through and stops a single one ("what is a deploy?"). Set by judgement; the
# registry's examples test them.
_METADATA_CONFIDENCE = 0.95
_PHRASE_CONFIDENCE = 0.9
_WORD_CONFIDENCE = 0.7
_INERT_WEIGHT = 0.5
_CJK_PHRASE_CHARACTERS = 4

_METHOD_ORDER = {"named": 0, "tool": 1, "metadata": 2, "phrase": 3, "router": 4}


def classify(features: RequestFeatures, registry: Registry, routed: Routed = NOT_ROUTED) -> Classified:
    """The classes that the request decides, the entities that it names, and what its tool call changes.

    Classes: the caller's own, those of the tool's patterns, of metadata, then of the text, by phrases and by what the
    router made of it (at most PHRASE_CLASSES_MAX); surest first, then by id. Words never take a class away: a phrase
    for `deploy.staging` does not hide the `deploy` that a tool's pattern told. Unlikely classes of `routed` are hints.

    Raises:
        InvalidInputError: `action_class_unknown` where the caller or the metadata names a class that is not there.
    """
    text = wording(features.text)
    certain = [*_named_classes(features, registry), *_metadata_classes(features, registry)]
    impact: Impact | None = None
    tool_known = True
    if features.tool is not None:
        matched = match_tool_call(features.tool, features.args, registry.policy)
        impact, tool_known = matched.impact, matched.known
        certain += [
            ClassMatch(ActionClassId(class_id), 1.0, "tool", because) for class_id, because in matched.action_classes
        ]
    surest = _surest(certain)
    worded = _surest([*_phrase_classes(text, registry, routed.inert), *_router_classes(routed, registry)])
    told = [match for name, match in worded.items() if name not in surest]
    recognised = [match for match in told if match.confidence >= RECOGNISED_MIN]
    phrased = recognised[:PHRASE_CLASSES_MAX]
    classes = sorted([*surest.values(), *phrased], key=_order)
    hints = [match for match in told if match not in phrased and match.confidence >= HINT_MIN][:HINTS_MAX]
    entities = find_entities(features, text, registry)
    return Classified(tuple(classes), entities, impact, tool_known, tuple(hints))


def _order(match: ClassMatch) -> tuple[float, int, str]:
    return -match.confidence, _METHOD_ORDER[match.method], match.action_class


def _surest(matches: Iterable[ClassMatch]) -> dict[ActionClassId, ClassMatch]:
    found: dict[ActionClassId, ClassMatch] = {}
    for match in sorted(matches, key=_order):
        found.setdefault(match.action_class, match)
    return found


def _named_classes(features: RequestFeatures, registry: Registry) -> list[ClassMatch]:
    if features.action_class is None:
        return []
    name = _known(features.action_class, "action_class", registry)
    return [ClassMatch(name, 1.0, "named", "the caller named it")]


def _metadata_classes(features: RequestFeatures, registry: Registry) -> list[ClassMatch]:
    found: list[ClassMatch] = []
    named = features.metadata.get("action_class")
    if named is not None:
        name = _known(named, "metadata.action_class", registry)
        found.append(ClassMatch(name, _METADATA_CONFIDENCE, "metadata", "metadata action_class"))
    route = features.metadata.get("route")
    if route is not None:
        for phrase in find_phrases(wording(route), registry.index.class_phrases):
            if not covers(INERT, phrase.target):
                because = f"route {route[:80]!r} has {phrase.written!r}"
                name = ActionClassId(phrase.target)
                found.append(ClassMatch(name, _METADATA_CONFIDENCE, "metadata", because))
    return found


def _known(name: str, field: str, registry: Registry) -> ActionClassId:
    found = ActionClassId(name)
    if found not in registry.vocabulary.action_classes:
        raise InvalidInputError(
            "action_class_unknown",
            f"{field} {name[:80]!r} is not an action class of this registry",
            next_step="name one that `heedful registry show` lists, or leave it out",
            details={"field": field},
        )
    return found


def _router_classes(routed: Routed, registry: Registry) -> list[ClassMatch]:
    """Classes that the router thinks possible; where nothing is decided, all but the inert weigh less."""
    kept = 1.0 - INERT_DEMOTION * routed.inert
    return [
        ClassMatch(
            ActionClassId(name),
            round(probability if covers(INERT, name) else probability * kept, 3),
            "router",
            f"{routed.method}: {probability:.2f}",
        )
        for name, probability in routed.classes
        if name in registry.vocabulary.action_classes
    ]


def _phrase_classes(text: Wording, registry: Registry, inert: float) -> list[ClassMatch]:
    """Classes that the text's words tell, surest first; of a class and its descendant, the descendant."""
    best: dict[str, tuple[float, str]] = {}
    for phrase in find_phrases(text, registry.index.class_phrases):
        told = (_confidence(phrase), phrase.written)
        if told > best.get(phrase.target, (0.0, "")):
            best[phrase.target] = told
    is_inert = any(covers(INERT, class_id) for class_id in best)
    weight = min(_INERT_WEIGHT if is_inert else 1.0, 1.0 - INERT_DEMOTION * inert)
    weighed = {
        class_id: (round(confidence * (1.0 if covers(INERT, class_id) else weight), 3), written)
        for class_id, (confidence, written) in best.items()
    }
    kept = {class_id: told for class_id, told in weighed.items() if told[0] >= RECOGNISED_MIN}
    return sorted(
        (
            ClassMatch(ActionClassId(class_id), confidence, "phrase", f"the text has {written!r}")
            for class_id, (confidence, written) in kept.items()
            if not any(other != class_id and covers(class_id, other) for other in kept)
        ),
        key=_order,
    )


def _confidence(phrase: Phrase) -> float:
    if phrase.is_cjk:
        size = sum(len(part) for (part,) in phrase.parts)
        return _PHRASE_CONFIDENCE if size >= _CJK_PHRASE_CHARACTERS else _WORD_CONFIDENCE
    return _PHRASE_CONFIDENCE if sum(map(len, phrase.parts)) > 1 else _WORD_CONFIDENCE

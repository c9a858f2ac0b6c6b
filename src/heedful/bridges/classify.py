"""RequestFeatures -> what the request decides. No private record is read: only the request and the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from heedful.bridges.entities import find_entities
from heedful.bridges.known import named_in
from heedful.bridges.registry import Registry
from heedful.bridges.request import Classified, ClassMatch, RequestFeatures
from heedful.bridges.routed import Routed, not_routed
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import Phrase, Wording, find_phrases, wording
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId
from heedful.kernel.ladder import Impact
from heedful.kernel.scope import Scope
from heedful.policy.tools import match_tool_call

PHRASE_CLASSES_MAX = 5
"""Classes that words alone may add: 3 to 5 carry nearly all of the recall. A named class or a tool's always counts."""
HINTS_MAX = 12
RECOGNISED_MIN = 0.4
"""From here on a class counts as recognised; below it is a hint."""
HINT_MIN = 0.02
INERT_DEMOTION = 0.5
"""How much of what words tell is lost where nothing is surely decided: they weigh less, and are not suppressed."""

PHRASE_SHARE = 0.5
"""What a phrase is worth where a router reads the text too: it knows the word, and not what is meant."""

UNKNOWN_INERT_MAX = 0.1
"""A call that no pattern knows counts as one that changes something, so its words, which may be anybody's, count for
looking something up by a tenth at most."""

ARGUMENT_WORDS_MAX = 120
"""Characters of an argument whose words tell what a call is about; a longer one is content."""

_SIGNS = str.maketrans("._-/:", "     ")
_ANYWHERE = Scope(())

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


def classify(
    features: RequestFeatures,
    registry: Registry,
    route: Callable[[str], Routed] = not_routed,
    *,
    scope: Scope = _ANYWHERE,
) -> Classified:
    """The classes that the request decides, the entities that it names, and what its tool call changes.

    Classes: the caller's own, those of the tool's patterns, of metadata, then of the text, by phrases and by what the
    router made of it (at most PHRASE_CLASSES_MAX); surest first, then by id. Words never take a class away: a phrase
    for `deploy.staging` does not hide the `deploy` that a tool's pattern told. What `route` finds unlikely are hints.
    Words tell no classes of packs that are not at home in `scope`. Of a tool call that no pattern knows, the words of
    its name and arguments are read too; one that is known to change something is never inert.

    Raises:
        InvalidInputError: `action_class_unknown` where the caller or the metadata names a class that is not there.
    """
    certain = [*_named_classes(features, registry), *_metadata_classes(features, registry)]
    impact: Impact | None = None
    tool_known = True
    if features.tool is not None:
        matched = match_tool_call(features.tool, features.args, registry.policy)
        impact, tool_known = matched.impact, matched.known
        certain += [
            ClassMatch(ActionClassId(class_id), 1.0, "tool", because) for class_id, because in matched.action_classes
        ]
    asked = features.text if tool_known else asked_text(features)
    text, routed = wording(asked), route(asked)
    if impact not in (None, Impact.READ):
        routed = replace(routed, inert=0.0 if tool_known else min(UNKNOWN_INERT_MAX, routed.inert))
    surest = _surest(certain)
    away = registry.away(scope)
    worded = _surest(_worded_classes(text, registry, routed))
    classes_of = registry.vocabulary.action_classes
    told = [match for name, match in worded.items() if name not in surest and classes_of[name].pack not in away]
    if surest:
        # Where something is surely decided, words that look something up beside it are no reading of the whole.
        told = [match for match in told if not covers(INERT, match.action_class)]
    recognised = [match for match in told if match.confidence >= RECOGNISED_MIN]
    phrased = recognised[:PHRASE_CLASSES_MAX]
    classes = sorted([*surest.values(), *phrased], key=_order)
    hints = [match for match in told if match not in phrased and match.confidence >= HINT_MIN][:HINTS_MAX]
    named = named_in(text, registry.index.knowledge.table())
    return Classified(
        tuple(classes),
        find_entities(features, text, registry, named),
        impact,
        tool_known,
        tuple(hints),
        routed.inert if routed.method else None,
        tuple([each.entity_id for each in named]) if features.tool is None or not tool_known else None,
    )


def asked_text(features: RequestFeatures) -> str:
    """What words are looked for in: the text, and the words of a tool's name and of its short arguments."""
    if features.tool is None:
        return features.text
    words = [features.tool, *(f"{name} {value}" for name, value in features.args.items() if _is_short(value))]
    return "\n".join([features.text, " ".join(words).translate(_SIGNS)]).strip()


def _is_short(value: object) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) <= ARGUMENT_WORDS_MAX


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


def _worded_classes(text: Wording, registry: Registry, routed: Routed) -> list[ClassMatch]:
    """Classes that the text tells, by phrases and by the router; of a class and its descendant, the descendant.

    Each says how likely a class is, and both together make it likelier than either. Where nothing is surely decided,
    all but the inert weigh less.
    """
    best = _told_by_phrases(text, registry)
    kept = 1.0 - INERT_DEMOTION * routed.inert
    if any(covers(INERT, name) for name in best):
        kept = min(kept, _INERT_WEIGHT)
    likely = {name: each for name, each in routed.classes if name in registry.vocabulary.action_classes}
    found: list[ClassMatch] = []
    for name in {**likely, **best}:
        probability, (phrased, written) = likely.get(name, 0.0), best.get(name, (0.0, ""))
        is_inert = covers(INERT, name)
        if routed.method:
            phrased *= PHRASE_SHARE
        sure = (1.0 - (1.0 - probability) * (1.0 - phrased)) * (1.0 if is_inert else kept)
        by_phrase = phrased >= probability
        because = f"the text has {written!r}" if by_phrase else f"{routed.method}: {likely[name]:.2f}"
        found.append(ClassMatch(ActionClassId(name), round(sure, 3), "phrase" if by_phrase else "router", because))
    told = {match.action_class for match in found if match.confidence >= RECOGNISED_MIN}
    return [
        match
        for match in found
        if not any(other != match.action_class and covers(match.action_class, other) for other in told)
    ]


def _told_by_phrases(text: Wording, registry: Registry) -> dict[str, tuple[float, str]]:
    """Class -> how sure its surest phrase is, and that phrase."""
    best: dict[str, tuple[float, str]] = {}
    for phrase in find_phrases(text, registry.index.class_phrases):
        told = (_confidence(phrase), phrase.written)
        if told > best.get(phrase.target, (0.0, "")):
            best[phrase.target] = told
    return best


def _confidence(phrase: Phrase) -> float:
    if phrase.is_cjk:
        size = sum(len(part) for (part,) in phrase.parts)
        return _PHRASE_CONFIDENCE if size >= _CJK_PHRASE_CHARACTERS else _WORD_CONFIDENCE
    return _PHRASE_CONFIDENCE if sum(map(len, phrase.parts)) > 1 else _WORD_CONFIDENCE

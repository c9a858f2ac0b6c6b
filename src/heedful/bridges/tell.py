"""A message -> the facts that it tells, by kind: what may become a decision state, and what it says is over.

Only the words and the registry are read. A classifier and the kinds' own phrases each say how likely a kind is; the
surer holds. Wishes, questions, jokes and passing moods are what the classifier calls not durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heedful.bridges.registry import Registry
from heedful.bridges.routed import Told
from heedful.bridges.sentences import relation_in, sentences_of
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import Phrasebook, find_phrases, wording
from heedful.kernel.ids import KindId

FACTS_MAX = 3
"""Kinds that one message may tell."""
CONFIDENCE_MIN = 0.3
"""From here on a kind is told; chosen with the threshold of urgency (docs/bridges.md)."""
BESIDE_MIN = 0.5
"""A further kind must be this sure, as a share of the surest."""
ENDED_MIN = 0.5
WHOLE_CHARACTERS_MAX = 800
"""A message up to this length is read as a whole too: some facts lie between two sentences."""
_WHOLE_SHARE = 0.9
_PHRASE_CONFIDENCE = 0.75
_CONTEXT_WORDS_MIN = 6
_NEGATORS = frozenset({"not", "no", "never", "isn", "aren", "don", "doesn", "didn", "without", "ain", "wasn", "nor"})
_NEGATED_WITHIN = 3
_CHINESE_NEGATORS = ("不", "没", "无", "未")


@dataclass(frozen=True, slots=True)
class Fact:
    """One kind that a message tells.

    Attributes:
        statement: the sentence that tells it, with the one before where it leans on that.
        relation: whom of the speaker's own it is about; None: the speaker, or nobody in particular.
        ended: it says that this is over.
        because: what told it, for people.
    """

    kind: KindId
    confidence: float
    statement: str
    relation: str | None
    ended: bool
    because: str


def facts_of(text: str, registry: Registry, told_of: Callable[[str], Told]) -> tuple[Fact, ...]:
    """The facts of a message, surest first, at most FACTS_MAX; `told_of` is the classifier."""
    sentences = sentences_of(text)
    best: dict[KindId, Fact] = {}
    for number, sentence in enumerate(sentences):
        statement = _with_context(sentences, number)
        for fact in _facts_in(sentence, statement, registry, told_of(sentence), 1.0):
            _keep(best, fact)
    if len(sentences) > 1 and len(text) <= WHOLE_CHARACTERS_MAX:
        whole = " ".join(sentences)
        for fact in _facts_in(whole, whole, registry, told_of(whole), _WHOLE_SHARE):
            _keep(best, fact)
    ordered = sorted(best.values(), key=lambda fact: (-fact.confidence, fact.kind))
    chosen: list[Fact] = []
    for fact in ordered:
        least = max(CONFIDENCE_MIN, BESIDE_MIN * chosen[0].confidence if chosen else 0.0)
        if fact.confidence >= least and not any(covers(fact.kind, other.kind) for other in chosen):
            chosen.append(fact)
    return tuple(chosen[:FACTS_MAX])


def _keep(best: dict[KindId, Fact], fact: Fact) -> None:
    before = best.get(fact.kind)
    if before is None or fact.confidence > before.confidence:
        best[fact.kind] = fact


def _facts_in(text: str, statement: str, registry: Registry, told: Told, share: float) -> Iterator[Fact]:
    kinds = registry.vocabulary.kinds
    sure = {KindId(name): probability for name, probability in told.kinds if name in kinds}
    because = {kind: f"{told.method}: {probability:.2f}" for kind, probability in sure.items()}
    ended_by_words = {KindId(name) for name, _ in _phrases_in(text, registry.index.kind_ends)}
    for name, written in _phrases_in(text, registry.index.kind_phrases):
        kind = KindId(name)
        # A phrase is sure of what is spoken of, and less of whether anything is told.
        confidence = _PHRASE_CONFIDENCE * (0.5 + 0.5 * told.durable if told.method else 1.0)
        if confidence > sure.get(kind, 0.0):
            sure[kind], because[kind] = confidence, f"the text has {written!r}"
    for kind in ended_by_words:
        if sure.get(kind, 0.0) < _PHRASE_CONFIDENCE:
            sure[kind], because[kind] = _PHRASE_CONFIDENCE, "the text says that it is over"
    relation = relation_in(statement)
    for kind, probability in sure.items():
        ended = kind in ended_by_words or told.ended >= ENDED_MIN
        yield Fact(kind, round(probability * share, 4), statement, relation, ended, because[kind])


def _phrases_in(text: str, book: Phrasebook) -> Iterator[tuple[str, str]]:
    """(target, phrase) of each phrase that the text has and does not deny."""
    words = wording(text)
    for found in find_phrases(words, book):
        if not _is_denied(words.stems, words.folded, found.parts, is_cjk=found.is_cjk):
            yield found.target, found.written


def _is_denied(stems: tuple[str, ...], folded: str, parts: tuple[tuple[str, ...], ...], *, is_cjk: bool) -> bool:
    first = parts[0]
    if is_cjk:
        at = folded.find(first[0])
        return at > 0 and folded[:at].rstrip().endswith(_CHINESE_NEGATORS)
    if first[0] in _NEGATORS:
        return False
    for at in range(len(stems) - len(first) + 1):
        if stems[at : at + len(first)] == first:
            return bool(_NEGATORS & set(stems[max(0, at - _NEGATED_WITHIN) : at]))
    return False


def _with_context(sentences: tuple[str, ...], number: int) -> str:
    """The sentence; with the one before where it is too short to be understood alone."""
    sentence = sentences[number]
    if number == 0 or len(wording(sentence).stems) >= _CONTEXT_WORDS_MIN or wording(sentence).has_cjk:
        return sentence
    return f"{sentences[number - 1]} {sentence}"

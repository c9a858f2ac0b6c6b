"""A message -> the facts that it tells, by kind: what may become a decision state, and what it says is over.

Only the words and the registry are read. A classifier and the kinds' own phrases each say how likely a kind is; the
surer holds. Wishes, questions, jokes and passing moods are what the classifier calls not durable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from heedful.bridges.registry import Registry
from heedful.bridges.routed import Told
from heedful.bridges.sentences import denies_an_end, is_question, relation_in, sentences_of
from heedful.bridges.vocabulary import covers
from heedful.bridges.words import Phrasebook, find_phrases, wording
from heedful.kernel.ids import KindId
from heedful.kernel.scope import Scope

FACTS_MAX = 4
"""Kinds that one message may tell."""
CONFIDENCE_MIN = 0.15
"""From here on a kind is told, but for LIKELIEST_MIN. Lower ones were mostly small talk, which crowds packets."""
SURELY_LASTING_MIN = 0.99
LIKELIEST_MIN = 0.06
"""Of a message one sentence of which so surely tells something lasting, the likeliest kind is told from here on: it is
of some kind."""
BESIDE_MIN = 0.2
"""A further kind must be this sure, as a share of the surest."""
CONFIDENCE_MAX = 0.99
"""Only who names a kind is sure of it."""
DURABLE_MIN = 0.9
"""A message of which no sentence is this surely a lasting fact tells none: small talk, wishes, moods. But for
SURE_KIND_MIN."""
SURE_KIND_MIN = 0.85
"""A kind that is told so surely is told all the same: what is said plainly ("I'm vegan") sounds like small talk."""
ENDED_MIN = 0.5
PHRASE_SHARE = 0.4
"""What a phrase is worth where a classifier reads the text too."""
WHOLE_CHARACTERS_MAX = 800
"""A message up to this length is read as a whole too: some facts lie between two sentences."""
_WHOLE_SHARE = 0.9
PERSONAL = ("user:", "person:", "family:", "household:")
"""Scopes of persons, in which alone what is narrow is told."""
_ANYWHERE = Scope(())
PHRASE_CONFIDENCE = 0.75
_CONTEXT_WORDS_MIN = 6
_NEGATORS = frozenset({"not", "no", "never", "isn", "aren", "don", "doesn", "didn", "without", "ain", "wasn", "nor"})
_NEGATED_WITHIN = 3
_CHINESE_NEGATORS = ("不", "没", "没有", "不是", "无", "未", "别")


@dataclass(frozen=True, slots=True)
class Fact:
    """One kind that a message tells.

    Attributes:
        statement: the sentence that tells it, with the one before where it leans on that.
        relation: whom of the speaker's own it is about; None: the speaker, or nobody in particular.
        over: how likely it says that this is over, 0 to 1.
        because: what told it, for people.
    """

    kind: KindId
    confidence: float
    statement: str
    relation: str | None
    over: float
    because: str

    @property
    def ended(self) -> bool:
        """True where it rather says that this is over, and so tells nothing that holds now."""
        return self.over >= ENDED_MIN


def texts_read(text: str) -> tuple[str, ...]:
    """What `facts_of` has the classifier read of a message: its sentences, and of a short one the whole."""
    sentences = sentences_of(text)
    whole = whole_of(text, sentences)
    return sentences if whole is None else (*sentences, whole)


def whole_of(text: str, sentences: tuple[str, ...]) -> str | None:
    """The message as a whole, where it is short and has several sentences: some facts lie between two of them."""
    return " ".join(sentences) if len(sentences) > 1 and len(text) <= WHOLE_CHARACTERS_MAX else None


def facts_of(
    text: str, registry: Registry, told_of: Callable[[str], Told], *, scope: Scope = _ANYWHERE
) -> tuple[Fact, ...]:
    """The facts of a message, surest first, at most FACTS_MAX; `told_of` is the classifier.

    A question tells nothing. Kinds of packs that are not at home in `scope` are not told, and narrow kinds only where a
    person is.
    """
    sentences = sentences_of(text)
    best: dict[KindId, Fact] = {}
    told = [told_of(each) for each in sentences]
    is_told = [not is_question(each) for each in sentences]
    lasting = max((each.durable for each in compress(told, is_told)), default=0.0)
    if not any(is_told):
        return ()
    is_lasting = not told[0].method or lasting >= DURABLE_MIN
    surest = max((likely for each in compress(told, is_told) for _, likely in each.kinds), default=0.0)
    if not is_lasting and surest < SURE_KIND_MIN:
        return ()
    for number in compress(range(len(sentences)), is_told):
        sentence, statement = sentences[number], _with_context(sentences, number)
        for fact in _facts_in(sentence, statement, registry, told[number], 1.0):
            _keep(best, fact)
    whole = whole_of(text, sentences)
    if whole is not None:
        for fact in _facts_in(whole, whole, registry, told_of(whole), _WHOLE_SHARE):
            _keep(best, fact)
    silent = _silent_kinds(registry, scope)
    heard = (fact for fact in best.values() if fact.kind not in silent)
    ordered = sorted(heard, key=lambda fact: (-fact.confidence, fact.kind))
    return _chosen(ordered, lasting, is_lasting=is_lasting)


def _chosen(ordered: Sequence[Fact], lasting: float, *, is_lasting: bool) -> tuple[Fact, ...]:
    """Those that are sure enough, of facts in their order; of a kind and one below it, the surer."""
    chosen: list[Fact] = []
    for fact in ordered:
        least = max(CONFIDENCE_MIN, BESIDE_MIN * chosen[0].confidence if chosen else 0.0)
        if not is_lasting:
            least = SURE_KIND_MIN
        elif not chosen and lasting >= SURELY_LASTING_MIN:
            least = LIKELIEST_MIN
        if fact.confidence >= least and not any(covers(fact.kind, other.kind) for other in chosen):
            chosen.append(fact)
    return tuple(chosen[:FACTS_MAX])


def _silent_kinds(registry: Registry, scope: Scope) -> frozenset[KindId]:
    away = registry.away(scope)
    is_personal = any(each.startswith(PERSONAL) for each in scope.elements)
    kinds = registry.vocabulary.kinds.values()
    return frozenset(kind.id for kind in kinds if kind.pack in away or (kind.narrow and not is_personal))


def _keep(best: dict[KindId, Fact], fact: Fact) -> None:
    before = best.get(fact.kind)
    if before is None or fact.confidence > before.confidence:
        best[fact.kind] = fact


def _facts_in(text: str, statement: str, registry: Registry, told: Told, share: float) -> Iterator[Fact]:
    kinds = registry.vocabulary.kinds
    likely = {KindId(name): probability for name, probability in told.kinds if name in kinds}
    highest = max(likely.values(), default=0.0)
    sure = {kind: probability for kind, probability in likely.items() if probability >= BESIDE_MIN * highest}
    because = {kind: f"{told.method}: {likely[kind]:.2f}" for kind in sure}
    ended_by_words = {KindId(name) for name, _ in phrases_in(text, registry.index.kind_ends)}
    for name, written in phrases_in(text, registry.index.kind_phrases):
        kind = KindId(name)
        phrased = PHRASE_CONFIDENCE
        if told.method:
            # It is sure of what is spoken of, and less of whether anything is told.
            phrased = PHRASE_SHARE * (0.3 + 0.7 * told.durable)
        together = 1.0 - (1.0 - sure.get(kind, likely.get(kind, 0.0))) * (1.0 - phrased)
        if together > sure.get(kind, 0.0):
            if phrased > sure.get(kind, 0.0):
                because[kind] = f"the text has {written!r}"
            sure[kind] = together
    for kind in ended_by_words:
        if sure.get(kind, 0.0) < PHRASE_CONFIDENCE:
            sure[kind], because[kind] = PHRASE_CONFIDENCE, "the text says that it is over"
    relation = relation_in(statement)
    for kind, probability in sure.items():
        # A new value is told, whatever it puts an end to; so is what is denied to be over.
        ended = told.ended if told.ended >= told.changed and not denies_an_end(text) else 0.0
        over = max(ended, ENDED_MIN if kind in ended_by_words else 0.0)
        yield Fact(kind, round(min(CONFIDENCE_MAX, probability * share), 4), statement, relation, over, because[kind])


def phrases_in(text: str, book: Phrasebook) -> Iterator[tuple[str, str]]:
    """(target, phrase) of each phrase that the text has and does not deny."""
    words = wording(text)
    for found in find_phrases(words, book):
        if not _is_denied(words.stems, words.folded, found.parts, is_cjk=found.is_cjk):
            yield found.target, found.written


def _is_denied(stems: tuple[str, ...], folded: str, parts: tuple[tuple[str, ...], ...], *, is_cjk: bool) -> bool:
    """True where each place that has the phrase has a negator right before it."""
    first = parts[0]
    if is_cjk:
        places = [at for at in range(len(folded)) if folded.startswith(first[0], at)]
        return bool(places) and all(folded[:at].rstrip().endswith(_CHINESE_NEGATORS) for at in places)
    if first[0] in _NEGATORS:
        return False
    found = [at for at in range(len(stems) - len(first) + 1) if stems[at : at + len(first)] == first]
    return bool(found) and all(_NEGATORS & set(stems[max(0, at - _NEGATED_WITHIN) : at]) for at in found)


def _with_context(sentences: tuple[str, ...], number: int) -> str:
    """The sentence; with the one before where it is too short to be understood alone."""
    sentence = sentences[number]
    if number == 0 or len(wording(sentence).stems) >= _CONTEXT_WORDS_MIN or wording(sentence).has_cjk:
        return sentence
    return f"{sentences[number - 1]} {sentence}"

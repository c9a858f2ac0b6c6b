"""Rare words: those that a case has and that hardly any training line has, so that sharing one is hardly chance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise

from heedful.bridges.words import fold, stem
from heedful.evaluation.datasets import Case, Question

SHARE_MAX = 0.002
"""Of all training lines; a word in as many or more is not rare."""
LETTERS_MIN = 4

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W\d_]+")
_FUNCTION_WORDS = (
    "about above according across actually after again against ahead almost alone along already also although always "
    "among another anybody anyone anything anyway anywhere apart around aside away back because been before behind "
    "being below beneath beside besides between beyond both cannot could despite does doing done down during each "
    "either else elsewhere enough even ever every everybody everyone everything everywhere except from further gave "
    "give given goes going gone have having hence here hers herself himself however instead into itself just least "
    "less like made make many maybe mean might mine more most much must myself near neither never nevertheless next "
    "nobody none nothing nowhere often once only onto other others otherwise ours ourselves over perhaps please quite "
    "rather really said same shall should since some somebody someone something sometimes somewhere soon still such "
    "take taken than that their theirs them themselves then there therefore these they thing things this those though "
    "through throughout thus together told took toward towards under unless unlike until upon very want wants well "
    "went were what whatever when whenever where whereas wherever whether which whichever while whoever whom whose "
    "will with within without would your yours yourself yourselves"
)
_FUNCTION_HAN = frozenset(
    "的了是在我你您他她它们这那有没不也就都还又很太最把被给对和与跟或吗呢吧啊哦嘛个些要会能可以么什怎哪谁请"
)


def words_of(text: str) -> frozenset[str]:
    """The stems of words with LETTERS_MIN letters, and pairs of neighbours in Chinese; none of them function words.

    There is no dictionary of Chinese here, so some of the pairs lie across two words: too many, never too few.
    """
    folded = fold(text)
    spaced = {_form(word) for word in _WORD.findall(_HAN.sub(" ", folded)) if len(word) >= LETTERS_MIN}
    pairs = {
        first + second
        for run in _HAN.findall(folded)
        for first, second in pairwise(run)
        if not {first, second} & _FUNCTION_HAN
    }
    return frozenset((spaced - _FUNCTION) | pairs)


def _form(word: str) -> str:
    """The word's stem, that of `movie` as that of `movies`."""
    found = stem(word)
    return f"{found[:-1]}y" if found.endswith("i") else found


_FUNCTION = frozenset(map(_form, _FUNCTION_WORDS.split()))


def rare_words(texts: Iterable[str], lines: Collection[str], *, share_max: float = SHARE_MAX) -> frozenset[str]:
    """The words of these texts that less than this share of the lines has."""
    counted = Counter(word for line in lines for word in words_of(line))
    return frozenset(word for text in texts for word in words_of(text) if counted[word] < share_max * len(lines))


def case_texts(case: Case) -> list[str]:
    """Everything that is told or asked in a case, names and arguments of tool calls among it."""
    questions = (case.indirect, case.direct, case.topic_negative, case.lexical_negative, case.other_scope)
    asked = [text for each in questions if each is not None for text in _question_texts(each)]
    return [case.memory, *asked, *([] if case.update is None else [case.update])]


def _question_texts(question: Question) -> list[str]:
    return [question.text, question.tool or "", *_strings(question.args)]


def _strings(value: object) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for each in value.values() for text in _strings(each)]
    return [text for each in value for text in _strings(each)] if isinstance(value, list) else []

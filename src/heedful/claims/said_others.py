"""Said of others: a sentence that tells one thing of one other person -> whom, and which property with its value.

"My sister Mia lives in Lyon", "Bob's birthday is 5 March", 我妹妹住在里昂. Whom is a subject of its own below the
speaker, so that nothing of it is ever taken for the speaker's own. English and Chinese, no model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from heedful.claims.said import (
    ATTITUDE,
    BIRTHDAY,
    FAVOURITE,
    HOME,
    Said,
    compiled,
    is_day,
    is_more,
    plain_sentence,
    said_parts,
    without_lead,
)

Pronoun = Literal["he", "she", "they"]


@dataclass(frozen=True, slots=True)
class SaidOf:
    """What a sentence says of somebody else.

    Attributes:
        whom: as a subject names them below the speaker: `sister`, `sister/mia`, `bob`.
    """

    whom: str
    said: Said


@dataclass(frozen=True, slots=True)
class Moved:
    """That somebody lives elsewhere now, of whom only a pronoun tells."""

    pronoun: Pronoun
    place: str


def said_of_other(sentence: str, speaker: str) -> SaidOf | None:
    """What the sentence says of one other person; None where it says none of this, or more, or may be the speaker.

    `speaker` is the speaker's own name. A friend or a cousin without a name may be any.
    """
    text = _BETWEEN_COMMAS.sub(r"\1 \2 ", without_lead(plain_sentence(sentence)))
    text = text.replace(" moved to ", " moved_to ")  # else it tells more, as "likes to swim" does
    if is_more(text):
        return None
    for who, patterns in ((_ENGLISH_WHO, _ENGLISH), (_CHINESE_WHO, _CHINESE)):
        start = who.match(text)
        whom = None if start is None else _whom(start, speaker)
        if start is None or whom is None:
            continue
        rest = text[start.end() :]
        for pattern, kind in patterns:
            match = pattern.fullmatch(rest)
            if match is not None and (said := said_parts(kind, match.groupdict())) is not None:
                return SaidOf(whom, said)
    return None


def moved_in(sentence: str) -> Moved | None:
    """Who, by a pronoun, lives where now, where the sentence says nothing else; None: it does not."""
    match = _MOVED.fullmatch(plain_sentence(sentence))
    if match is None:
        return None
    pronoun: Pronoun = _CHINESE_PRONOUN.get(match["zh"] or "") or _ENGLISH_PRONOUN[(match["pronoun"] or "they").lower()]
    place = match["object"] or match["zhobject"]
    said = None if is_more(place) else said_parts(HOME, {"object": place})
    return None if said is None else Moved(pronoun, said.value)


def may_be(whom: str, pronoun: Pronoun) -> bool:
    """True where the pronoun may stand for them: a sister is no "he"; of a mere name nobody knows."""
    known = _PRONOUNS.get(whom.partition("/")[0].rpartition("-")[2])
    return known is None or pronoun in (known, "they")


def _whom(start: re.Match[str], speaker: str) -> str | None:
    parts = start.groupdict()
    name = (parts["name"] or parts["named"] or "").casefold()
    word = parts["relation"]
    if word is None:
        is_nobody = name == speaker.casefold() or not {name, *name.split()}.isdisjoint(_NOBODY_NAMED) or is_day(name)
        return None if not name or is_nobody else name.replace(" ", "-")
    age = _AGES.get((parts.get("age") or "").strip().casefold(), "")
    relation = age + _RELATIONS[word.casefold()]
    if not name:
        return relation if relation not in _MANY else None
    return f"{relation}/{name}"


_AGES: Final = {
    "older": "older-",
    "elder": "older-",
    "big": "older-",
    "younger": "younger-",
    "little": "younger-",
    "best": "best-",
}
_LISTED: Final[dict[str, str]] = {
    "sister": "sister",
    "brother": "brother",
    "mother": "mother mom mum mama 妈妈 母亲 老妈",
    "father": "father dad papa 爸爸 父亲 老爸",
    "parents": "parents 父母 爸妈",
    "wife": "wife 老婆 妻子 太太",
    "husband": "husband 老公 丈夫",
    "girlfriend": "girlfriend 女朋友 女友",
    "boyfriend": "boyfriend 男朋友 男友",
    "partner": "partner spouse 爱人 对象",
    "daughter": "daughter 女儿",
    "son": "son 儿子",
    "older-sister": "姐姐",
    "younger-sister": "妹妹",
    "older-brother": "哥哥",
    "younger-brother": "弟弟",
    "grandmother": "grandmother grandma",
    "grandfather": "grandfather grandpa",
    "fathers-mother": "奶奶",
    "fathers-father": "爷爷",
    "mothers-mother": "外婆 姥姥",
    "mothers-father": "外公 姥爷",
    "aunt": "aunt",
    "uncle": "uncle",
    "cousin": "cousin",
    "friend": "friend 朋友",
    "colleague": "colleague coworker 同事",
    "neighbour": "neighbour neighbor 邻居",
    "roommate": "roommate flatmate 室友",
    "boss": "boss 老板",
}
_RELATIONS: Final = {word: relation for relation, words in _LISTED.items() for word in words.split()}
_MANY: Final = frozenset({"aunt", "uncle", "cousin", "friend", "colleague", "neighbour"})
"""Of these one has several: which one is told by a name alone."""
_PRONOUNS: Final[dict[str, Pronoun]] = {
    **dict.fromkeys(("sister", "mother", "wife", "girlfriend", "daughter", "grandmother", "aunt"), "she"),
    **dict.fromkeys(("brother", "father", "husband", "boyfriend", "son", "grandfather", "uncle"), "he"),
    "parents": "they",
}
_NOBODY = """
i he she it we they you who nobody everyone everybody someone somebody anyone one this that these those there
everything nothing something anything most some many few all none both half each rumour rumor
today tomorrow yesterday maybe perhaps probably now then here
what the a an my our your his her their its and but if when actually honestly sorry 小心 小孩 小时 小学 小区 小狗 小猫
"""
_NOBODY_NAMED: Final = frozenset((*_NOBODY.split(), *_RELATIONS))
_NAME = r"(?-i:[A-Z][\w-]{0,38}[a-z])"


def _words_of(*, ascii_only: bool) -> str:
    words = (word for word in _RELATIONS if word.isascii() == ascii_only)
    return "|".join(sorted(words, key=len, reverse=True))


_ENGLISH_WHO = re.compile(
    rf"(?:(?:my|our) (?P<age>(?:older|elder|big|younger|little|best) )?(?P<relation>{_words_of(ascii_only=True)})"
    rf"(?: (?P<name>{_NAME}))?|(?P<named>{_NAME}(?: {_NAME})?))(?='s |s' | )",
    re.IGNORECASE,
)
_CHINESE_WHO = re.compile(
    rf"(?:我(?:的)?(?P<relation>{_words_of(ascii_only=False)})(?P<name>[小阿][\u4e00-\u9fff]|{_NAME})?"
    rf"|(?P<named>[小阿][\u4e00-\u9fff]|{_NAME}))"
)
_BETWEEN_COMMAS = re.compile(rf"^((?:[Mm]y|[Oo]ur) [a-z ]+), ({_NAME}),? ")
_THING, _ADVERB = r"(?P<object>\S.*?)", r"(?:now |still |really |currently |also )?"
_OVER = r"(?: (?P<anymore>any ?more|any longer))?(?: (?:now|these days))?"
_VALUE = r"(?P<value>\S.*?)"
_DENIAL = r"(?:(?P<not>does not|doesn't|do not|don't) |(?P<over>no longer) )?"
_CHINESE_DENIAL = r"(?:(?P<over>不再|再也不|已经不)|(?P<not>不))?(?:很|真|还|现在|也|非常)*"
_ENGLISH: Final = compiled(
    (rf" {_ADVERB}(?:(?P<over>no longer) )?lives? in {_THING}{_OVER}", HOME),
    (rf" (?:does not|doesn't|do not|don't) live in {_THING} (?P<anymore>any ?more|any longer)", HOME),
    (rf" (?:has |have )?(?:just |recently |now )?moved_to {_THING}", HOME),
    (rf" {_DENIAL}{_ADVERB}(?P<verb>(?:like|love|enjoy|adore|hate|dislike|detest)s?) {_THING}{_OVER}", ATTITUDE),
    (rf"(?:'s|s') (?:current |new )?favou?rite {_THING} is (?:now )?{_VALUE}", FAVOURITE),
    (rf"(?:'s|s') birthday is (?:on )?{_VALUE}", BIRTHDAY),
)
_CHINESE: Final = compiled(
    (r"(?:(?P<over>不再|已经不))?(?:现在|还|也|就)*住在(?P<object>[^了]{1,30}?)了?", HOME),
    (r"(?:现在|已经|刚)*搬(?:到|去)了?(?P<object>[^了]{1,30}?)了?", HOME),
    (rf"{_CHINESE_DENIAL}(?P<verb>喜欢|喜爱|讨厌)(?P<object>[^了]{{1,40}}?)(?P<anymore>了)?", ATTITUDE),
    (r"(?:现在)?最喜欢的(?P<object>.{1,20}?)(?:现在)?是(?P<value>.{1,40})", FAVOURITE),
    (r"的?生日是(?P<value>.{1,20})", BIRTHDAY),
)
_ENGLISH_PRONOUN: Final[dict[str, Pronoun]] = {"he": "he", "she": "she", "they": "they"}
_CHINESE_PRONOUN: Final[dict[str, Pronoun]] = {"他": "he", "她": "she", "他们": "they"}
_MOVED = re.compile(
    r"(?P<pronoun>he|she|they)(?: has| have|'s|'ve)?(?: just| recently| now)? (?:moved to|lives? in) "
    r"(?P<object>\S.*?)(?: now)?"
    r"|(?P<zh>他们|她|他)(?:现在|已经|刚)*(?:搬(?:到|去)了?|住在)(?P<zhobject>[^了]{1,30}?)了?",
    re.IGNORECASE,
)

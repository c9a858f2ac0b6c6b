"""Corrected: a sentence that puts right what its speaker said just before -> the other value; "No, Lyon.", 其实是里昂.

It names no property, so it means nothing alone. Pure; English and Chinese; whatever reads in two ways is left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from heedful.claims.said import (
    OBJECT_CHARACTERS_MAX,
    denied_in,
    is_day,
    is_more,
    is_relative_day,
    names_nothing,
    object_of,
    plain_sentence,
)

CHARACTERS_MAX = 160
"""Of a correction; two values, and what is said around them."""
WORDS_MAX = 5
"""Of a value in words with spaces between; what is longer is a sentence of its own."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What stands there instead.

    Attributes:
        old: what it says is not so; None: it names nothing.
        is_sure: its words can be nothing but a correction: "scratch that", "I meant", 更正.
    """

    value: str
    old: str | None
    is_sure: bool


def correction_in(sentence: str) -> Correction | None:
    """What the sentence puts right, where it does nothing else; None: nothing."""
    text = plain_sentence(sentence)
    if len(text) > CHARACTERS_MAX or _LIKELY.match(text) is None:
        return None
    for pattern, is_sure in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        value, old = object_of(parts["value"]), parts.get("old")
        if not _is_value(value) or (old is not None and not _is_value(object_of(old))):
            return None
        return Correction(value, None if old is None else object_of(old), is_sure or old is not None)
    return None


def is_filler(sentence: str) -> bool:
    """True for what is said before a correction and tells nothing: "Oh, wait.", 不对."""
    return _FILLER.fullmatch(plain_sentence(sentence)) is not None


def is_noted(sentence: str) -> bool:
    """True for what somebody answers who has merely heard it: "Noted.", 好的."""
    return _NOTED.fullmatch(plain_sentence(sentence)) is not None


def put_right(
    statement: str, value: object, correction: Correction, *, is_asked: bool
) -> tuple[str, str | int | float] | None:
    """The statement and its value with the other value in its place; None where the correction does not fit.

    The value stands once in the statement, and the other is of its sort: a number for a number, a name for a name, a
    day for a day. A word in small letters may be how something is ("actually it's fine"): it counts where somebody
    asked to have it remembered, or the correction is sure.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float) or denied_in(value) is not None:
        return None
    if correction.old is not None and correction.old.casefold() != str(value).casefold():
        return None
    new = _of_the_sort(value, correction, is_asked=is_asked)
    found = re.findall(_as_word(str(value)), statement, re.IGNORECASE)
    if new is None or len(found) != 1 or str(new).casefold() == str(value).casefold():
        return None
    return re.sub(_as_word(str(value)), lambda _: str(new), statement, flags=re.IGNORECASE), new


def _of_the_sort(value: str | float, correction: Correction, *, is_asked: bool) -> str | int | float | None:
    new = correction.value
    is_number = _NUMBER.fullmatch(new) is not None
    if not isinstance(value, str):
        return (float(new) if "." in new else int(new)) if is_number else None
    if not value or is_day(value) is not is_day(new) or is_relative_day(new):
        return None
    if value[0].isdigit() or is_number:
        return new if _shape(value) == _shape(new) or (is_day(value) and _DIGIT.search(new)) else None
    if value[0].isupper():
        return new if _is_name(new) or is_day(new) else None
    return new if _is_name(new) or is_asked or correction.is_sure else None


def _is_name(words: str) -> bool:
    """True where every word may be one of a name: "Docker failed" is none."""
    first, *rest = words.split()
    is_name = first[0].isupper() or not first[0].isascii()
    return is_name and all(not each[0].islower() or each in _IN_NAMES for each in rest)


def _shape(value: str) -> str:
    """How a number, a time or a version is written: 10:30 is no other 8."""
    return "0" if _NUMBER.fullmatch(value) else re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", value))


def _as_word(value: str) -> str:
    return rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"


def _is_value(value: str) -> bool:
    if not value or len(value) > OBJECT_CHARACTERS_MAX or len(value.split()) > WORDS_MAX:
        return False
    words = value.casefold().split()
    if is_more(value) or names_nothing(value) or words[0] in _NO_VALUE or not _VERBS.isdisjoint(words[1:]):
        return False
    return value.isascii() or _NO_CHINESE_VALUE.search(value) is None


_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?")
_DIGIT = re.compile(r"[\d一二三四五六七八九十]")
_SMALL_WORDS = "of the de la le les del da do dos du der den di van von sur am upon en y"
_IN_NAMES: Final = frozenset(_SMALL_WORDS.split())
_NOT_VALUES = """
thanks thank ok okay yes yeah yep no nope not sorry sure please never nothing none fine good great right wrong
true false forget problem worries way need done i i'm i'll we he she they there here what who why where when how
my your our his its in on at for from with about so very really just all both still already worth up down
"""
_NO_VALUE: Final = frozenset(_NOT_VALUES.split())
_VERBS: Final = frozenset(["is", "was", "are", "were", "has", "had", "does", "did", "works", "happened"])
_NO_CHINESE_VALUE = re.compile(
    r"^[我你您他她它这那很太好不没有想要能会可还都也就谁哪什怎]|^对$|[的了吗呢吧啊呀过得着]$|谢谢|没事|问题|玩笑"
)
"""What begins or ends so is a sentence, or how something is."""
_VALUE, _OLD = r"(?P<value>\S.*?)", r"(?P<old>\S.*?)"
_IS = r"(?:it's|it is|that's|that is|it was|it should be|that should be|should be|make it|i meant|i mean)"
_LEAD = r"(?:(?:oh|hmm|wait|sorry|oops|actually|no|nope|well|hold on|my mistake)[,.!:;\u2014-]*\s+){0,3}"
_START = r"(?:oh|wait|sorry|oops|actually|no|nope|hold on|my mistake)[,.!:;\u2014-]*\s+"
_DENYING = r"(?:actually|no|nope|my mistake|i mean)[,.!:;\u2014-]*\s+"
"""What is called after them may be another value; after "oh" or "sorry" it is whom one talks to, or a cry."""
_SURE = r"(?:scratch that|strike that|correction|i meant(?: to say)?|make that|my mistake|i misspoke)"
_LIKELY = re.compile(
    r"(?:oh|hmm|wait|sorry|oops|actually|no(?:pe)?|well|hold|my|it'?s|it is|that|not|scratch|strike|correction|make)\b"
    r"|i (?:mean|misspoke)|[不其错哦等抱应更说我]|[^,]*, not ",
    re.IGNORECASE,
)
"""How most sentences do not begin, which is told quickly."""
_PATTERNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), is_sure)
    for pattern, is_sure in (
        (rf"{_LEAD}(?:it's |it is |that's )?not {_OLD}[,;]\s*(?:but )?(?:it's |it is )?{_VALUE}", True),
        (rf"{_LEAD}(?:{_IS} )?{_VALUE}, not {_OLD}", True),
        (rf"{_LEAD}{_SURE}[,.!:;\u2014-]*\s+(?:{_IS} )?{_VALUE}", True),
        (rf"{_START}(?:{_LEAD}){_IS} {_VALUE}", False),
        (rf"{_LEAD}{_DENYING}{_VALUE}", False),
        (rf"it's actually {_VALUE}", False),
        (rf"(?:不|不对|错了)?[,，.。]?\s*不是{_OLD}[,，]\s*(?:而)?是{_VALUE}", True),
        (rf"(?:更正|(?:我)?说错了)[,，:：.。]?\s*(?:应该)?是?{_VALUE}", True),
        (rf"(?:我(?:是说|的意思是|说的是|想说的是))[,，:：]?\s*{_VALUE}", True),
        (rf"(?:其实|不对|不|错了|哦|等等|抱歉)[,，.。]?\s*(?:其实)?(?:应该)?是{_VALUE}", False),
        (rf"应该是{_VALUE}", False),
    )
)
_FILLER = re.compile(
    r"(?:(?:oh|hm+|wait|sorry|oops|no|nope|well|hold on|my mistake|scratch that|ah|um)[,.!\u2026 ]*)+"
    r"|(?:哦|啊|等等|不对|不|错了|抱歉|等一下)+",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"(?:(?:ok(?:ay)?|noted|got it|thanks?(?: you)?|understood|sure|great|alright|i(?:'ll| will) remember (?:that|it)"
    r"|good to know)[,.! ]*)+|(?:(?:好的?|明白了?|知道了|收到|记住了|了解|谢谢)[,，.。!！ ]*)+",
    re.IGNORECASE,
)

"""Said: a sentence in which somebody tells one thing of themselves -> which property it is of, and its value.

Only sentences that are nothing else are read: "I like Vim", "I no longer like Vim", 我最喜欢的球员是梅西. What leans on
more ("I like Vim, but...", "I used to like Vim") is left to whoever looks it up. English and Chinese, no model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

OBJECT_CHARACTERS_MAX = 60
"""Of what is liked, or where one lives; what is longer is a story."""
SaidKind = Literal["said.attitude", "said.birthday", "said.favourite", "said.home"]
ATTITUDE: Final = "said.attitude"
BIRTHDAY: Final = "said.birthday"
FAVOURITE: Final = "said.favourite"
HOME: Final = "said.home"
SAID_KINDS = frozenset({ATTITUDE, BIRTHDAY, FAVOURITE, HOME})


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says of its speaker.

    Attributes:
        property: what it is of: two sentences of the same one tell the same or contradict each other.
        value: `likes`, `dislikes`; where the sentence says that it is no longer so, `no longer likes`.
    """

    kind: SaidKind
    property: str
    value: str


def denied_in(value: object) -> str | None:
    """The value of which this one says that it no longer holds; None: it says what holds."""
    return value.removeprefix(_NO_LONGER) if isinstance(value, str) and value.startswith(_NO_LONGER) else None


def said_in(sentence: str) -> Said | None:
    """What the sentence says of its speaker; None where it says none of this, or more."""
    text = without_lead(plain_sentence(sentence))
    if not text.casefold().startswith(_BEGINS) or is_more(text):
        return None
    for pattern, kind in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is not None:
            return said_parts(kind, match.groupdict())
    return None


def plain_sentence(sentence: str) -> str:
    """The sentence in NFKC, with plain apostrophes and spaces, without its stop."""
    return " ".join(unicodedata.normalize("NFKC", sentence).replace("\u2019", "'").split()).strip(" .!。！~")


def without_lead(text: str) -> str:
    """The text without the word by which it contradicts: "No, I live in Lyon"."""
    return _LEAD.sub("", text)


def object_of(words: str) -> str:
    """What words name, without article and stops."""
    named = " ".join(unicodedata.normalize("NFKC", words).split()).strip(" .!。！,，")
    return _ARTICLE.sub("", named)


def said_parts(kind: SaidKind, parts: Mapping[str, str | None]) -> Said | None:
    """What the parts of a sentence of this kind say, by the names of the groups below; None: nothing that is sure."""
    if kind == BIRTHDAY:
        day = object_of(parts["value"] or "")
        return Said(kind, "birthday", day) if _DAY.search(day) else None
    named = object_of(parts["object"] or "")
    if not named or len(named) > OBJECT_CHARACTERS_MAX or names_nothing(named):
        return None
    over = bool(parts.get("over") or parts.get("anymore"))
    before = _NO_LONGER if over else ""
    if kind == ATTITUDE:
        likes = _LIKES.fullmatch((parts["verb"] or "").casefold().removesuffix("s")) is not None
        if parts.get("not") and not likes and not over:
            return None  # who does not hate it may not like it either
        holds = likes and (over or not parts.get("not"))
        return Said(kind, f"attitude: {named.casefold()}", before + ("likes" if holds else "dislikes"))
    if kind == HOME:
        # "in fear", "in a van": places are written with a capital; "moved to Friday" is of a meeting.
        is_place = not (named[0].isascii() and not named[0].isupper()) and not is_day(named)
        return Said(kind, "home", before + named) if is_place and not _BESIDE_A_PLACE.search(named) else None
    value = object_of(parts["value"] or "")
    if not value or len(value) > OBJECT_CHARACTERS_MAX or names_nothing(value) or _NOT_SO.match(value):
        return None
    return Said(kind, f"favourite: {named.casefold()}", value)


def is_more(text: str) -> bool:
    """True for what says more than one thing, or says it of some time alone."""
    return _MORE.search(text) is not None


def is_day(words: str) -> bool:
    """True for a day or a month, and nothing else: "Friday", "5 March", 周一; no place and no name."""
    return _DAYS.fullmatch(words) is not None or is_relative_day(words)


def is_relative_day(words: str) -> bool:
    """True for a day that is another one tomorrow: "today", 明天, "Friday today"."""
    return _RELATIVE_DAYS.search(words) is not None


def names_nothing(named: str) -> bool:
    """True for what leans on something said elsewhere: "it", "you all", 他说的话."""
    return named.casefold().split()[0] in _PRONOUNS or named[0] in _CHINESE_PRONOUNS


_CHINESE_PRONOUNS = frozenset("你您他她它这那")
_BEGINS = ("i ", "my ", "actually ", "in fact ", "honestly ", "我", "其实")
_LEAD = re.compile(
    r"^(?:(?:no|sorry|wait|oh|well), |(?:actually|in fact|honestly),? |(?:不|不对|其实|哦)[,，]\s*)(?=\S)",
    re.IGNORECASE,
)
_DAY_WORDS = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|christmas|easter"
)
_DAYS = re.compile(
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:the )?(?:{_DAY_WORDS})(?:,? (?:\d{{1,4}}(?:st|nd|rd|th)?))*"
    r"|(?:[0-9一二三四五六七八九十]{1,3}月(?:[0-9一二三四五六七八九十]{1,3}[日号])?|(?:周|星期|礼拜)[一二三四五六日天末])",
    re.IGNORECASE,
)
_RELATIVE_DAYS = re.compile(r"\b(?:today|tomorrow|yesterday|tonight)$|^(?:今|明|昨|后|前)[天晚年]$", re.IGNORECASE)
_DAY = re.compile(r"\d|[一二三四五六七八九十]月")
_NO_LONGER = "no longer "
_ARTICLE = re.compile(r"^(?:the|a|an|my) ", re.IGNORECASE)
_PRONOUNS = frozenset({"it", "that", "this", "them", "him", "her", "you", "to", "他", "她", "它", "你", "这个", "那个"})
_LIKES = re.compile(r"like|love|enjoy|adore|喜欢|爱|喜爱")
_MORE = re.compile(
    r"[,;:?，；：？()\n]|\b(?:but|and|or|nor|when|if|because|unless|that|would|used to|as|how|what|to"
    r"|more|less|better|than|much|most|too|maybe|perhaps|probably|possibly)\b"
    r"|也许|可能|大概|好像|但|和|或|如果|因为|的时候|时$"
)
"""What says more than one thing, or says it of some time alone."""
_BESIDE_A_PLACE = re.compile(r"\b(?:with|for|at|by|alone|again|part|full|half|since|until|during|every|now)\b")
_NOT_SO = re.compile(r"(?:not|no|never|no longer|neither) |不是?|没", re.IGNORECASE)
"""What something is not says nothing of what it is."""
_START = r"(?:actually |in fact |honestly )?i "
_THING = r"(?P<object>\S.*?)"
_OVER_END = r"(?: (?P<anymore>any ?more|any longer))?(?: (?:now|these days))?"
_DENIAL = r"(?:(?P<not>do not|don't) |(?P<over>no longer) )?"
_STILL = r"(?:now |still |really |also )?"
_CHINESE_DENIAL = r"(?:(?P<over>不再|再也不)|(?P<not>不))?(?:很|真|还|现在|非常)*"
_CHINESE_VERB = r"(?P<verb>喜欢|喜爱|爱|讨厌)"
_VERB = r"(?P<verb>like|love|enjoy|adore|hate|dislike|detest)"


def compiled(*listed: tuple[str, SaidKind]) -> tuple[tuple[re.Pattern[str], SaidKind], ...]:
    """Patterns with their kinds, whatever the case of letters; their groups are those of `said_parts`."""
    return tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in listed)


_PATTERNS = compiled(
    (rf"{_START}{_DENIAL}{_STILL}{_VERB} {_THING}{_OVER_END}", ATTITUDE),
    (rf"{_START}(?P<verb>can't stand|cannot stand) {_THING}{_OVER_END}", ATTITUDE),
    (rf"(?:其实)?我{_CHINESE_DENIAL}{_CHINESE_VERB}(?P<object>[^了]{{1,40}}?)(?P<anymore>了)?", ATTITUDE),
    (r"(?:actually )?my (?:current |new )?favou?rite (?P<object>\S.*?) is (?:now )?(?P<value>\S.*?)", FAVOURITE),
    (r"(?:其实)?我(?:现在)?最(?:喜欢|爱)的(?P<object>.{1,20}?)(?:现在)?是(?P<value>.{1,40})", FAVOURITE),
    (r"my birthday is (?:on )?(?P<value>\S.*?)", BIRTHDAY),
    (r"我的?生日是(?P<value>.{1,20})", BIRTHDAY),
    (rf"{_START}(?:now |currently )?live in {_THING}(?: now)?", HOME),
    (rf"{_START}(?P<over>no longer) live in {_THING}", HOME),
    (rf"{_START}(?:do not|don't) live in {_THING} (?P<anymore>any ?more|any longer)", HOME),
    (r"(?:其实)?我(?P<over>不再|已经不)?(?:现在)?住在(?P<object>[^了]{1,30}?)了?", HOME),
)

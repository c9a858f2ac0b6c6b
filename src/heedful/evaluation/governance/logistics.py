"""Logistics: when and where of a visit, in words that tell nothing else, for those who need not know what it is for."""

from __future__ import annotations

import re
from collections.abc import Collection

from heedful.evaluation.governance.superseded import GAP

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
_DAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:'s|s)?"
_TIME = r"\d{1,2}:\d{2}(?: ?[AaPp]\.?[Mm]\b\.?)?|\d{1,2} ?[AaPp]\.?[Mm]\b\.?"
_PLACE = (
    r"(?:[A-Z][A-Za-z']+ ){0,2}(?:Suite|Garage|Lot|Floor|Entrance|Building|Level) [0-9A-Z]+\b|Clinic \d+[A-Z]?\b|"
    r"\b(?:first|second|third|fourth|fifth) floor\b"
)
_CHINESE = (
    r"\d+月\d+[日号]|\d+号|星期[一二三四五六日天]|周[一二三四五六日]|[上下]午|早上|晚上|明天|后天|今天|\d+点半?|\d+分|"
    r"预约|到达|接送|时间|复诊|改到|取消|提前|请|在|的|是|和|到"
)
_TOKEN = re.compile(
    rf"(?P<when>{_TIME}|\b{_MONTH}\.? \d{{1,2}}(?:, \d{{4}})?\b|\b{_DAY}\b)|(?P<where>{_PLACE})|(?P<zh>{_CHINESE})|"
    r"(?P<word>[A-Za-z][A-Za-z']*(?:-[A-Za-z]+)*)|(?P<mark>[,.;:!?，。；：！？])|(?P<other>\S)"
)
_WORDS = frozenset(
    word
    for text in (
        "visit visits appointment appointments follow-up follow-ups check-in check-ins checks check arrive",
        "arrives arrival arriving by at on in and or from to for of with is are was were will be been now",
        "next current currently latest updated update moved moves move changed change changes cancel canceled",
        "cancelled booked book booking reminder remains remain unchanged confirmed confirm the a an instead",
        "pickup pickups pick-up drop-off ride rides parking time times date dates slot slots schedule",
        "scheduled scheduling today tomorrow tonight morning afternoon evening same week day before after",
        "until through early minutes hours earlier later first second third new prior old still not no",
        "further photo id bring your you telehealth video tele-visit phone in-person person calendar recap",
        "opened open opening please yes okay ok works work place places added starts start ends end available",
        "earliest about between then right note it this that there stays stay as set only just window her his",
        "she he they i we can could would should may do does room",
        "lab labs draw scan imaging test testing procedure call calls nurse clinic consult consultation primary care",
    )
    for word in text.split()
)
_TELLS_VISIT = re.compile(
    r"\b(visit|appointment|follow-?up|check-?in|arriv|book|slot|pick-?up|drop-?off|ride|calendar|schedul|moved?|"
    r"reminder|cancel|telehealth|remains)|预约|到达|接送|复诊|改到|取消",
    re.IGNORECASE,
)


def when_and_where(sentence: str, names: Collection[str]) -> str | None:
    """What the sentence tells of when and where, with a gap for all else; None where that is nothing.

    `names`: words of people's names, in lower case; they stay.
    """
    if not _TELLS_VISIT.search(sentence) and len(re.findall(rf"{_TIME}|{_MONTH} \d|{_DAY}\b", sentence)) < 2:
        return None
    told, parts = False, list[str]()
    for match in _TOKEN.finditer(sentence):
        if _may_stay(match, names):
            parts.append(match.group())
            told = told or match["when"] is not None or match["where"] is not None or _is_chinese_time(match)
        elif not parts or parts[-1] != GAP:
            parts.append(GAP)
    return _joined(parts) if told else None


def tells_more(sentence: str, names: Collection[str]) -> bool:
    """True where the sentence has words that are of neither when nor where."""
    return any(not _may_stay(match, names) for match in _TOKEN.finditer(sentence))


def _may_stay(match: re.Match[str], names: Collection[str]) -> bool:
    if match["other"] is not None:
        return False
    word = match["word"]
    return word is None or word.lower() in _WORDS or word.lower() in names


def _is_chinese_time(match: re.Match[str]) -> bool:
    return match["zh"] is not None and re.search(r"[\d一二三四五六日天]|午|天", match.group()) is not None


def _joined(parts: list[str]) -> str:
    text = " ".join(parts)
    text = re.sub(r" (?=[,.;:!?，。；：！？])", "", text)
    return re.sub(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff\d])", "", text)

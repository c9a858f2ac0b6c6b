"""Stale use: sentences of an answer that state an old value as what holds, by the packet that it was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from heedful.evidence.packet import Packet, PacketItem
from heedful.kernel.texts import folded

_CITED = re.compile(r"(?:\[|【|［)[\d\s,，、;；\-–—~～]+(?:\]|】|］)")  # noqa: RUF001
# What tells a value as past, as in doubt, or as not so: such a sentence states no old value as current.
_NOT_NOW = re.compile(
    r"\b(?:used to|was|were|had been|previously|formerly|before|until|earlier|once|ago|old|past|no longer|not|never|"
    r"any ?more|moved|changed|corrected|instead of|rather than|out of date|outdated|stale|may|might|perhaps|unsure|"
    r"not sure|unclear|unknown|if)\b|n['’]t\b"  # noqa: RUF001
    r"|以前|之前|先前|原来|原來|曾|过去|過去|当时|當時|旧|舊|不再|不是|没有|沒有|已经不|已經不|搬|改|直到|可能|也许|也許|不确定|不確定"
    r"|不清楚|过时|過時|更正|如果",
    re.IGNORECASE,
)
_VALUE_CHARACTERS_MIN = 2


@dataclass(frozen=True, slots=True)
class StaleUse:
    """A sentence that states what held once, or is out of date, as what holds.

    Attributes:
        cite: the item of the packet that says so.
        value: the old value that is stated.
        current: what holds instead; None: nothing tells.
    """

    cite: str
    value: str
    current: str | None
    sentence: str


def stale_uses(sentences: Iterable[str], packet: Packet) -> tuple[StaleUse, ...]:
    """The sentences that state an old value of the packet as current, in order of the text, each once a value.

    Told by the value's own words, in a sentence that has neither the new value nor a word of the past or of doubt.
    Values that are a single letter, true or false are not looked for, and other words for a value are not known.
    """
    old = list(_old_values(packet.items))
    found: dict[tuple[str, str], StaleUse] = {}
    for sentence in sentences:
        plain = folded(_CITED.sub(" ", sentence))
        for cite, value, current in old if is_told_as_now(plain) else ():
            if states(plain, value) and not (current is not None and states(plain, current)):
                use = StaleUse(cite, value, current, sentence.strip())
                found.setdefault((value, use.sentence), use)
    return tuple(found.values())


def is_told_as_now(text: str) -> bool:
    """True for a sentence without a word of the past, of doubt or of denial."""
    return _NOT_NOW.search(text) is None


def states(text: str, value: str) -> bool:
    """True where the text, folded, has the value, as whole words or a whole number."""
    wanted = folded(value).strip()
    is_number = re.fullmatch(r"[+-]?\d+(?:\.\d+)?", wanted) is not None
    if wanted in ("true", "false") or (len(wanted) < _VALUE_CHARACTERS_MIN and not is_number):
        return False
    before = r"(?<![\d.])" if is_number else r"(?<![a-z0-9_])"
    after = r"(?!\d|\.\d)" if is_number else r"(?![a-z0-9_])"
    return re.search(before + re.escape(wanted) + after, text) is not None


def folded_text(text: str) -> str:
    """The text as values are looked for in it, without its citations."""
    return folded(_CITED.sub(" ", text))


def _old_values(items: Iterable[PacketItem]) -> Iterator[tuple[str, str, str | None]]:
    """Key of the item, the old value, and the one that holds now."""
    for item in items:
        change = item.change
        if item.currency == "changing" and item.value is not None:
            yield item.cite, item.value, None
        if change is not None and change.old_value is not None:
            yield item.cite, change.old_value, change.new_value

"""Cite: what an answer cites, checked against the packet that it was given."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from heedful.evidence.packet import Packet
from heedful.evidence.stale_use import StaleUse, stale_uses

# A longer answer is refused nowhere: the rest of it is checked too; this bounds what one range may name.
RANGE_MAX = 50

_KEYS = r"\d{1,6}(?:\s*[-–—~～]\s*\d{1,6})?"  # noqa: RUF001  (dashes that people write ranges with)
_CITATION = re.compile(rf"(?:\[|【|［)\s*({_KEYS}(?:\s*[,，、;；]\s*{_KEYS})*)\s*(?:\]|】|］)(?!\()")  # noqa: RUF001
_KEY = re.compile(r"(\d{1,6})(?:\s*[-–—~～]\s*(\d{1,6}))?")  # noqa: RUF001
# Code is no prose: the index in `rows[0]` cites nothing.
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
# A sentence ends at its mark, or where a new paragraph or list item begins, and takes along the citations that
# directly follow it.
_SENTENCE = re.compile(
    r".+?(?:[.!?](?=\s|$|[\[【［])|[。！？]|\n(?=\s*(?:\n|[-*#>+]|\d+[.)]))|\Z)"  # noqa: RUF001  (Chinese punctuation)
    r"(?:[ \t]*(?:\[|【|［)[\d\s,，、;；\-–]+(?:\]|】|］))*",  # noqa: RUF001
    re.DOTALL,
)
_SAYING = r"(?:told|said|mentioned|asked|stated|noted|wrote|shared|explained|confirmed|informed|instructed|specified)"
_ADVERB = r"(?:(?:already|also|once|just|previously|earlier|recently|originally|explicitly|always|often)\s+)*"
# English. "if you told me", "have you told me?" and "you never told me" claim nothing.
_YOU_SAID = (
    r"(?<!\bhave )(?<!\bhad )(?<!\bdid )(?<!\bif )(?<!\bunless )(?<!\buntil )"
    rf"\byou(?:['’](?:ve|d))?\s+(?:have\s+|had\s+)?{_ADVERB}{_SAYING}\b"  # noqa: RUF001
)
_SOURCE = r"\b(?:based on|according to|from|given|per)"
_HISTORY = (
    _YOU_SAID,
    r"\b(?:last time|the other day)\b",
    r"\bin (?:our|a|your) (?:last|previous|earlier|past) (?:chat|conversation|session|message)s?\b",
    r"\b(?:as|when|since) (?:we|you and i) (?:discussed|talked|agreed|decided|spoke)\b",
    r"\bwe (?:previously|already|earlier) (?:discussed|talked|agreed|decided|established)\b",
    rf"{_SOURCE} your (?:\w+ )?(?:history|past|records?|previous|earlier|preferences)\b",
    rf"{_SOURCE} (?:my|our|the) (?:memory|memories|history|records?|past|previous|earlier)\b",
    r"\bi (?:remember|recall)\b",
    r"\byour (?:history|past \w+|previous \w+|earlier \w+) (?:shows?|says?|suggests?|indicates?)\b",
    # Chinese, both scripts.
    r"(?:之前|以前|先前|上次|上回|上周|昨天|曾经|曾經|早先|此前)[^。！？\n]{0,6}?[你您][^。！？\n没沒未]{0,6}?(?:说|說|告诉|告訴|提|讲|講|要求|表示|确认|確認)",
    r"[你您][^。！？\n没沒未]{0,4}?(?:之前|以前|先前|上次|上回|曾|曾经|曾經|早先|此前)[^。！？\n没沒未]{0,6}?(?:说|說|告诉|告訴|提|讲|講|要求|表示|确认|確認)",
    r"[你您](?:也|还|還|已经|已經)?(?:告诉|告訴)过?過?我",
    r"[你您](?:也|还|還|已经|已經)?(?:说|說|提到|提|讲|講|告诉|告訴)(?:过|過)",
    r"(?:如|正如|像|按|照|按照|依)[你您]所?(?:说|說|言|述|提|讲|講)",
    r"(?:根据|根據|按照|依据|依據|基于|基於|从|從)[^。！？，,\n]{0,8}?(?:历史|歷史|记录|記錄|过往|過往|以往|过去|過去|记忆|記憶|之前的)",
    r"(?:上次|上一次|上回|上次对话|上次對話)",
    r"我(?:还|還)?(?:记得|記得)",
)
_HISTORY_CLAIM = re.compile("|".join(f"(?:{pattern})" for pattern in _HISTORY), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitationReport:
    """What an answer cites.

    Attributes:
        used: keys of the packet that it cites, in packet order.
        unknown: keys that the packet does not have, in order of the text.
        uncited_history_claim: True where a sentence claims to know the past and cites nothing of the packet.
        uncited_sentences: those sentences.
        stale: sentences that state as current what held once, or is out of date, by what the packet says.
    """

    used: tuple[str, ...]
    unknown: tuple[str, ...]
    uncited_history_claim: bool
    uncited_sentences: tuple[str, ...]
    stale: tuple[StaleUse, ...] = ()

    @property
    def is_clean(self) -> bool:
        """True where nothing is to be objected to."""
        return not self.unknown and not self.uncited_history_claim and not self.stale


def check_citations(answer_text: str, packet: Packet) -> CitationReport:
    """The keys that an answer cites, and what is wrong with them.

    Citations are `[1]`, `[2, 3]`, `[1-3]`, also in 【】 and full width; what stands in code is not read. A claim of
    history is told by fixed phrases in English and Chinese ("you told me", "last time", 根据历史), sentence by
    sentence; a citation directly behind the sentence counts as its own. Phrases do not tell every such claim.
    """
    known = [item.cite for item in packet.items]
    prose = _CODE.sub(" ", answer_text)
    cited = _cited(prose)
    sentences = _SENTENCE.findall(prose)
    uncited = tuple(
        sentence.strip()
        for sentence in sentences
        if _HISTORY_CLAIM.search(sentence) and not set(_cited(sentence)) & set(known)
    )
    return CitationReport(
        used=tuple(key for key in known if key in cited),
        unknown=tuple(key for key in cited if key not in known),
        uncited_history_claim=bool(uncited),
        uncited_sentences=uncited,
        stale=stale_uses(sentences, packet),
    )


def sentences_of(answer_text: str) -> tuple[str, ...]:
    """The sentences of an answer, without what stands in code."""
    return tuple(_SENTENCE.findall(_CODE.sub(" ", answer_text)))


def _cited(text: str) -> list[str]:
    """Keys in order of the text, each once, in ASCII digits."""
    keys: dict[str, None] = {}
    for citation in _CITATION.findall(text):
        for first, last in _KEY.findall(unicodedata.normalize("NFKC", citation)):
            low, high = int(first), int(last or first)
            if high < low or high - low >= RANGE_MAX:
                keys.update(dict.fromkeys((str(low), str(high))))
            else:
                keys.update(dict.fromkeys(map(str, range(low, high + 1))))
    return list(keys)

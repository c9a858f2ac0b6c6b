"""Escape: stored text made visible, so that nothing in it hides, reorders or imitates what stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heedful.kernel.kept import keeps_texts
from heedful.observations.names import SHOWN_CHARACTERS, shown

# Everything that has no shape of its own: controls, format characters (bidi, joiners, tags, byte order marks), line
# and paragraph separators, surrogates, and the rest of Unicode's Default_Ignorable_Code_Point. Tab is left, and the
# newline is for the caller to split at. tests/stages/test_evidence_render.py compares with the categories.
_UNSEEN = re.compile(
    "["
    "\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]"
)
# Most text is made of these alone, and none of them is unseen: a quick way past the rest.
_PLAIN = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u024f\u0370-\u052f\u2010-\u2027\u2030-\u205e\u3000-\u3163\u4e00-\u9fff\uac00-\ud7a3"
    "\uff01-\uff9f]*"
)
# Two that ordinary emoji need, and only right behind an emoji: the emoji style mark, and the joiner before another.
_OF_EMOJI = re.compile(
    "(?<=[\u2139-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])"
    "(?:\ufe0f\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])|\ufe0f|\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff]))"
)

NAMES_KEPT = 1_024
"""Names that were told are remembered: a packet tells a few of them again and again."""
WORD_CHARACTERS_MAX = 128
"""A longer name is told as quoted text alone."""
# Chinese and its like say a sentence without a space.
_WORD = re.compile(r"[A-Za-z0-9_.:/+@#-]+")
_QUOTATION = re.compile('["\u201c-\u201f\u301d-\u301f\uff02]')


def is_word(name: str) -> bool:
    """True for a name that may stand in a sentence of ours: of several words it could say something in our voice."""
    return len(name) <= WORD_CHARACTERS_MAX and _WORD.fullmatch(name) is not None


def spoken(name: str) -> str:
    """The name where it is one word; else only that it is quoted."""
    return name if is_word(name) else "what is quoted"


@keeps_texts(NAMES_KEPT)
def told_name(name: str) -> str:
    r"""The name as a label holds it: one word as it is, any other in double quotes, cut at SHOWN_CHARACTERS.

    Quotation marks in it are shown as `\u{22}`, so that it ends where we say; its secrets are cut out. Not escaped.
    """
    if is_word(name):
        return name
    cut = "\u2026" if len(name) > SHOWN_CHARACTERS else ""
    return f'"{_QUOTATION.sub(_name, shown(name))}{cut}"'


def told_scope(elements: Sequence[str]) -> str:
    """The elements of a scope, each as `told_name` has it."""
    return ", ".join(map(told_name, elements)) or "(tenant)"


def visible_line(text: str) -> str:
    r"""The text on one line: line breaks and whatever cannot be seen are shown as `\u{202E}`."""
    if (text.isascii() and text.isprintable()) or _PLAIN.fullmatch(text) or _UNSEEN.search(text) is None:
        return text
    shown: list[str] = []
    at = 0
    for match in _OF_EMOJI.finditer(text):
        shown += [_UNSEEN.sub(_name, text[at : match.start()]), match.group()]
        at = match.end()
    shown.append(_UNSEEN.sub(_name, text[at:]))
    return "".join(shown)


def visible_lines(text: str) -> list[str]:
    r"""The lines of a text, broken at `\n` and `\r\n` alone, each as `visible_line` shows it."""
    if "\n" not in text:
        return [visible_line(text)]
    return [visible_line(line) for line in text.replace("\r\n", "\n").split("\n")]


def _name(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match.group()):X}}}"

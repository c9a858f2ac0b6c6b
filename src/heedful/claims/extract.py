"""Extract: `remember:` lines of a message -> statements that somebody asked to have remembered. No model."""

from __future__ import annotations

import re
from dataclasses import dataclass

LINES_MAX = 100
"""Lines of one message that are read as commands. One more is returned where there are more, so that it is told."""

_COMMAND = re.compile(
    r"^[ \t]*(?:[-*\u2022][ \t]*)?(?:remember|记住|記住|覚えて)[ \t]*[:：][ \t]*(?P<rest>\S.*)$", re.IGNORECASE
)
_FENCE = re.compile(r"^[ \t]*(?:(?:[-*+\u2022]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})(?P<rest>.*)$")
_KIND = re.compile(r"^(?P<kind>[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)*)[ \t]*(?::[ \t]+|：[ \t]*)(?P<rest>\S.*)$")
_PAIR = re.compile(r'[ \t]+(?P<key>[a-z_]+)=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))[ \t]*$')
PAIR_KEYS = frozenset({"subject", "property", "value", "form", "applies_to", "not_for", "since", "until", "rests_on"})


@dataclass(frozen=True, slots=True)
class Statement:
    """What one line asks to have remembered.

    Attributes:
        line_number: in the message, from 1.
        kind: as written, or None.
        sentence: the statement itself.
        pairs: the `key=value` pairs at its end, in order, keys out of PAIR_KEYS; a key may be there twice.
    """

    line_number: int
    kind: str | None
    sentence: str
    pairs: tuple[tuple[str, str], ...]


def extract_statements(text: str) -> tuple[Statement, ...]:
    """The `remember:` lines of a text, in order; at most LINES_MAX, and one more where there are more than that.

    What is quoted asks for nothing: a line that begins with `>`, or stands between code fences (``` or ~~~; a fence
    that is never closed reaches to the end, as in CommonMark).

    A line is `remember: [kind:] sentence [key=value ...]`; `记住：` will do as well. Values with spaces stand in
    double quotes. A word with `=` that is no known key belongs to the sentence.
    """
    if ":" not in text and "：" not in text:
        return ()
    found = []
    opened: str | None = None
    for line_number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if fence:
            opened = _after_fence(opened, fence["fence"], fence["rest"])
        match = None if fence or opened else _COMMAND.match(line)
        if match:
            found.append(_statement(line_number, match["rest"]))
        if len(found) > LINES_MAX:
            break
    return tuple(found)


def _after_fence(opened: str | None, fence: str, rest: str) -> str | None:
    """The fence that is open after this line; None where none is."""
    if opened is None:
        # Backticks later in the line make it code within a sentence.
        return None if fence[0] == "`" and "`" in rest else fence
    closes = fence[0] == opened[0] and len(fence) >= len(opened) and not rest.strip()
    return None if closes else opened


def split_list(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated value, without empty ones."""
    return tuple(part.strip() for part in re.split("[,，、]", text) if part.strip())


def parse_value(text: str) -> str | int | float | bool:
    """`true`, `false` and plain numbers as what they are; everything else as text."""
    lowered = text.casefold()
    if lowered in ("true", "false"):
        return lowered == "true"
    if re.fullmatch(r"[+-]?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"[+-]?\d{1,15}\.\d{1,15}", text):
        return float(text)
    return text


def _statement(line_number: int, rest: str) -> Statement:
    kind_match = _KIND.match(rest)
    kind = kind_match["kind"] if kind_match else None
    sentence = kind_match["rest"] if kind_match else rest
    pairs: list[tuple[str, str]] = []
    while (pair := _PAIR.search(sentence)) and pair["key"] in PAIR_KEYS:
        value = pair["quoted"] if pair["quoted"] is not None else pair["plain"]
        pairs.insert(0, (pair["key"], value))
        sentence = sentence[: pair.start()]
    return Statement(line_number, kind, sentence.strip(), tuple(pairs))

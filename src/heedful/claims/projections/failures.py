"""Failures: whether a recorded step failed or succeeded, and by what words two failures are the same. Pure."""

from __future__ import annotations

import re

from heedful.observations.record import Record

TEXT_CHARACTERS_MAX = 8_000
"""Of a record's text, so many characters are read for its error."""
SIGNATURE_CHARACTERS_MAX = 200
_WORDS_MIN = 2
"""A masked error of fewer words of its own could be any."""

_FLAGS = {"is_error": False, "passed": True, "success": True, "succeeded": True, "ok": True}
"""Attributes that are true or false, with the value that a success has."""
_STATUSES = frozenset({"status", "result.status", "conclusion", "outcome", "result"})
_CODES = frozenset({"exit_code", "exitCode", "result.exitCode", "result.exit_code", "returncode"})
_GOOD = frozenset({"success", "succeeded", "successful", "passed", "pass", "ok", "ready", "成功", "通过"})
_BAD = frozenset({"failure", "failed", "fail", "error", "errored", "rolled-back", "timed_out", "失败", "错误"})

_ERROR_LINE = re.compile(
    r"error|exception|fatal|fail|denied|refused|timed? ?out|timeout|not found|cannot|can't|unable"
    r"|失败|错误|超时|拒绝|无法",
    re.IGNORECASE,
)
_EXIT_LINE = re.compile(r"\s*(?:exit (?:code|status)|command failed with exit)\b.{0,20}", re.IGNORECASE)
_MASKS = (
    (re.compile(r"https?://\S{1,500}"), "<url>"),
    (re.compile(r"(?<![\w<])(?:[A-Za-z]:\\|~?/|\.{1,2}/)[^\s\"'`,;:()]{1,500}"), "<path>"),
    (re.compile(r"(?<!\w)[0-9a-fA-F]{8}-[0-9a-fA-F-]{12,40}(?!\w)"), "<id>"),
    (re.compile(r"(?<![0-9A-Za-z])(?=[0-9a-f]{0,63}\d)[0-9a-f]{7,64}(?![0-9A-Za-z])"), "<id>"),
    (re.compile(r"\d{1,64}(?:[.:,]\d{1,64}){0,8}"), "<n>"),
)
_MASK = re.compile(r"<(?:url|path|id|n)>")
_OWN_WORD = re.compile(r"[^\W\d_]{3,40}")
_GENERIC = frozenset({"error", "failed", "failure", "exception", "fatal", "exit", "code", "status", "with", "the"})
_SPACES = re.compile(r"\s+")


def succeeded(record: Record) -> bool | None:
    """True or False where an attribute of the record says how it went; None where none does, or they differ."""
    said: set[bool] = set()
    for name, value in record.attributes:
        if name in _FLAGS and isinstance(value, bool):
            said.add(value is _FLAGS[name])
        elif name in _CODES and isinstance(value, int) and not isinstance(value, bool):
            said.add(value == 0)
        elif name in _STATUSES and isinstance(value, str) and value.casefold() in _GOOD | _BAD:
            said.add(value.casefold() in _GOOD)
    return said.pop() if len(said) == 1 else None


def error_line(record: Record) -> str | None:
    """The first line of its text that tells an error, else its first line; None where it has no text."""
    lines = [line.strip() for line in (record.content or "")[:TEXT_CHARACTERS_MAX].splitlines() if line.strip()]
    telling = [line for line in lines if not _EXIT_LINE.fullmatch(line)]
    return next((line for line in telling if _ERROR_LINE.search(line)), next(iter(telling), None))


def signature(text: str) -> str | None:
    """The error with numbers, ids, paths and addresses masked; None where too few words of its own are left."""
    masked = text[:TEXT_CHARACTERS_MAX]
    for pattern, mask in _MASKS:
        masked = pattern.sub(mask, masked)
    masked = _SPACES.sub(" ", masked).strip().casefold()[:SIGNATURE_CHARACTERS_MAX]
    words = [word for word in _OWN_WORD.findall(_MASK.sub(" ", masked)) if word not in _GENERIC]
    is_telling = len(words) >= _WORDS_MIN or any(not word.isascii() for word in words)
    return masked if is_telling else None

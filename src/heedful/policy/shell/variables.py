"""Which variables a command may set without changing what programs do."""

from __future__ import annotations

import re

INERT_EXPORTS = frozenset(
    "CI CLICOLOR COLUMNS DEBUG FORCE_COLOR LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME "  # noqa: SIM905 - a list would be a page
    "LINES NODE_ENV NO_COLOR PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PY_COLORS RUST_BACKTRACE TERM TZ".split()
)
"""Environment variables that change how programs print, not what they load, run or reach."""

_INERT_VALUE = re.compile(r"(?!/)[A-Za-z0-9_.,+/@:-]*")
_LOCAL = re.compile(r"[a-z_][a-z0-9_]*")
# zsh ties these to its search paths and hooks; programs read the proxies.
_NOT_LOCAL = frozenset({"path", "fpath", "cdpath", "manpath", "mailpath", "module_path", "prompt", "psvar", "aliases"})
# Bash evaluates such text where it meets it in arithmetic, even if it came from within quotes.
_EVALUATED = re.compile(r"\$[({\[]|`")


def is_inert_export(name: str, value: str) -> bool:
    """True where a program may be given this variable and do nothing else for it."""
    return name in INERT_EXPORTS and _INERT_VALUE.fullmatch(value) is not None and ".." not in value


def is_inert_local(name: str, value: str) -> bool:
    """True where a variable of the shell alone may have this value: a lower-case name, which programs do not read."""
    if is_inert_export(name, value):
        return True
    is_local = _LOCAL.fullmatch(name) is not None and name not in _NOT_LOCAL and not name.endswith("_proxy")
    return is_local and not is_evaluated(value)


def is_evaluated(text: str) -> bool:
    """True for text that bash may run as code where it is used as a number."""
    return _EVALUATED.search(text) is not None

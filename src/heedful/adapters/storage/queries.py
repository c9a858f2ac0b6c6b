"""Named statements: `.sql` files in which each statement follows a line `-- name --`."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

# Statements kept filled in; their shapes differ only in how many values they take.
FILLED_MAX = 512
_HEADING = re.compile(r"^-- ([a-z][a-z0-9_]*) --$", re.MULTILINE)
_SLOT = re.compile(r"\{([a-z_]+)\}")


def parse_queries(text: str) -> dict[str, str]:
    """Name -> statement, in the file's order; what stands before the first name is a comment.

    Raises:
        ValueError: a name stands twice, or has no statement.
    """
    parts = _HEADING.split(text)
    named: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = [line for line in body.splitlines() if not line.lstrip().startswith("--")]
        statement = "\n".join(lines).strip().removesuffix(";").strip()
        if name in named or not statement:
            raise ValueError(f"statement {name} stands twice or is empty")
        named[name] = statement
    return named


@lru_cache(maxsize=8)
def load_queries(package: str, file: str) -> dict[str, str]:
    """The statements of a file that ships in `package`; one dictionary for all callers, not to be changed."""
    return parse_queries((resources.files(package) / file).read_text(encoding="utf-8"))


@lru_cache(maxsize=FILLED_MAX)
def fill(statement: str, **slots: str) -> str:
    """The statement with each `{slot}` replaced by a fragment of SQL that is ours, never by a value.

    Raises:
        KeyError: a slot has no fragment.
    """
    return _SLOT.sub(lambda match: slots[match[1]], statement)


@lru_cache(maxsize=FILLED_MAX)
def marks(count: int) -> str:
    """`?,?,?`: a placeholder for each of `count` values."""
    return ",".join("?" * count)

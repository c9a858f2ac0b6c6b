"""Which regular expressions a registry may search arguments with: those whose time can't explode.

A conservative reading of the text, after the usual causes of catastrophic backtracking (OWASP, "Regular expression
Denial of Service", https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS): it also
refuses some expressions that would be quick, and each of those can be written another way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EXPRESSION_CHARACTERS_MAX = 2_000
REPEATS_MAX = 1_000
"""How long an expression may be, and how often it may repeat something by number."""

_TOKEN = re.compile(
    r"""
      (?P<flags> \(\?[aiLmsux]+\) )
    | (?P<opens> \( (?:\?(?:[:=!>]|<[=!]|P<\w+>|[aiLmsux-]+:))? )
    | (?P<closes> \) )
    | (?P<either> \| )
    | (?P<repeats> (?:[*+?] | \{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}) [?+]? )
    | (?P<atom> \\. | \[\^?\]?(?:\\.|[^\]\\])*\] | . )
    """,
    re.DOTALL | re.VERBOSE,
)
_WIDE = re.compile(r"\.|\\[SWD]|\[\^.*", re.DOTALL)


_NO_WIDTH = frozenset({"^", "$", "\\b", "\\B", "\\A", "\\Z"})
_SAMPLES = "".join(map(chr, range(9, 127))) + "é修"


@dataclass(slots=True)
class _Group:
    """A group as far as it is read.

    Attributes:
        varies: something in it repeats, or it chooses.
        endless: what repeats without end just before; "" where it is a group, None where nothing does.
    """

    varies: bool = False
    endless: str | None = None


@dataclass(slots=True)
class _Last:
    """What was read last: an atom, or a group ("") that may vary; and what was endless before it."""

    atom: str = ""
    varies: bool = False
    endless_before: str | None = None


def slow_expression(expression: str) -> str | None:
    """Why an expression may take time by a power of the text, or for ever; None where nothing speaks against it.

    It may where something that repeats or chooses is repeated itself (`(a+)+`, `(a|b)*`), where two endless repeats of
    the same character touch (`a*a*`), or where any character is repeated without end twice (`.*x.*`).
    """
    if len(expression) > EXPRESSION_CHARACTERS_MAX:
        return f"it has more than {EXPRESSION_CHARACTERS_MAX} characters"
    groups = [_Group()]
    last = _Last()
    wide = 0
    for found in _TOKEN.finditer(expression):
        group = groups[-1]
        match found.lastgroup:
            case "opens":
                groups.append(_Group(endless=group.endless))
            case "closes" if len(groups) > 1:
                groups.pop()
                last = _Last("", group.varies, groups[-1].endless)
                groups[-1].varies |= group.varies
                groups[-1].endless = group.endless
            case "either":
                group.varies, group.endless = True, groups[-2].endless if len(groups) > 1 else None
            case "repeats":
                problem = _problem(found, last)
                wide += _most(found) is None and _WIDE.fullmatch(last.atom) is not None
                if problem is not None or wide > 1:
                    return problem or "it repeats any character without end more than once"
                group.varies = True
                kept = last.endless_before if _may_be_missing(found) else None
                group.endless = last.atom if _most(found) is None else kept
            case "atom" if found[0] not in _NO_WIDTH:
                last = _Last(found[0], varies=False, endless_before=group.endless)
                group.endless = None
            case _:
                pass
    return None


def _problem(repeats: re.Match[str], last: _Last) -> str | None:
    most = _most(repeats)
    if last.varies and most != 1:
        return "it repeats a group in which something is repeated or chosen"
    if most is not None and most > REPEATS_MAX:
        return f"it repeats something more than {REPEATS_MAX} times"
    if most is None and last.endless_before is not None and _overlap(last.atom, last.endless_before):
        return "two endless repeats of the same character touch"
    return None


def _overlap(left: str, right: str) -> bool:
    """True where a character may be both; for groups and what has no meaning alone, always."""
    try:
        atoms = [re.compile(atom, re.IGNORECASE | re.DOTALL) for atom in (left, right) if atom]
    except re.error:
        return True
    return any(all(atom.fullmatch(character) for atom in atoms) for character in _SAMPLES)


def _most(repeats: re.Match[str]) -> int | None:
    """How often at most; None: without end."""
    if repeats["least"] is None:
        return 1 if repeats[0][0] == "?" else None
    if repeats["most"]:
        return int(repeats["most"])
    return None if repeats["comma"] else int(repeats["least"] or 0)


def _may_be_missing(repeats: re.Match[str]) -> bool:
    return repeats[0][0] in "?*" or (repeats["least"] is not None and int(repeats["least"] or 0) == 0)

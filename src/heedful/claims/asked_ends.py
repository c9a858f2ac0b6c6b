"""Asked ends: a sentence by which somebody ends what they said before: back to the default, or forget it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from heedful.claims.said import object_of, plain_sentence

ABOUT_CHARACTERS_MAX = 200
"""Of what is to be forgotten."""


@dataclass(frozen=True, slots=True)
class AskedEnd:
    """What a sentence asks to have ended.

    Attributes:
        how: `default`: it holds no longer, and what held without it does again. `forget`: as if it was never said.
        about: what is to be forgotten: what is liked or named, or the statement itself; empty for `default`.
    """

    how: Literal["default", "forget"]
    about: str = ""


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A line or sentence that ends what was said before, with what it names of it; None: it names none."""

    end: AskedEnd
    kind: str | None = None
    subject: str | None = None
    property_name: str | None = None


def asked_end_in(sentence: str) -> AskedEnd | None:
    """What the sentence asks to have ended, where it asks for nothing else; None: nothing."""
    text = plain_sentence(sentence)
    if _DEFAULT.fullmatch(text):
        return AskedEnd("default")
    match = _FORGET.fullmatch(text)
    about = "" if match is None else object_of(match["said"] or match["zh"])
    return AskedEnd("forget", about) if 0 < len(about) <= ABOUT_CHARACTERS_MAX else None


_DEFAULT = re.compile(
    r"(?:please )?(?:(?:(?:go|switch|change it|set it|put it) )?back to (?:the )?defaults?"
    r"|reset (?:it )?to (?:the )?defaults?|restore (?:the )?defaults?|(?:use )?the default again)(?: please)?"
    r"|请?(?:恢复|改回|用回|回到|恢复成|恢复到)默认(?:设置|值)?(?:吧|了)?",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"(?:please )?forget (?:what i (?:said|told you) about|that) (?P<said>\S.*)"
    r"|请?(?:忘掉|忘记|忘了)我(?:说|讲)(?:过|的)?的?(?:关于)?(?P<zh>\S.*?)(?:的话|的事|这件事)?吧?",
    re.IGNORECASE,
)

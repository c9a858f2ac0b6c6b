"""Names: what somebody typed as a name holds no secret, wherever it is kept or shown again."""

from __future__ import annotations

import re
import unicodedata

from heedful.kernel.errors import InvalidInputError
from heedful.observations.redact import redact

SHOWN_CHARACTERS = 80
_LOOKED_AT_CHARACTERS = 4_096
_FORMAT = "Cf"
_LOOKALIKE_SCRIPTS = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE"})
"""Scripts with letters that look like those of another of them; see Unicode TR39."""
_LIKE_NO_LATIN = frozenset("ΓΔΘΛΞΠΣΦΨΩδζθλξπφψω")
"""Greek letters that nobody takes for a Latin one: Δt and kΩ are written so."""
_WORD = re.compile(r"[^\W_]+")
# Joiners where a script or an emoji is written with them: between letters of it, and after a virama.
_JOINERS = re.compile(
    "(?<=[\u0620-\u109f\u1780-\u18af])[\u200c\u200d](?=[\u0620-\u109f\u1780-\u18af])"
    "|(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d]"
    "|\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)


def distinct_name(text: str | None, *, field: str) -> str | None:
    """The name as it was given, if any: one that looks like another by outer space or unseen characters is not taken.

    Nor is one with letters of two scripts in one word that look alike, such as Latin and Cyrillic.

    Raises:
        InvalidInputError: `name_malformed`, `name_of_mixed_scripts`.
    """
    if text is None or not text.strip():
        return text  # an empty one is refused as such
    if text == as_distinct(text):
        if not text.isascii():
            _require_one_script(text, field=field)
        return text
    raise InvalidInputError(
        "name_malformed",
        f"{field} has white space around it, or a character in it that cannot be seen",
        next_step="leave that out: with it the name looks like another, and is none",
        details={"field": field},
    )


def is_distinct(text: str) -> bool:
    """True for a name that `distinct_name` takes."""
    try:
        distinct_name(text, field="name")
    except InvalidInputError:
        return False
    return True


def as_distinct(text: str) -> str:
    """The name without outer white space and unseen format characters; joiners stay where a script needs them."""
    if text.isascii():
        return text.strip()
    kept = {match.start() for match in _JOINERS.finditer(text)}
    seen = (each for at, each in enumerate(text) if at in kept or unicodedata.category(each) != _FORMAT)
    return "".join(seen).strip()


def _require_one_script(text: str, *, field: str) -> None:
    """Nothing, where no word mixes scripts whose letters look alike; accents belong to the letter before them."""
    bare = "".join(
        each for each in unicodedata.normalize("NFD", text) if not unicodedata.category(each).startswith("M")
    )
    for word in _WORD.findall(bare):
        scripts = {each: script for each in word if (script := _script(each)) in _LOOKALIKE_SCRIPTS}
        if set(scripts.values()) == {"GREEK", "LATIN"}:
            scripts = {each: script for each, script in scripts.items() if each not in _LIKE_NO_LATIN}
        known = list(scripts.values())
        main = max(known, key=known.count, default="")
        if other := next((each for each, script in scripts.items() if script != main), None):
            raise InvalidInputError(
                "name_of_mixed_scripts",
                f"{field} has the {scripts[other].capitalize()} letter {other!r} (U+{ord(other):04X}) in a word of "
                f"{main.capitalize()} letters",
                next_step="write each word in one script: with letters of two it looks like another name, and is none",
                details={"field": field, "letter": f"U+{ord(other):04X}"},
            )


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def require_clean_name(text: str, *, field: str) -> None:
    """Nothing, where no secret stands in the name. A name is never redacted: two names must not become one.

    Raises:
        InvalidInputError: `name_malformed`, without the secret.
    """
    if redact(text).redactions:
        raise InvalidInputError(
            "name_malformed",
            f"{field} holds a secret; it was not kept",
            next_step="name it without the secret, and change the secret if others could have seen it",
            details={"field": field},
        )


def shown(text: str, characters_max: int = SHOWN_CHARACTERS) -> str:
    """The beginning of a text that was not taken, for the message that says so; its secrets are cut out first."""
    return redact(text[:_LOOKED_AT_CHARACTERS]).text[:characters_max]

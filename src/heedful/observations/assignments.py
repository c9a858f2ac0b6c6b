"""Secrets that are known by the name beside them: `password = "..."`, `DB_PASSWORD=...`, `--token ...`.

detect-secrets' KeywordDetector gives the words; what may follow them is stricter here, since its own patterns take
every value of every such name (docs/adr/0003 has both counts).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from heedful.kernel.kept import keeps_texts
from heedful.observations import made
from heedful.observations.detectors import Cut

VALUE_CHARACTERS_MAX = 1_024
"""What is longer than this is cut to its end of word or quote as well, but judged by its first part."""

NAMES_CACHED_MAX = 1_024
"""Names that were judged are remembered: those of attributes and arguments come again with every record."""

Strength = Literal["password", "secret", "token"]

_JOINTS = ("_", "-", " ", "")
_KEY_OWNERS = (
    *("api", "auth", "access", "account", "private", "client", "service", "encryption", "signing", "master", "secret"),
    *("db", "database", "storage", "shared"),
)
# Tokens that give access, whatever they look like; and tokens that only mark a place or a request.
_TOKEN_OWNERS = ("auth", "access", "refresh", "session", "security", "bearer", "api", "bot")
_PLACE_OWNERS = (
    *("next", "page", "continuation", "starting", "cursor", "resume", "scroll", "sync", "change", "update", "creation"),
    *("lock", "request", "client", "idempotency", "cancellation", "forward", "backward", "trace", "eos", "bos", "pad"),
    *("mask", "stop", "unk"),
)
_PASSWORD_WORDS = (
    *(
        "password",
        "passwort",
        "passwd",
        "pwd",
        "passphrase",
        "passcode",
        "_pass",
        "-pass",
        "contraseña",
        "密码",
        "口令",
    ),
)
_SECRET_WORDS = ("secret", "密钥", *(f"{owner}{joint}key" for owner in _KEY_OWNERS for joint in _JOINTS))
_SECRET_TOKENS = tuple(f"{owner}{joint}token" for owner in _TOKEN_OWNERS for joint in _JOINTS)
_PLACES = tuple(f"{owner}{joint}token" for owner in _PLACE_OWNERS for joint in _JOINTS)
_TOKEN_WORDS = ("token", "令牌")
_OWNED = "|".join(f"(?<={owner}[_ -]k)|(?<={owner}k)" for owner in _KEY_OWNERS)
# Each branch starts with a character that is rare enough, and looks back for the rest: three times as fast.
_ASCII_TRIGGERS = (
    r"w(?:(?<=passw)(?:or[dt]|d)|(?<=pw)d)|h(?<=passph)rase|c(?:(?<=sec)ret|(?<=passc)ode)"
    rf"|k(?:(?<=tok)en|(?=ey)(?:{_OWNED})ey)"
    r"|_(?<=db_)pass|-(?<=db-)pass"
)
_ASCII_TRIGGER = re.compile(_ASCII_TRIGGERS)
_TRIGGER = re.compile(_ASCII_TRIGGERS + r"|ñ(?<=contraseñ)a|密(?:码|钥)|口令|令牌")
_KEY_ALONE = re.compile(r"key(?:(?<=\skey)|(?<=^key))")
_SUFFIX = (
    r"(?:[_-]?(?:\d{1,3}|access[_-]?key|key|prod|production|staging|stage|dev|test|live|main|root|admin|user|old|new"
    r"|value|plain|text))?"
)
_QUOTED = (
    r"(?P<prefix>[fbruFBRU@]{0,2})(?P<quote>\\{0,7}[\"'`])"
    r"(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])){1,1024}?)(?P=quote)"
)
_PLAIN = r"(?P<plain>[^\s\"'`,;&|<>(){}\[\]\\\u3000-\u9fff\uff00-\uffef]{4,1024})"
_ASSIGNED = re.compile(
    rf"{_SUFFIX}(?P<close>\\{{0,7}}[\"'`]?\]?)"
    r"(?:\s{0,8}[:=!：]{1,3}>?\s{0,8}|\s{1,4}(?P<verb>is|was|are)(?: now)?:?\s{1,4}|\s?(?P<zh>是|为|改为|改成)\s?)"
    rf"(?:{_QUOTED}|{_PLAIN})",
    re.IGNORECASE,
)
_FLAG = re.compile(
    rf"{_SUFFIX}(?P<sep>=|\s{{1,4}}|[\"'],\s{{0,4}}(?=[\"']))(?:{_QUOTED}|{_PLAIN})"
    r"(?P<after>\s{0,4}(?:$|[\r\n]|-|\||[\"'`]))?",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"(?:^|[\s\"'`(\[=])(--[A-Za-z0-9_-]{0,40})$")
_ENV_BEFORE = re.compile(r"(?:^|[\s;\"'`]|\\n)(?:[A-Z][A-Z0-9_]{0,60})$")
_ENV_VALUE = re.compile(r"[^\s\"'`\\]{4,1024}")
# `arn:aws:...:secret:name-1a2b3c` and `AWS::IAM::AccessKey` name a thing; they assign nothing.
_PATH_BEFORE = re.compile(r"(::?)[\w-]{1,40}$", re.ASCII)
_LOOK_BACK = 64

_PLACEHOLDER = re.compile(
    r"\$[A-Za-z_{(]|%[({s]|\{|<|\*{2}|\.{3}|…|\[redacted:|(?:your|enter|insert|example|dummy|fake|placeholder)[-_ ]"
    r"|(.)\1*$",
    re.IGNORECASE,
)
_PLAIN_WORD_LIST = """
none null nil true false undefined string str bytes int integer number bool boolean any object text char varchar
required optional empty hidden masked removed default disabled enabled unknown missing invalid expired wrong
password passwd secret token apikey key pass basic bearer digest oauth example value changed correct
"""
_PLAIN_WORDS = frozenset(_PLAIN_WORD_LIST.split())
_NAME_LIKE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+\.?$")
_KEYWORD_INSIDE = re.compile(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
_VERSION_LIKE = re.compile(
    r"(?:sha|md|aes|rsa|hs|rs|es|ps|utf|oauth|base|pbkdf|argon|bcrypt|iso|ed|rfc|x|v|python|http)[-_]?\d[\w.:-]*$"
    r"|\d{1,4}(?:[-/.:]\d{1,4})+\w?$|[a-z]{2}-[a-z]+-\d$",
    re.IGNORECASE,
)
_PATH_LIKE = re.compile(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w.-]{1,24}(?:[/\\][\w.-]{1,24})*/?$|[a-z]+://|arn:")
_HASH_OR_UUID = re.compile(
    r"(?:sha\d+:)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s")
_SYMBOL = re.compile(r"[!@#$%^*+=~?]")
_PLAIN_END = ".,:;"


@keeps_texts(NAMES_CACHED_MAX)
def strength_of(name: str) -> Strength | None:
    """How surely a value under this name is secret: `password`, `secret`, `token`, or None for an ordinary name."""
    return _strength(name.lower(), len(name.lower()))


def _strength(lowered: str, end: int) -> Strength | None:
    start = max(0, end - _LOOK_BACK)
    if lowered.endswith(_TOKEN_WORDS, start, end):
        if lowered.endswith(_SECRET_TOKENS, start, end):
            return "secret"
        return None if lowered.endswith(_PLACES, start, end) else "token"
    if lowered.endswith(_PASSWORD_WORDS, start, end):
        return "password"
    return "secret" if lowered.endswith(_SECRET_WORDS, start, end) else None


def is_secret_value(value: str, strength: Strength, *, quoted: bool) -> bool:
    """True where a value under such a name is worth cutting: no placeholder, type, name, path or version.

    Git hashes and UUIDs under a name that ends in `token` are page and trace tokens more often than secrets: they stay.
    """
    if len(value) < 4 or _PLACEHOLDER.match(value) or "[redacted:" in value or value.lower() in _PLAIN_WORDS:
        return False
    if strength != "token" and made.is_made(value):
        return True
    if _VERSION_LIKE.match(value) or _PATH_LIKE.match(value) or _SPACE.search(value):
        return False
    has_digit = any(character.isdigit() for character in value)
    has_letter = any(character.isalpha() for character in value)
    has_symbol = _SYMBOL.search(value) is not None
    if strength == "token":
        is_name = _HASH_OR_UUID.match(value) or _NAME_LIKE.match(value)
        return len(value) >= 16 and has_digit and has_letter and not is_name
    if quoted:
        if has_digit or has_symbol:
            return len(value) >= 6 or (strength == "password" and has_letter)
        return strength == "password" and _is_plain_password(value)
    if len(value) < 6 or _NAME_LIKE.match(value):
        return False
    if not has_letter and not has_symbol:
        return strength == "password" and value.isdigit()
    if value.isidentifier() and _KEYWORD_INSIDE.search(value):
        return False
    return has_digit or (has_symbol and has_letter and strength == "password")


def _is_plain_password(word: str) -> bool:
    """A quoted word without a digit: `swordfish`, but not `PASSWORD_RESET` or `new-password`."""
    is_word = len(word) >= 6 and word.isascii() and word.isalpha() and not word.isupper()
    return is_word and not _KEYWORD_INSIDE.search(word)


def find_assignments(text: str) -> Iterator[Cut]:
    """Every value that a name marks as secret, in order of its place; the name itself stays."""
    lowered = _lowered(text)
    flags = "--" in text
    done = 0
    trigger = _ASCII_TRIGGER if lowered.isascii() else _TRIGGER
    for found in trigger.finditer(lowered):
        if found.start() < done or text[found.end() : found.end() + 1].islower():
            continue
        cut = _assigned(text, lowered, found.end())
        if cut is None and flags:
            cut = _flagged(text, lowered, found.end())
        if cut is None:
            cut = _elsewhere(text, lowered, found.end())
        if cut is not None:
            yield cut
            done = cut[1]


def may_hold_assignment(text: str) -> bool:
    """False where `find_assignments` finds none, in this text or in one of which this is a word."""
    lowered = _lowered(text)
    trigger = _ASCII_TRIGGER if lowered.isascii() else _TRIGGER
    # Of all triggers only `api key` and its like reach over white space.
    return trigger.search(lowered) is not None or _KEY_ALONE.search(lowered) is not None


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    # A few capitals grow when they are lowered; places must not move.
    return "".join(character.lower() if len(character.lower()) == 1 else character for character in text)


def _assigned(text: str, lowered: str, end: int) -> Cut | None:
    found = _ASSIGNED.match(text, end)
    env = _environment_value(text, end)
    strength = _strength(lowered, end) if found or env else None
    if strength is None or _is_part_of_path(text, end):
        return None
    if found is None or env is not None:
        return (*env, strength) if env else None
    if found["quoted"] is not None:
        if found["verb"] is None or _has_digit(found["quoted"]):
            template = "f" in found["prefix"].lower() and "{" in found["quoted"]
            if not template and is_secret_value(found["quoted"], strength, quoted=True):
                return *found.span("quoted"), strength
        return None
    start, stop = found.span("plain")
    if text[stop : stop + 1] in ("(", "[", "{", "<"):
        return None
    value = found["plain"].rstrip(_PLAIN_END)
    spoken = found["verb"] is not None or found["zh"] is not None
    if spoken and not (_has_digit(value) and any(character.isalpha() for character in value)):
        return None
    if is_secret_value(value, strength, quoted=False):
        return start, start + len(value), strength
    return None


def _elsewhere(text: str, lowered: str, end: int) -> Cut | None:
    """The value where no sign assigns it: in a table or a command, a tag, a block of YAML, a pair of name and value."""
    place = made.within(text, end) or made.paired(text, end) or made.beside(text, end)
    strength = None if place is None else _strength(lowered, end)
    if place is None or strength is None or _is_part_of_path(text, end):
        return None
    value = text[slice(*place)].rstrip(_PLAIN_END)
    is_secret = is_secret_value(value, strength, quoted=False)
    return (place[0], place[0] + len(value), strength) if is_secret else None


def _is_part_of_path(text: str, end: int) -> bool:
    """True in `x::name`, `x:name:y` and our own marks; not after a line number (`settings.py:12:password = ...`)."""
    before = _PATH_BEFORE.search(text, max(0, end - _LOOK_BACK), end)
    if before is None:
        return False
    if text[end : end + 1] == "]" and text.endswith("[redacted", 0, before.start()):
        return True
    return before[1] == "::" or (text[end : end + 1] == ":" and not text[end + 1 : end + 2].isspace())


def _environment_value(text: str, end: int) -> tuple[int, int] | None:
    """The value of a line such as `DB_PASSWORD=swordfish`: what follows is literal, also without a digit."""
    if text[end : end + 1] != "=" or _ENV_BEFORE.search(text, max(0, end - _LOOK_BACK), end) is None:
        return None
    found = _ENV_VALUE.match(text, end + 1)
    if found is None or "(" in found[0] or _PLACEHOLDER.match(found[0]) or found[0].lower() in _PLAIN_WORDS:
        return None
    if _PATH_LIKE.match(found[0]) or (found[0].isidentifier() and found[0].isupper()):
        return None
    return found.start(), found.end()


def _flagged(text: str, lowered: str, end: int) -> Cut | None:
    """The value of a command-line flag such as `--password swordfish`."""
    word = _WORD_BEFORE.search(text, max(0, end - _LOOK_BACK), end)
    if word is None:
        return None
    strength = _strength(lowered, end)
    found = _FLAG.match(text, end)
    if strength is None or found is None:
        return None
    group = "quoted" if found["quoted"] is not None else "plain"
    value = found[group].rstrip(_PLAIN_END)
    if len(value) < 4 or _PLACEHOLDER.match(value) or value.lower() in _PLAIN_WORDS or value[0] == "-":
        return None
    if value.isupper() and value.replace("_", "").replace("-", "").isalpha():
        return None
    if _has_digit(value) or found["sep"] == "=" or group == "quoted" or found["after"] is not None:
        return found.start(group), found.start(group) + len(value), strength
    return None


def _has_digit(value: str) -> bool:
    return any(character.isdigit() for character in value)

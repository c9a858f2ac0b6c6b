"""Identifiers: what a record names of the world outside, by which two records are told to speak of one thing.

Commit hashes, image digests, request and trace ids, numbers of runs, jobs, builds, pipelines, pull requests and
migrations, change tickets; in the text, and in attributes that are called so. Every pattern takes linear time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from heedful.observations.record import Record

TEXT_CHARACTERS_MAX = 20_000
"""Of a record's text, so many characters are read."""
LISTED_MAX = 8
"""A record that names more of one sort lists them (a log, a table), and is about none of them. Our own figure."""
_ENVIRONMENT_CHARACTERS_MAX = 2_000
_COMMIT_CHARACTERS = (7, 12, 40)
_DIGEST_CHARACTERS_MIN = 12
_DIGEST_CHARACTERS = 64

COMMIT, DIGEST, PULL, MIGRATION, TICKET = "commit", "image digest", "pull request", "migration", "ticket"
_NUMBERED = frozenset({"run", "job", "build", "pipeline", PULL, MIGRATION})
"""Numbers that mean something within one project alone."""

_HEX = re.compile(r"(?<![0-9A-Za-z_-])(sha256:)?([0-9a-f]{7,64})(?![0-9A-Za-z_-])")
_LABELLED = re.compile(
    r"(?<![a-z])(request|req|trace|correlation)[-_ ]?id[\"']?[ \t]{0,3}[:=]?[ \t]{0,3}[\"']?"
    r"([0-9a-z][0-9a-z._-]{5,63})",
    re.IGNORECASE,
)
_TRACEPARENT = re.compile(r"(?<![0-9a-f-])00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?![0-9a-f-])")
_SIGNED = re.compile(
    r"(?<![a-z])(run|job|build|pipeline|构建|流水线|作业)(?:[ _-]?(?:number|id|no))?[ \t]{0,2}[#=:][ \t]{0,2}"
    r"(\d{1,15})(?!\w|\.\d)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?<![a-z])(job|build|pipeline|构建|流水线|作业)[ ]?(?:number |id )?(\d{2,15})(?!\w|\.\d|%| of | tests?| times?)",
    re.IGNORECASE,
)
_PATHED = re.compile(r"/(run|job|build|pipeline)s/(\d{1,15})(?!\w)")
_PULL = re.compile(
    r"(?:(?<![a-z])(?:pr|mr|pull request|merge request)[ \t]{0,2}[#!]?|/pull/|/merge_requests/)(\d{1,9})(?!\w|\.\d)",
    re.IGNORECASE,
)
_TICKET = re.compile(r"(?<![0-9A-Za-z_-])([A-Z][A-Z0-9]{1,9})-(\d{1,7})(?![\w-])")
_SERVICE_TICKET = re.compile(r"(?<![0-9A-Za-z])((?:CHG|INC|REQ|PRB|RITM|TASK)\d{5,10})(?!\w)")
_MIGRATION = re.compile(r"(?<![a-z])(?:migrations?|迁移)[ \t]{0,2}[#:]?[ \t]{0,2}(\d{1,14})(?!\w|\.\d)", re.IGNORECASE)
_MIGRATION_FILE = re.compile(r"(?<!\w)(?:V(\d{1,14})__|(0\d{2,5}|\d{12,14})_)[a-zA-Z]")
_NO_TICKETS = frozenset(
    {
        "UTF",
        "SHA",
        "ISO",
        "RFC",
        "AES",
        "RSA",
        "MD",
        "IPV",
        "TLS",
        "SSL",
        "HTTP",
        "GPT",
        "UTC",
        "GMT",
        "CP",
        "EC",
        "CVE",
    }
)
_SORTS = {"req": "request", "correlation": "request", "构建": "build", "流水线": "pipeline", "作业": "job"}
_ATTRIBUTES = {
    "commit": COMMIT, "commit_sha": COMMIT, "git_commit": COMMIT, "head_sha": COMMIT, "revision": COMMIT, "sha": COMMIT,
    "request_id": "request", "correlation_id": "request", "trace_id": "trace",
    "run_number": "run", "workflow_run": "run", "job": "job", "job_id": "job", "job_number": "job",
    "build": "build", "build_id": "build", "build_number": "build", "pipeline": "pipeline", "pipeline_id": "pipeline",
    "change": TICKET, "change_id": TICKET, "change_ticket": TICKET, "ticket": TICKET,
    "pr": PULL, "pr_number": PULL, "pull_request": PULL,
    "digest": DIGEST, "image_digest": DIGEST, "migration": MIGRATION,
}  # fmt: skip
_ENVIRONMENTS = re.compile(
    r"(?<![a-z])(production|prod|staging|stage|uat|qa|preview|sandbox|development|dev)(?![a-z])|(生产|线上|预发|测试环境)",
    re.IGNORECASE,
)
_ENVIRONMENT_NAMES = {
    "prod": "production", "生产": "production", "线上": "production", "stage": "staging", "预发": "staging",
    "测试环境": "qa", "dev": "development",
}  # fmt: skip


class Identifier(NamedTuple):
    """Something that a record names: its sort (`commit`, `request`, ...) and its value, in one spelling."""

    sort: str
    value: str

    @property
    def key(self) -> tuple[str, str]:
        """What is equal for all that may be the same; hashes are also given by their beginnings."""
        characters = {COMMIT: _COMMIT_CHARACTERS[0], DIGEST: _DIGEST_CHARACTERS_MIN}.get(self.sort)
        return self.sort, self.value[:characters]

    @property
    def is_numbered(self) -> bool:
        """True for a number that another project may have as well."""
        return self.sort in _NUMBERED

    def is_same(self, other: Identifier) -> bool:
        """True where both name one thing: equal, or one the beginning of the other's hash."""
        if self.sort not in (COMMIT, DIGEST):
            return self == other
        is_start = self.value.startswith(other.value) or other.value.startswith(self.value)
        return self.sort == other.sort and is_start

    def __str__(self) -> str:
        """For people: `commit 1f9ebeb`."""
        return f"{self.sort} {self.value}"


def identifiers_of(record: Record) -> frozenset[Identifier]:
    """What the record names, in its attributes and its text; sorts of which it lists many are left out."""
    by_sort: dict[str, set[Identifier]] = defaultdict(set)
    for each in (*_in_text((record.content or "")[:TEXT_CHARACTERS_MAX]), *_in_attributes(record)):
        by_sort[each.sort].add(each)
    return frozenset(each for found in by_sort.values() if len(found) <= LISTED_MAX for each in found)


def attributes_of(sort: str) -> tuple[str, ...]:
    """The names of attributes that hold something of this sort."""
    return tuple(name for name, each in _ATTRIBUTES.items() if each == sort)


def environment_of(record: Record) -> str | None:
    """The one environment that the record is of: by its scope, attribute, subject, or the only one that it names."""
    for element in record.scope.elements:
        dimension, _, value = element.partition(":")
        if dimension in ("environment", "env"):
            return _environment(value)
    for name, given in record.attributes:
        if name in ("environment", "env") and isinstance(given, str):
            return _environment(given)
    for subject in record.subjects:
        if subject.type in ("environment", "env"):
            return _environment(subject.id)
    words = (record.content or "")[:_ENVIRONMENT_CHARACTERS_MAX]
    named = {_environment(match[0]) for match in _ENVIRONMENTS.finditer(words)}
    return named.pop() if len(named) == 1 else None


class Place(NamedTuple):
    """Where a record is of: the values of its scope by dimension, and its one environment where that is known."""

    dimensions: dict[str, str]
    environment: str | None


def place_of(record: Record) -> Place:
    """The place that scope, attributes, subjects or words of the record tell; who asks of it often keeps it."""
    return Place(dict(element.split(":", 1) for element in record.scope.elements), environment_of(record))


def may_be_one_place(left: Place, right: Place) -> bool:
    """False where the two are known to be of different places: another value of one dimension, another environment."""
    apart = any(left.dimensions.get(dimension, value) != value for dimension, value in right.dimensions.items())
    return not apart and (left.environment == right.environment or None in (left.environment, right.environment))


def shares_scope(left: Record, right: Record) -> bool:
    """True where the two have an element of scope in common, or neither has any."""
    return bool({*left.scope.elements} & {*right.scope.elements}) or left.scope == right.scope


def _environment(name: str) -> str:
    return _ENVIRONMENT_NAMES.get(name.casefold(), name.casefold())


def _in_text(text: str) -> list[Identifier]:
    found = [one for match in _HEX.finditer(text) if (one := _hash(match[1] is not None, match[2])) is not None]
    found += [
        Identifier(_sort(match[1]), match[2].rstrip(".-_"))
        for match in _LABELLED.finditer(text)
        if any(map(str.isdigit, match[2]))
    ]
    found += [Identifier("trace", match[1]) for match in _TRACEPARENT.finditer(text)]
    for pattern in (_SIGNED, _PLAIN, _PATHED):
        found += [Identifier(_sort(match[1]), _number(match[2])) for match in pattern.finditer(text)]
    found += [Identifier(PULL, _number(match[1])) for match in _PULL.finditer(text)]
    found += [
        Identifier(TICKET, match[0])
        for match in _TICKET.finditer(text)
        if match[1].rstrip("0123456789") not in _NO_TICKETS
    ]
    found += [Identifier(TICKET, match[1]) for match in _SERVICE_TICKET.finditer(text)]
    for pattern in (_MIGRATION, _MIGRATION_FILE):
        found += [Identifier(MIGRATION, _number(match[match.lastindex or 0])) for match in pattern.finditer(text)]
    return found


def _in_attributes(record: Record) -> list[Identifier]:
    found = []
    for name, value in record.attributes:
        sort = _ATTRIBUTES.get(name)
        if sort is None or isinstance(value, bool | float) or not str(value).strip():
            continue
        text: str = str(value).strip()
        if sort in (COMMIT, DIGEST):
            text = text.removeprefix("sha256:").casefold()
        found.append(Identifier(sort, _number(text) if text.isdigit() and sort in _NUMBERED else text))
    return found


def _hash(is_digest: bool, value: str) -> Identifier | None:  # noqa: FBT001  # whether `sha256:` stands before it
    shortest, longest_short, whole = _COMMIT_CHARACTERS
    if (is_digest and len(value) >= _DIGEST_CHARACTERS_MIN) or len(value) == _DIGEST_CHARACTERS:
        return Identifier(DIGEST, value)
    # A short one of letters or of digits alone is a word, or a number.
    is_short = shortest <= len(value) <= longest_short and not value.isdigit() and not value.isalpha()
    return Identifier(COMMIT, value) if not is_digest and (is_short or len(value) == whole) else None


def _sort(word: str) -> str:
    lowered = word.casefold()
    return _SORTS.get(lowered, lowered)


def _number(digits: str) -> str:
    return digits.lstrip("0") or "0"

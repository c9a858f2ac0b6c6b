"""Datasets: files of paired cases and of distractors -> cases, with every malformed line named."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from heedful.evaluation.fields import (
    LineField,
    decision_named,
    first_of,
    given_id,
    question_of,
    record_type_of,
    scope_of,
    text_of,
    word_of,
)
from heedful.kernel.errors import InvalidInputError, UnavailableError
from heedful.kernel.ladder import Decision
from heedful.observations.record import RecordType

CASES_MAX = 10_000
DISTRACTORS_MAX = 50_000
FILE_BYTES_MAX = 67_108_864

MEMORY = ("memory", "user_message")
DIRECT = ("direct_query", "naive_query")
INDIRECT = ("indirect_query", "request", "query")
IDS = ("id", "case_id", "task_id")
DOMAINS = ("domain", "about", "source_kind", "category")
"""The names that a field goes by, the first that is there; those of InMind's tasks among them."""


class Named(Protocol):
    """What has an id of its own in its file."""

    @property
    def case_id(self) -> str:
        """Its id."""
        ...


C = TypeVar("C", bound=Named)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a memory.

    Attributes:
        tool, args: the tool call that it proposes, if any.
        scope: where it is asked; empty: where the case is at home.
    """

    text: str
    tool: str | None
    args: Mapping[str, object]
    scope: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A memory, and what is asked of it directly, from the side, and beside the point; None where a field is missing.

    Attributes:
        number: its place among the cases of the file, from 1.
        scope: empty: the scope of a person of the case's own.
        update: what is told later, by which the memory no longer decides.
        expected: the decisions that count as exact for the indirect request; empty where none is expected.
        language: `zh` where the memory has Han characters, else `en`.
        domain: what the memory is about, or where it comes from, in one word.
    """

    case_id: str
    number: int
    memory: str
    record_type: RecordType
    scope: tuple[str, ...]
    direct: Question | None
    indirect: Question
    topic_negative: Question | None
    lexical_negative: Question | None
    other_scope: Question | None
    update: str | None
    expected: tuple[Decision, ...]
    language: str
    domain: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """The cases of a file.

    Attributes:
        name: the file's, without its ending.
        sha256: of the whole file, whatever was read of it.
    """

    name: str
    sha256: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Distractors:
    """Utterances to put a memory among, in the order of their files; `sha256` is one digest a file."""

    utterances: tuple[str, ...]
    sha256: tuple[str, ...]


def load_cases(path: Path, *, limit: int | None = None) -> Dataset:
    """The cases of a JSONL file, the first `limit` of them. Blank lines are passed over, unknown fields ignored.

    Raises:
        UnavailableError: `cases_unreadable`.
        InvalidInputError: `case_malformed`, naming line and field; `cases_none`, `cases_too_many`.
    """
    content = file_content(path)
    return Dataset(path.stem, hashlib.sha256(content).hexdigest(), tuple(read_cases(content, path, _case, limit=limit)))


def read_cases(
    content: bytes, path: Path, case_of: Callable[[str, LineField, int], C], *, limit: int | None
) -> list[C]:
    """What `case_of` reads of each line, its place and its number among the cases; at most `limit`, each id once.

    Raises:
        InvalidInputError: `case_malformed`, naming line and field; `cases_none`, `cases_too_many`.
    """
    cases: dict[str, C] = {}
    for number, line in _lines(content, path):
        if limit is not None and len(cases) >= limit:
            break
        if len(cases) >= CASES_MAX:
            raise InvalidInputError(
                "cases_too_many",
                f"{path.name} has more than {CASES_MAX} cases",
                next_step="split it, or give --limit",
                details={"limit": CASES_MAX},
            )
        case = case_of(line, LineField(path.name, number, ""), len(cases) + 1)
        if case.case_id in cases:
            raise LineField(path.name, number, "id").malformed("is the id of a case above")
        cases[case.case_id] = case
    if not cases:
        raise InvalidInputError(
            "cases_none", f"{path.name} has no case", next_step="give a file with one JSON object a line"
        )
    return list(cases.values())


def load_distractors(paths: Sequence[Path]) -> Distractors:
    """The utterances of these files, one a line; blank lines are passed over.

    Raises:
        UnavailableError: `cases_unreadable`.
        InvalidInputError: `case_malformed` where a file is not UTF-8; `cases_too_many`.
    """
    utterances: list[str] = []
    digests: list[str] = []
    for path in paths:
        content = file_content(path)
        digests.append(hashlib.sha256(content).hexdigest())
        utterances += [line for _, line in _lines(content, path)]
    if len(utterances) > DISTRACTORS_MAX:
        raise InvalidInputError(
            "cases_too_many",
            f"there are more than {DISTRACTORS_MAX} distractors",
            next_step="give fewer",
            details={"limit": DISTRACTORS_MAX},
        )
    return Distractors(tuple(utterances), tuple(digests))


def language_of(text: str) -> str:
    """`zh` where the text has a Han character, else `en`."""
    return "zh" if any(unicodedata.name(each, "").startswith("CJK UNIFIED") for each in text) else "en"


def file_content(path: Path) -> bytes:
    """The bytes of a file of cases, at most FILE_BYTES_MAX.

    Raises:
        UnavailableError: `cases_unreadable`.
        InvalidInputError: `cases_too_many`.
    """
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise UnavailableError(
            "cases_unreadable", f"{path.name} can't be read", next_step="see that the file is there and readable"
        ) from error
    if len(content) > FILE_BYTES_MAX:
        raise InvalidInputError(
            "cases_too_many",
            f"{path.name} is over {FILE_BYTES_MAX} bytes",
            next_step="split it",
            details={"limit": FILE_BYTES_MAX},
        )
    return content


def _lines(content: bytes, path: Path) -> Iterator[tuple[int, str]]:
    """(number, text) of each line that is not blank."""
    # Not splitlines of a text: a line separator inside of a JSON text ends no line.
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise LineField(path.name, number, "").malformed("is not UTF-8") from error
        if text:
            yield number, text


def object_of(line: str, at: LineField) -> dict[str, object]:
    """The JSON object of a line.

    Raises:
        InvalidInputError: `case_malformed`.
    """
    try:
        fields = msgspec.json.decode(line.encode())
    except (msgspec.DecodeError, RecursionError) as error:
        raise at.malformed("is no JSON") from error
    if not isinstance(fields, dict):
        raise at.malformed("is no JSON object")
    return fields


def _case(line: str, at: LineField, number: int) -> Case:
    fields = object_of(line, at)
    name, memory = first_of(fields, MEMORY, at)
    told = text_of(memory, at.of(name))
    name, indirect = first_of(fields, INDIRECT, at)

    def question(*names: str) -> Question | None:
        found = next((each for each in names if fields.get(each) is not None), None)
        return None if found is None else Question(*question_of(fields[found], at.of(found)))

    update = fields.get("update")
    expected = fields.get("expected_decision")
    return Case(
        case_id=given_id(fields, IDS, number, at),
        number=number,
        memory=told,
        record_type=record_type_of(fields.get("source_kind"), at.of("source_kind")),
        scope=scope_of(fields.get("scope"), at.of("scope")),
        direct=question(*DIRECT),
        indirect=Question(*question_of(indirect, at.of(name))),
        topic_negative=question("topic_negative"),
        lexical_negative=question("lexical_negative"),
        other_scope=question("other_scope_negative"),
        update=None if update is None else text_of(update, at.of("update")),
        expected=() if expected is None else decision_named(expected, at.of("expected_decision")),
        language=language_of(told),
        domain=next((word_of(fields[each]) for each in DOMAINS if fields.get(each)), "none"),
    )

"""`remember --batch`: the lines of a file, each an item to remember."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import msgspec

from heedful.bootstrap import App
from heedful.interfaces.cli.output import say
from heedful.interfaces.cli.progress import counting
from heedful.service.keeping.remember_many import NotRemembered, RememberItem, remember_many
from heedful.service.session import Session

LINES_AT_ONCE = 2_000
"""Lines that are in memory at a time."""
BYTES_AT_ONCE = 16_777_216
"""Bytes of lines that are in memory at a time, and one line more."""
PROBLEMS_TOLD_MAX = 1_000
"""So many lines that were not kept are told one by one; of the rest only how many they are."""
STANDARD_INPUT = "-"
"""What stands for standard input, in place of a file."""
_PROBLEMS_SHOWN = 10
_NOT_JSON_NEXT = "write a JSON text, or a JSON object with `content`, alone on the line"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that was not kept, or not as it says, and why.

    Attributes:
        code, message, next_step: of the error that `remember` would have raised; or `refused` with the write gate's
            reasons, or `statement_refused` of a claim, both without a next step.
    """

    line_number: int
    code: str
    message: str
    next_step: str


@dataclass(slots=True)
class BatchReport:
    """What became of a file of items.

    Attributes:
        admitted, pending, refused: by the write gate; `duplicates` were kept before under their source reference.
        not_in_order: lines that could not be taken as they stood; nothing of them was written.
        redactions: secrets that were cut out.
        problems: at most PROBLEMS_TOLD_MAX of what was refused or not in order, by their lines.
    """

    admitted: int = 0
    pending: int = 0
    refused: int = 0
    duplicates: int = 0
    not_in_order: int = 0
    redactions: int = 0
    claims: int = 0
    problems: list[LineProblem] = field(default_factory=list)


def remember_file(app: App, session: Session, file: str, scope: tuple[str, ...], *, shown: bool) -> BatchReport:
    """What became of each line of the file: a JSON text, or a JSON object with the fields of RememberItem.

    `-` is standard input, and `./-` a file of that name.

    Raises:
        UnavailableError: `batch_unreadable`; lines before the place that could not be read may be kept.
    """
    source = app.batch(_standard_input() if file == STANDARD_INPUT else Path(file))
    report = BatchReport()
    with counting(f"remembering {source.name}", source.size_bytes(), shown=shown) as advance:
        lines = _numbered(source.lines(), advance)
        while some := _next_lines(lines):
            _remember(session, some, scope, report)
    report.problems.sort(key=lambda problem: problem.line_number)
    return report


def say_batch(report: BatchReport) -> None:
    """The report, for people."""
    say(
        f"{report.admitted} records kept, {report.pending} pending, {report.refused} refused, "
        f"{report.duplicates} known before, {report.not_in_order} not in order"
    )
    if report.claims:
        claims = "1 claim was" if report.claims == 1 else f"{report.claims} claims were"
        say(f"  {claims} proposed: `heedful review list`")
    if report.redactions:
        secrets = "1 secret was" if report.redactions == 1 else f"{report.redactions} secrets were"
        say(f"  {secrets} cut out before anything was written", style="yellow")
    for problem in report.problems[:_PROBLEMS_SHOWN]:
        say(f"  line {problem.line_number}: {problem.message} [{problem.code}]", style="yellow")
        if problem.next_step:
            say(f"    next: {problem.next_step}")
    if len(report.problems) > _PROBLEMS_SHOWN:
        say("  and more: `--json` tells them", style="yellow")


def _standard_input() -> BinaryIO | None:
    # Python has none where the caller closed it.
    return None if sys.stdin is None else sys.stdin.buffer


def _numbered(lines: Iterator[bytes], advance: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    done = 0
    for number, line in enumerate(lines, start=1):
        done += len(line) + 1
        advance(done)
        if line.strip():
            yield number, line


def _next_lines(lines: Iterator[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    some: list[tuple[int, bytes]] = []
    size = 0
    while size < BYTES_AT_ONCE and len(some) < LINES_AT_ONCE and (found := next(lines, None)) is not None:
        some.append(found)
        size += len(found[1])
    return some


def _remember(session: Session, lines: list[tuple[int, bytes]], scope: tuple[str, ...], report: BatchReport) -> None:
    numbers: list[int] = []
    items: list[str | bytes | RememberItem] = []
    for number, line in lines:
        try:
            items.append(msgspec.json.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            report.not_in_order += 1
            _tell(report, LineProblem(number, "json_malformed", "the line is no JSON", _NOT_JSON_NEXT))
        else:
            numbers.append(number)
    answers = remember_many(session, items, scope=scope, progress=lambda _done: None)
    outcomes: Counter[str] = Counter()
    for number, answer in zip(numbers, answers, strict=True):
        if isinstance(answer, NotRemembered):
            report.not_in_order += 1
            _tell(report, LineProblem(number, answer.code, answer.message, answer.next_step))
            continue
        outcomes["duplicate" if answer.duplicate else answer.outcome] += 1
        report.redactions += 0 if answer.duplicate else len(answer.redactions)
        report.claims += 0 if answer.duplicate else len(answer.claims)
        if answer.outcome == "refused":
            _tell(report, LineProblem(number, "refused", ", ".join(answer.reasons), ""))
        for problem in answer.problems:
            _tell(report, LineProblem(number, "statement_refused", problem, ""))
    report.admitted += outcomes["admitted"]
    report.pending += outcomes["pending"]
    report.refused += outcomes["refused"]
    report.duplicates += outcomes["duplicate"]


def _tell(report: BatchReport, problem: LineProblem) -> None:
    if len(report.problems) < PROBLEMS_TOLD_MAX:
        report.problems.append(problem)

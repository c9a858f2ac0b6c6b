"""Transcripts written inline, and the account of what an import made of each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from heedful.integrations.importers.claude_code.importer import ClaudeCodeImporter
from heedful.ports.importer import ImportedItem, ImportProblem

SESSION = "5d0e4a3c-1b2f-4c6d-8e7f-90a1b2c3d4e5"


@dataclass(frozen=True)
class LinesSource:
    """A trace that is a list of lines."""

    content: tuple[bytes, ...]
    name: str = "session.jsonl"

    def lines(self) -> Iterator[bytes]:
        return iter(self.content)

    def size_bytes(self) -> int:
        return sum(len(line) + 1 for line in self.content)

    def location(self) -> None:
        """No file."""


@dataclass(frozen=True)
class Imported:
    items: list[ImportedItem]
    problems: list[ImportProblem]

    def kinds(self) -> list[str]:
        return [item.kind for item in self.items]

    def of_kind(self, kind: str) -> list[ImportedItem]:
        return [item for item in self.items if item.kind == kind]

    def text(self, place: int = 0) -> str:
        return self.items[place].content.decode()

    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]


def as_lines(rows: Iterable[object]) -> tuple[bytes, ...]:
    return tuple(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)


def read(*rows: object) -> Imported:
    """What the importer makes of these rows (dicts, or raw lines as bytes)."""
    return read_lines(as_lines(rows))


def read_lines(lines: tuple[bytes, ...]) -> Imported:
    found = list(ClaudeCodeImporter().read(LinesSource(lines)))
    items = [item for item in found if isinstance(item, ImportedItem)]
    return Imported(items, [problem for problem in found if isinstance(problem, ImportProblem)])


def row(sort: str, uuid: str, parent: str | None, minute: int, **more: Any) -> dict[str, Any]:
    return {
        "type": sort,
        "uuid": uuid,
        "parentUuid": parent,
        "timestamp": f"2026-11-20T10:{minute:02d}:00.000Z",
        "sessionId": SESSION,
        "isSidechain": False,
        **more,
    }


def user(uuid: str, parent: str | None, minute: int, content: object, **more: Any) -> dict[str, Any]:
    return row("user", uuid, parent, minute, message={"role": "user", "content": content}, **more)


def agent(
    uuid: str,
    parent: str | None,
    minute: int,
    *blocks: object,
    message_id: str | None = None,
    tokens: int = 5,
    **more: Any,
) -> dict[str, Any]:
    message = {
        "id": message_id or f"msg_{uuid}",
        "role": "assistant",
        "model": "claude-test",
        "content": list(blocks),
        "usage": {"input_tokens": 10, "output_tokens": tokens},
    }
    return row("assistant", uuid, parent, minute, message=message, **more)


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "Bash", **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def answer(call_id: str, content: object, **more: object) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def unaccounted(lines: tuple[bytes, ...], imported: Imported) -> list[int]:
    """Lines that left no trace: no item, no problem, and no item of the same API message either."""
    seen = {item.line_number for item in imported.items} | {problem.line_number for problem in imported.problems}
    merged_into = {value for item in imported.items for name, value in item.attributes if name == "message_id"}
    missing = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and number not in seen and _message_id(line) not in merged_into:
            missing.append(number)
    return missing


def _message_id(line: bytes) -> str | None:
    parsed = json.loads(line)
    return parsed["message"]["id"] if parsed.get("type") == "assistant" else None

"""Doors: random words of every class of data come in through every door: Python, the command line, a batch, an import.

All of it is in the scope `user:mia`, so that one erasure takes it; a few other records stay.
"""

from __future__ import annotations

import json
import os
import random
import string
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from heedful import Memory

SCOPE = ("user:mia",)
ELSEWHERE = ("user:noa",)
INLINE_BYTES_MAX = 1_024
CHARACTERS = 24
SECONDS_MAX = 1_800.0
DOORS = ("python", "batch", "command line", "import")
_HAN = "".join(chr(code) for code in range(0x4E00, 0x9FA0))
Items = list[dict[str, Any]]


class Words:
    """Random words by class of data, each given out once."""

    def __init__(self, count: int, seed: int) -> None:
        """`count` of each class."""
        self.count = count
        self.by_class: dict[str, list[str]] = {}
        self._random = random.Random(seed)

    def of(self, name: str) -> list[str]:
        """The words of this class: letters; every fifth is Chinese, which JSON may escape."""
        made = []
        for number in range(self.count):
            letters = _HAN if number % 5 == 4 else string.ascii_lowercase
            length = CHARACTERS // 3 if letters is _HAN else CHARACTERS
            made.append("".join(self._random.choice(letters) for _ in range(length)))
        self.by_class[name] = made
        return made


def by_doors(words: Iterable[str]) -> dict[str, list[str]]:
    """The words, dealt out to the doors one after another."""
    dealt: dict[str, list[str]] = {door: [] for door in DOORS}
    for number, word in enumerate(words):
        dealt[DOORS[number % len(DOORS)]].append(word)
    return dealt


def plant(memory: Memory, folder: Path, environment: Mapping[str, str], words: Words) -> None:
    """Every class is in the store, and one erasure of its scope is to take it."""
    records = {door: [] for door in DOORS}  # type: dict[str, Items]
    for name, item_of in RECORDS.items():
        for door, each in by_doors(words.of(name)).items():
            records[door] += [item_of(word) for word in each]
    for item in records["python"]:
        memory.remember(**{**item, "scope": SCOPE})
    _keep_all(memory, records["batch"])
    file = folder / "batch.jsonl"
    _write(file, ({**item, "scope": list(SCOPE)} for item in records["command line"]))
    _heedful(environment, "remember", "--batch", str(file), "--json")
    # The name of the file is of a class of its own.
    for number, name in enumerate(words.of("import file")):
        rows = records["import"][number :: words.count]
        trace = folder / f"{name}.jsonl"
        _write(trace, ({**row, "scope": list(SCOPE)} for row in rows or [{"content": f"row {number}"}]))
        memory.import_trace(trace, scope=SCOPE)
    plant_claims(memory, words)
    plant_acts(memory, words)
    _keep_all(memory, [{"content": f"what stays {number}"} for number in range(20)], scope=ELSEWHERE)


def plant_claims(memory: Memory, words: Words) -> None:
    """What people do with claims: reasons, corrections, questions of conflicts, parts of tasks, proposals."""
    claims = _claims(memory, [f"about {number}" for number in range(words.count)])
    for claim_id, word in zip(claims, words.of("reason"), strict=True):
        memory.pin(claim_id, reason=word)
    for claim_id, word in zip(claims, words.of("correction"), strict=True):
        memory.correct(claim_id, word, reason="it moved")
    for number, word in enumerate(words.of("question")):
        given: Any = {"kind": "said.home", "subject": f"user:mia/q{number}", "consent": "explicit", "scope": SCOPE}
        memory.remember(f"one says {number}", **given, value=word)
        memory.remember(f"another says {number}", **given, value=f"elsewhere {number}")
    for number, word in enumerate(words.of("task part")):
        memory.task_add(f"t{number % 7}", word, part="todo", scope=SCOPE)


def plant_acts(memory: Memory, words: Words) -> None:
    """Requests and proposed actions: what is asked stands in packets, what is to be done in verdicts."""
    for word in words.of("packet request"):
        memory.recall(f"where does mia live, and what is {word}?", scope=SCOPE)
    for word in words.of("request of nothing known"):
        memory.recall(word, scope=(*SCOPE, "project:void"))
    for word in words.of("action arguments"):
        memory.judge("Bash", {"command": f"echo {word}"}, scope=SCOPE)


def _claims(memory: Memory, statements: list[str]) -> list[str]:
    found: list[str] = []
    for number, text in enumerate(statements):
        given: Any = {"kind": "said.home", "subject": f"user:mia/r{number}", "consent": "explicit", "scope": SCOPE}
        found.append(memory.remember(text, **given, value=text).claims[0].claim_id)
    return found


def _long(word: str) -> dict[str, Any]:
    filler = random.Random(word).choices(string.ascii_lowercase + " ", k=INLINE_BYTES_MAX)
    return {"content": f"{''.join(filler)} {word} {''.join(filler)}"}


def _tool_arguments(word: str) -> dict[str, Any]:
    call = {"name": "Bash", "input": {"command": f"ls {word}"}}
    return {"content": json.dumps(call), "record_type": "tool_call", "attributes": {"tool": "Bash"}}


RECORDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "content": lambda word: {"content": f"mia said {word} to us"},
    "long content": _long,
    "subject": lambda word: {"content": "somebody", "subjects": [["user", word]]},
    "source reference": lambda word: {"content": f"from somewhere {len(word)}", "source_ref": f"chat:{word}"},
    "attribute": lambda word: {"content": "with a note", "attributes": {"note": word, word: "name"}},
    "claim": lambda word: {
        "content": f"mia lives in {word}",
        "kind": "said.home",
        "subject": f"user:mia/{word[:8]}",
        "value": word,
        "consent": "explicit",
    },
    "tool arguments": _tool_arguments,
    "run": lambda word: {"content": "in a run", "run_id": word},
}
"""What brings a word of each class of record."""


def _keep_all(memory: Memory, items: Items, scope: tuple[str, ...] = SCOPE) -> None:
    items = [{**item, "subjects": [tuple(each) for each in item.get("subjects", ())]} for item in items]
    for start in range(0, len(items), 1_000):
        part: Any = items[start : start + 1_000]
        memory.remember_many(part, scope=scope)


def _write(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _heedful(environment: Mapping[str, str], *arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "heedful", *arguments],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    if ran.returncode:
        raise RuntimeError(
            f"heedful {arguments[0]} ended with {ran.returncode}: {ran.stdout[-2_000:]}{ran.stderr[-2_000:]}"
        )
    return ran.stdout

"""Texts for the benchmarks, from a seed: ordinary words, some code, and secrets that are nobody's."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KILOBYTE = 1_000
_TEXT = (
    "the of and to in is it that for was on are as with they be at one have this from had by some what there we can "
    "out other were all your when up use how said each she which do their time if will way about many then them "
    "would write like so these her long make thing see him two has look more day could go come did my sound no most "
    "number who over know water than call first people may down side been now find any new work part take get place "
    "made live where after back little only round man year came show every good me give our under name very through "
    "just form much great think say help low line before turn cause same mean differ move right boy old too does "
    "tell sentence set three want air well also play small end put home read hand port large spell add even land "
    "here must big high such follow act why ask men change went light kind off need house picture try us again "
    "animal point mother world near build self earth father head stand own page should country found answer school "
    "grow study still learn plant cover food sun four thought let keep eye never last door between city tree cross "
    "since hard start might story saw far sea draw left late run while press close night real life few stop "
    "invoice ledger payment retry timeout index query cache worker deploy branch merge commit review freeze window "
    "rollback schema column table replica backup metric alert incident owner budget region bucket cluster namespace"
)
_WORDS = _TEXT.split()
_CODE = (
    "def total(lines):\n    return sum(line.cents for line in lines)\n",
    "for row in rows:\n    if row.state != 'open':\n        continue\n",
    "SELECT id, total FROM invoices WHERE month = 11 ORDER BY id;\n",
    '{"status": 200, "took_ms": 41, "path": "/v1/invoices"}\n',
)
_ALPHANUMERIC = string.ascii_letters + string.digits


def words(rng: random.Random, count: int) -> str:
    """Ordinary words; some, as in any text, come more often than others."""
    return " ".join(_WORDS[int(len(_WORDS) * rng.random() ** 2)] for _ in range(count))


def prose(rng: random.Random, characters: int = KILOBYTE) -> str:
    """Exactly so many characters of words."""
    return words(rng, characters // 3)[: characters - 1].ljust(characters - 1) + "."


def code(rng: random.Random, characters: int = KILOBYTE) -> str:
    """Exactly so many characters of source code with a comment now and then."""
    parts: list[str] = []
    while sum(map(len, parts)) < characters:
        parts.append(rng.choice(_CODE) if rng.random() < 0.7 else f"# {words(rng, 8)}\n")
    return "".join(parts)[:characters]


def secret(rng: random.Random) -> tuple[str, str]:
    """A text that gives a secret away, and the secret."""
    body = "".join(rng.choice(_ALPHANUMERIC) for _ in range(36))
    sort = rng.randrange(3)
    if sort == 0:
        return f"git clone https://ghp_{body}@github.com/a/b", f"ghp_{body}"
    if sort == 1:
        return f"DB_PASSWORD={body[:20]}9\nPORT=8080", f"{body[:20]}9"
    return f"export AWS_ACCESS_KEY_ID=AKIA{body[:16].upper()}", f"AKIA{body[:16].upper()}"


@dataclass(frozen=True, slots=True)
class Planted:
    """A transcript that was written: how many records it holds, and which secrets."""

    items: int
    secrets: tuple[str, ...]


def write_transcript(
    path: Path, *, session_id: str, items: int, rng: random.Random, secret_every: int = 40, characters: int = KILOBYTE
) -> Planted:
    """A Claude Code session of so many messages, tool calls and results, each of about that many characters."""
    secrets: list[str] = []
    parent: str | None = None
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            text = (code if number % 4 > 1 else prose)(rng, characters)
            if number % secret_every == secret_every - 1:
                told, hidden = secret(rng)
                text = f"{text[: characters - len(told) - 1]}\n{told}"
                secrets.append(hidden)
            row = _row(number, text, session_id, parent)
            parent = str(row["uuid"])
            file.write(json.dumps(row) + "\n")
    return Planted(items, tuple(secrets))


def files_with(folder: Path, needles: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Each file below the folder whose bytes hold one of the texts, with that text."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            for needle in needles:
                if needle.encode() in content:
                    yield path, needle


def _row(number: int, text: str, session_id: str, parent: str | None) -> dict[str, object]:
    uuid = f"{session_id[:8]}-0000-4000-8000-{number:012d}"
    call_id = f"toolu_{session_id[:8]}_{number - number % 4}"
    contents: list[object] = [
        text,
        [{"type": "text", "text": text}],
        [{"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": text}}],
        [{"type": "tool_result", "tool_use_id": call_id, "content": text}],
    ]
    is_agent = number % 4 in (1, 2)
    message: dict[str, object] = {"role": "assistant" if is_agent else "user", "content": contents[number % 4]}
    if is_agent:
        message |= {"id": f"msg_{session_id[:8]}_{number}", "model": "model", "usage": {"output_tokens": 5}}
    seconds = number % 86_400
    return {
        "type": "assistant" if is_agent else "user",
        "uuid": uuid,
        "parentUuid": parent,
        "timestamp": f"2026-11-20T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z",
        "sessionId": session_id,
        "isSidechain": False,
        "message": message,
    }

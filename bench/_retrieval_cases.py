"""Questions with known answers for the retrieval measurements: our own sets, and the shared cases where they are."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _retrieval_sets import IDENTIFIERS, SLIPS

LANGUAGES = ("en", "zh")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what it is asked of.

    Attributes:
        group: the set, and the language: `paired-alone en`.
        texts: in the order in which they were written, the oldest first.
        parts: what an answer needs; each part is in any of these texts.
    """

    question_id: str
    group: str
    text: str
    texts: tuple[str, ...]
    parts: tuple[frozenset[int], ...]

    @property
    def half(self) -> int:
        """0 or 1, by the id: what is chosen on one half is reported on the other."""
        return hashlib.sha256(self.question_id.encode()).digest()[0] % 2


def cases_folder() -> Path | None:
    """Where the shared cases are: HEEDFUL_CASES, else beside this checkout; None where they are not."""
    named = os.environ.get("HEEDFUL_CASES")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "cases"
    return folder if (folder / "paired" / "work.jsonl").is_file() else None


def own_questions() -> list[Question]:
    """Identifiers among identifiers that look like them, and slips of the pen; all of our own, in one company."""
    texts = tuple(text for text, _ in IDENTIFIERS + SLIPS)
    return [
        Question(question, f"{name} {_language(question + text)}", question, (text, *_without(texts, text)), _first())
        for name, pairs in (("identifiers", IDENTIFIERS), ("slips", SLIPS))
        for text, question in pairs
    ]


def paired_questions(folder: Path) -> list[Question]:
    """Each memory among the everyday utterances of its language: `alone`, and with all other memories: `pool`.

    It is the oldest, so that of equal ones it comes last.
    """
    found = []
    cases = [case for name in ("work", "personal") for case in _lines(folder / "paired" / f"{name}.jsonl")]
    for language in LANGUAGES:
        utterances = distractors(folder, language)
        memories = tuple(case["memory"] for case in cases if case["lang"] == language)
        for case in (each for each in cases if each["lang"] == language):
            memory, asked = case["memory"], case["direct_query"]
            pool = (memory, *utterances, *_without(memories, memory))
            found.append(Question(case["id"], f"alone {language}", asked, (memory, *utterances), _first()))
            found.append(Question(case["id"], f"pool {language}", asked, pool, _first()))
    return found


def distractors(folder: Path, language: str) -> tuple[str, ...]:
    """The everyday utterances of a language."""
    lines = (folder / "paired" / f"distractors_{language}.txt").read_text("utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip())


def trajectory_questions(folder: Path) -> list[Question]:
    """The question of each trajectory, of its events in the same tenant and scope; each evidence is a part."""
    found = []
    for case in _lines(folder / "trajectories" / "cases.jsonl"):
        events = [each for each in case["events"] if (each["tenant"], each["scope"]) == (case["tenant"], case["scope"])]
        places = {event["id"]: place for place, event in enumerate(events)}
        wanted = [each for each in case["expected"]["evidence_ids"] if each in places]
        if wanted:
            texts = tuple(map(_event_text, events))
            parts = tuple(frozenset({places[each]}) for each in wanted)
            found.append(Question(case["id"], f"trajectories {case['lang']}", case["question"], texts, parts))
    return found


def gatemem_questions(folder: Path) -> list[Question]:
    """The answerable questions about each episode's turns so far; a part is a pattern that the answer has to have."""
    found = []
    for domain in ("office", "medical"):
        episodes = {
            case["episode_id"]: case["turns"] for case in _lines(folder / "gatemem" / domain / "episodes.jsonl")
        }
        for case in _lines(folder / "gatemem" / domain / "checkpoints.jsonl"):
            turns = episodes[case["episode_id"]]
            last = next(place for place, turn in enumerate(turns) if turn["turn_id"] == case["as_of_turn_id"])
            texts = tuple(turn["text"] for turn in turns[: last + 1])
            patterns = [re.compile(each, re.IGNORECASE) for each in case["judge_spec"].get("include", ())]
            parts = [frozenset(place for place, text in enumerate(texts) if each.search(text)) for each in patterns]
            if case["query_type"] == "utility" and any(parts):
                told = tuple(part for part in parts if part)
                found.append(Question(case["checkpoint_id"], f"gatemem-{domain} en", case["query_text"], texts, told))
    return found


def _event_text(event: dict[str, Any]) -> str:
    payload = event["payload"]
    told = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return f"{event['kind']} {told}"


def _first() -> tuple[frozenset[int], ...]:
    return (frozenset({0}),)


def _without(texts: Sequence[str], text: str) -> tuple[str, ...]:
    return tuple(each for each in texts if each != text)


def _language(text: str) -> str:
    return "zh" if _HAN.search(text) else "en"


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)

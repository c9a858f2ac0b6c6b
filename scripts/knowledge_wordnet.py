"""Foods, medicines, animals and plants of WordNet -> rows: hypernyms as `is`, what definitions name as `contains`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from knowledge_rows import NOBODY, Rows, foods_of

from heedful.bridges.known import TYPE, Knowledge, name_key, named_in
from heedful.bridges.words import stem, wording

SOURCE = "wordnet-3.1"
ANIMAL, ARTIFACT, FOOD, PLANT, SUBSTANCE = "05", "06", "13", "20", "27"
DOMAIN = frozenset({ANIMAL, FOOD, PLANT, SUBSTANCE})
SENSES_MAX = 2
"""A meaning beyond the third is seldom meant."""
HYPONYMS_MAX = 8
"""A word with more kinds than this has too wide a definition to say what each of them contains."""

# Heads of the branches that are taken beside food, with the entity that they are, where it is ours.
BRANCHES = {
    ("drug", ARTIFACT): "", ("edible_nut", FOOD): "tree-nut", ("dog", ANIMAL): "dog", ("domestic_cat", ANIMAL): "cat",
    ("parrot", ANIMAL): "bird", ("lily", PLANT): "lily", ("poisonous_plant", PLANT): "toxic-houseplant",
    ("crustacean", ANIMAL): "crustacean", ("bivalve", ANIMAL): "mollusc", ("rabbit", ANIMAL): "rabbit",
}  # fmt: skip

# The domain that an entity of ours is met in, by its type; those of other types are met in none.
MET_IN = {
    "animal": ANIMAL,
    "drug": ARTIFACT,
    "drug-class": ARTIFACT,
    "plant": PLANT,
    "allergen": FOOD,
    "ingredient": FOOD,
}

SMALL_WORDS = (
    "a an and are as at be been being but by for from had has have he her here hers his how i if in is it its me "
    "mine more most my no nor not of off on once or our ours out own same she so some such than that the their "
    "theirs them then there these they this those to too under up us very was we were what when where which while "
    "who whom why with you your yours after before during between against about above below over again further "
    "until because each few other both sat ate ran won got made did went said saw came gave took left felt kept "
    "told held met set put cut let lay led read paid sent spent built lost fell "
)
ORDINARY = frozenset({"rose", "cup", "greens", "shot", "shake", "roll", "pop", "float", "pot", "ice", "brew", "tabby"})
"""Words that seldom mean what is eaten, drunk or kept."""

# What follows these in a definition is not in the thing, or only beside it.
_NOT_IN = re.compile(
    r"\b(without|not|resembl\w+|similar|like|substitute\w*|instead|imitation|unlike|such as|especially|as in|"
    r"fed|for making|used (in|for|to|as)|to (make|flavor)|from which|made into|base for|basis)\b.*?(?=[;,)]|$)"
)
_BESIDE = re.compile(r"\b(sometimes|may|might|or|optional\w*|served|garnished|eaten|often with|possibly)\b")
_QUOTED = re.compile(r'"[^"]*"')


@dataclass
class Synset:
    """One meaning."""

    offset: str
    domain: str
    lemmas: list[str]
    above: list[str]
    below: list[str]
    gloss: str


@dataclass
class WordNet:
    """The nouns, and how often each word is meant in which way."""

    synsets: dict[str, Synset] = field(default_factory=dict)
    senses: dict[str, list[str]] = field(default_factory=dict)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    lemmas: set[str] = field(default_factory=set)


def read_wordnet(folder: Path) -> WordNet:
    """The files of WordNet's database, as its manual page wndb(5) describes them."""
    net = WordNet()
    for line in _lines(folder / "data.noun"):
        synset = _synset(line)
        net.synsets[synset.offset] = synset
    for line in _lines(folder / "index.noun"):
        fields = line.split()
        net.senses[fields[0]] = fields[-int(fields[2]) :]
    for part in ("noun", "verb", "adj", "adv"):
        net.lemmas |= {line.split(" ", 1)[0] for line in _lines(folder / f"index.{part}")}
    for line in _lines(folder / "index.sense"):
        key, offset, _, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest[0] == "1":
            net.counts[lemma, offset] += int(count)
        else:
            net.others[lemma] += int(count)
    return net


def common_words(net: WordNet) -> dict[str, set[str]]:
    """Stem -> the everyday words that have it: those that WordNet saw in texts, and those that it leaves out."""
    seen = Counter(net.others)
    for (lemma, _), count in net.counts.items():
        seen[lemma] += count
    found: dict[str, set[str]] = {}
    for word in [*SMALL_WORDS.split(), *(lemma for lemma, count in seen.items() if count and lemma.isalpha())]:
        found.setdefault(stem(word), set()).add(word)
    return found


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("utf-8").splitlines() if not line.startswith("  "))


def _synset(line: str) -> Synset:
    head, _, gloss = line.partition(" | ")
    fields = head.split()
    words = int(fields[3], 16)
    start = 4 + 2 * words
    pointers = [(fields[start + 1 + 4 * n], fields[start + 2 + 4 * n]) for n in range(int(fields[start]))]
    return Synset(
        fields[0],
        fields[1],
        fields[4:start:2],
        [target for symbol, target in pointers if symbol in {"@", "@i"}],
        [target for symbol, target in pointers if symbol in {"~", "~i"} and len(target) == len(fields[0])],
        _QUOTED.sub("", gloss),
    )


def add_wordnet(net: WordNet, rows: Rows) -> None:
    """Everything of the branches: names, what it is, and for foods what its definition says is in it."""
    ours = rows.entities()
    branch = dict(_branches(net))
    ids = _ids(net, branch, rows)
    types = {entity: kind for entity, relation, kind, _ in sorted(rows.links) if relation == TYPE}
    before = rows.table()
    for offset, entity in ids.items():
        synset = net.synsets[offset]
        for lemma in synset.lemmas:
            own = re.sub(r"[^a-z0-9]+", "-", lemma.casefold())
            if _is_meant(lemma, synset, net) and (own == entity or own not in ours):
                rows.names.add((entity, "en", lemma.replace("_", " ")))
        if entity in ours:
            continue
        for above in synset.above:
            if above in ids and ids[above] != entity:
                rows.links.add((entity, "is", ids[above], SOURCE))
        if branch[offset] and not any(above in ids for above in synset.above):
            rows.links.add((entity, "is", branch[offset], SOURCE))
        for found in _ours_named(synset, before, types):
            rows.links.add((entity, "is", found, SOURCE))
    _add_ingredients(net, ids, ours, rows)


def _ours_named(synset: Synset, before: Knowledge, types: dict[str, str]) -> Iterator[str]:
    """Entities of ours that have one of its words as a name, in the same domain."""
    # A brand is of several medicines at times; what it is called first is the medicine.
    for lemma in synset.lemmas[: 1 if synset.domain == ARTIFACT else None]:
        key = name_key(lemma.replace("_", " ")) or ""
        for found in filter(None, (cell.partition("=")[0] for cell in before.names.get(key, "").split(","))):
            if found != NOBODY and MET_IN.get(types.get(found, "ingredient")) == synset.domain:
                yield found


def _branches(net: WordNet) -> Iterator[tuple[str, str]]:
    for offset, synset in net.synsets.items():
        if synset.domain == FOOD:
            yield offset, ""
    for (lemma, domain), entity in BRANCHES.items():
        for offset in _below(net, _head(net, lemma, domain)):
            if net.synsets[offset].domain == domain:
                yield offset, entity


def _below(net: WordNet, head: str) -> set[str]:
    found, waiting = {head}, [head]
    while waiting:
        for offset in net.synsets[waiting.pop()].below:
            if offset in net.synsets and offset not in found:
                found.add(offset)
                waiting.append(offset)
    return found


def _ids(net: WordNet, branch: dict[str, str], rows: Rows) -> dict[str, str]:
    """An entity for each meaning: ours where the word and the domain agree, else a new one."""
    types = {entity: kind for entity, relation, kind, _ in sorted(rows.links) if relation == TYPE}
    mine = {entity: MET_IN.get(types.get(entity, "ingredient")) for entity in rows.entities()}
    heads = {_head(net, lemma, domain): entity for (lemma, domain), entity in BRANCHES.items() if entity}
    ids: dict[str, str] = {}
    taken = set(mine)
    for offset in sorted(branch):
        synset = net.synsets[offset]
        plain = [re.sub(r"[^a-z0-9]+", "-", lemma.casefold()).strip("-") for lemma in synset.lemmas]
        ours = [name for name in plain if mine.get(name) == synset.domain and _is_first(name, synset, net)]
        free = [name for name in plain if name not in taken]
        name = heads.get(offset) or next(iter(ours + free), f"{plain[0]}.{offset}")
        taken.add(name)
        ids[offset] = name
    return ids


def _is_first(name: str, synset: Synset, net: WordNet) -> bool:
    senses = [
        found for found in net.senses.get(name.replace("-", "_"), ()) if net.synsets[found].domain == synset.domain
    ]
    return not senses or senses[0] == synset.offset


def _head(net: WordNet, lemma: str, domain: str) -> str:
    return next(offset for offset in net.senses[lemma] if net.synsets[offset].domain == domain)


def _is_meant(lemma: str, synset: Synset, net: WordNet) -> bool:
    """Whether somebody who says this word means this, or something of its sort."""
    if "_" in lemma or "-" in lemma:
        return True
    key = lemma.casefold()
    senses = net.senses.get(key, [])
    if not senses or len(key) <= 2 or key in ORDINARY:
        return False
    if synset.domain == ARTIFACT and senses[0] != synset.offset:
        return False
    if senses.index(synset.offset) > SENSES_MAX:
        return False
    related = {found for found in senses if net.synsets[found].domain in DOMAIN or found == synset.offset}
    if senses[0] not in related:
        return False
    meant = sum(net.counts[key, found] for found in related)
    total = sum(net.counts[key, found] for found in senses) + net.others[key]
    return meant * 2 >= total


def _add_ingredients(net: WordNet, ids: dict[str, str], ours: set[str], rows: Rows) -> None:
    table = rows.table()
    foods = foods_of(rows)
    foods |= {entity for entity, relation, target, source in rows.links if relation == "is" and target in foods}
    for offset, entity in ids.items():
        synset = net.synsets[offset]
        if synset.domain != FOOD or entity in ours or len(synset.below) > HYPONYMS_MAX:
            continue
        for relation, found in _ingredients(synset.gloss, table):
            if found != entity and found in foods:
                rows.links.add((entity, relation, found, SOURCE))


def _ingredients(gloss: str, table: Knowledge) -> Iterator[tuple[str, str]]:
    for clause in re.split(r"[;]", _NOT_IN.sub("", gloss)):
        beside = _BESIDE.search(clause)
        cut = len(clause) if beside is None else beside.start()
        for relation, part in (("contains", clause[:cut]), ("may-contain", clause[cut:])):
            for named in named_in(wording(part), table):
                yield relation, named.entity_id

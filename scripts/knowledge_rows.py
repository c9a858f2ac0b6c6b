"""Rows of the knowledge table, and what our own facts and the smaller sources say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from heedful.bridges.known import TYPE, Knowledge, knowledge_of, name_key, named_in
from heedful.bridges.words import wording, written_words

HERE = Path(__file__).parent / "knowledge"
BRANDS_MAX = 24
"""Brands of one medicine; the shortest are kept, since people say those."""
NAME_CHARACTERS_MIN = 4
DISH_CHARACTERS = range(2, 9)

# The allergens of EU Regulation 1169/2011, Annex II, by the key of the menuella data set.
MENUELLA = {
    "RYE": "rye", "BARLEY": "barley", "EMMER": "wheat", "EINKORN": "wheat", "SPELT": "wheat", "WHEAT": "wheat",
    "OATS": "oats", "KHORASAN": "wheat", "CRUSTACEANS": "crustacean", "EGGS": "egg", "FISH": "fish",
    "PEANUTS": "peanut", "SOY": "soy", "MILK": "milk", "MACADAMIA": "macadamia", "ALMONDS": "almond",
    "BRAZIL_NUTS": "brazil-nut", "PECANS": "pecan", "PISTACHIOS": "pistachio", "WALNUTS": "walnut",
    "HAZELNUTS": "hazelnut", "CASHEWS": "cashew", "CELERY": "celery", "MUSTARD": "mustard", "SESAME": "sesame",
    "SULPHITES": "sulphite", "LUPINS": "lupin", "MOLLUSCS": "mollusc",
}  # fmt: skip
LANGUAGES = {"en": "en", "zh-Hans": "zh", "zh-Hant": "zh"}

# In nearly every dish, and in small amounts.
SEASONINGS = frozenset({"sugar", "high-sodium-food", "msg", "spicy-food", "high-potassium-food", "cold", "caffeine"})

_SALTS = (
    "hydrochloride|hydrobromide|sodium|potassium|calcium|sulfate|sulphate|maleate|tartrate|succinate|mesylate|acetate|"
    "citrate|fumarate|phosphate|besylate|hyclate|monohydrate|anhydrous|magnesium|bromide|chloride|nitrate|propionate|"
    "dihydrate|trihydrate|bitartrate|oxalate|lysine|trometamol|tromethamine|medoxomil|cilexetil|axetil|disodium|etabonate"
)
_SALT = re.compile(rf"(?: (?:{_SALTS}))+$")
_PLAIN = re.compile(r"[a-z]+(?:[ -][a-z]+){0,2}")


NOBODY = "-"
MUTUAL = "interacts-with"
"""Holds both ways, so it is written in both rows."""
Name = tuple[str, str, str]
Link = tuple[str, str, str, str]


@dataclass
class Rows:
    """What the table is made of: (entity, language, name) and (entity, relation, target, source)."""

    names: set[Name] = field(default_factory=set)
    links: set[Link] = field(default_factory=set)

    def table(self) -> Knowledge:
        """The lookup of the rows so far."""
        return knowledge_of([texts_of(self.names, sorted(self.links, key=lambda link: (link[1] != TYPE, link)), {})])

    def entities(self) -> set[str]:
        """Every entity that has a name."""
        return {entity for entity, _, _ in self.names}


def texts_of(names: Iterable[Name], links: Iterable[Link], common: Mapping[str, set[str]]) -> tuple[str, str]:
    """The two files, as `knowledge_of` reads them: names by key, links in the order given.

    `common`: stem -> the everyday words that have it. A name whose stem another word has counts only as it is written.
    """
    languages: dict[str, set[str]] = {}
    forms: dict[str, dict[str, set[str]]] = {}
    for entity, language, name in sorted(names, key=lambda row: ("." in row[0], row)):
        for key in keys_of(name):
            languages.setdefault(key, set()).add(language)
            forms.setdefault(key, {}).setdefault(entity, set()).update(forms_of(name))
    cells: dict[str, list[str]] = {entity: [] for entity, _, _ in names if entity != NOBODY}
    for entity, relation, target, source in links:
        cells.setdefault(entity, []).append(f"{relation} {target} {source}")
    keyed = []
    for key, found in sorted(forms.items()):
        every = set.union(common.get(key, set()), *found.values())
        named = [entity + ("=" + "/".join(sorted(own)) if every - own else "") for entity, own in found.items()]
        keyed.append(f"{key}\t{','.join(sorted(languages[key]))}\t{','.join(named)}")
    linked = ["\t".join((entity, *found)) for entity, found in sorted(cells.items())]
    return "\n".join(["key\tlanguages\tentities", *keyed, ""]), "\n".join(["entity\tlinks", *linked, ""])


def forms_of(name: str) -> set[str]:
    """A name's own form and its plural."""
    word = " ".join(written_words(wording(name))) or name
    if word.endswith("s"):
        return {word}
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return {word, f"{word[:-1]}ies"}
    return {word, f"{word}es" if word.endswith(("x", "ch", "sh", "o")) else f"{word}s"}


def foods_of(rows: Rows) -> set[str]:
    """Our entities that may be in a food."""
    eaten = {
        entity for entity, relation, kind, _ in rows.links if relation == TYPE and kind in {"ingredient", "allergen"}
    }
    return eaten | {entity for entity, _, _, source in rows.links if source == "heedful-food"}


def keys_of(name: str) -> list[str]:
    """The keys of a name; besides its own, that of the plural in -ies, which the stemmer takes for one in -y."""
    found = [name_key(name)]
    if name.endswith("ie"):
        found.append(name_key(name + "s"))
    return sorted({key for key in found if key})


def own_rows() -> Rows:
    """The facts that we wrote."""
    rows = Rows()
    source = ""
    for line in (HERE / "own.txt").read_text("utf-8").splitlines():
        if line.startswith("@"):
            source = line[1:].strip()
        elif line and not line.startswith("#"):
            _own_line(line, source, rows)
    return rows


def _own_line(line: str, source: str, rows: Rows) -> None:
    entity, kind, english, chinese, *rest = (part.strip() for part in line.split("|"))
    if entity != NOBODY:
        rows.names.add((entity, "en", entity.replace("-", " ")))
    for language, listed in (("en", english), ("zh", chinese)):
        rows.names |= {(entity, language, name.strip()) for name in listed.split(";") if name.strip()}
    if kind:
        rows.links.add((entity, TYPE, kind, source))
    relation = ""
    for part in ";".join(rest).split(";"):
        head, colon, tail = part.partition(":")
        if colon:
            relation = head.strip()
        target = (tail if colon else head).strip()
        if target and target != entity:
            rows.links.add((entity, relation, target, source))
            if relation == MUTUAL:
                rows.links.add((target, relation, entity, source))


def add_allergens(folder: Path, rows: Rows) -> None:
    """Names of the fourteen groups of allergens, in English and Chinese."""
    source = "menuella-food-safety"
    for bundle, language in LANGUAGES.items():
        content = json.loads((folder / f"menuella_food_safety/data/bundles/{bundle}.json").read_text("utf-8"))
        for allergen in content["allergens"]:
            entity = MENUELLA[allergen["key"]]
            for name in re.split(r"[()（）/]", allergen["name"]):
                if len(name.strip()) > 1:
                    rows.names.add((entity, language, name.strip()))
            if allergen["group"] == "TREE_NUTS":
                rows.links.add((entity, "is", "tree-nut", source))
            elif allergen["group"] == "CEREALS":
                rows.links.add((entity, "contains" if entity != "oats" else "may-contain", "gluten", source))


def add_dishes(folder: Path, rows: Rows) -> None:
    """Chinese dishes and what their recipes list."""
    table, foods = rows.table(), foods_of(rows)
    known = {name for _, _, name in rows.names}
    for dish in json.loads((folder / "all_recipes.json").read_text("utf-8")):
        name = re.sub(r"[（(].*", "", dish["name"].removesuffix("的做法")).strip()
        if len(name) not in DISH_CHARACTERS or name in known or name_key(name) is None:
            continue
        entity = f"dish.{name}"
        for ingredient in dish["ingredients"]:
            written = ingredient["text_quantity"] or ingredient["name"]
            if written.startswith("注") or len(written) > 60:
                continue
            relation = "may-contain" if re.search("可选|可不|或|也可", written) else "contains"
            for found in named_in(wording(ingredient["name"]), table):
                if found.entity_id in foods - SEASONINGS:
                    rows.links.add((entity, relation, found.entity_id, "howtocook"))
        rows.names.add((entity, "zh", name))


def stem_classes() -> list[tuple[str, str]]:
    """(stem, class), longest stem first."""
    lines = [line for line in (HERE / "stems.txt").read_text("utf-8").splitlines() if line and line[0] != "#"]
    pairs = [tuple(part.strip() for part in line.split("|")) for line in lines]
    return sorted(((stem, entity) for stem, entity in pairs), key=lambda pair: (-len(pair[0]), pair))


def _class_of(generic: str, stems: list[tuple[str, str]]) -> str | None:
    for stem, entity in stems:
        fits = generic.startswith(stem[:-1]) if stem.endswith("-") else generic.endswith(stem[1:])
        if fits and len(generic) > len(stem) + 1:
            return entity
    return None


def add_brands(path: Path, rows: Rows, ordinary: frozenset[str]) -> None:
    """Brands of medicines by the FDA's list of substance names; what a medicine is, by its stem or by what is known.

    `ordinary`: words of everyday English, which are no brand to anybody who reads them.
    """
    stems = stem_classes()
    known = {name.casefold(): entity for entity, language, name in sorted(rows.names, reverse=True) if language == "en"}
    medicines = {entity for entity, relation, kind, _ in rows.links if relation == TYPE and kind.startswith("drug")}
    medicines |= {entity for entity, relation, target, _ in rows.links if relation == "is" and target in medicines}
    medicines |= {"penicillin", "sulfonamide"}
    brands: dict[str, set[str]] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            name, kind, _, display = line.rstrip("\n").split("\t")
            brand = name.casefold()
            told = kind == "bn" and _PLAIN.fullmatch(brand) and len(brand) >= NAME_CHARACTERS_MIN
            if told and "component" not in brand and brand not in ordinary and brand not in known:
                brands.setdefault(_SALT.sub("", display.casefold()), set()).add(brand)
    for generic, named in sorted(brands.items()):
        entity = known.get(generic)
        if entity not in medicines:
            found = _class_of(generic, stems) if re.fullmatch(r"[a-z]{6,}", generic) else None
            if found is None:
                continue
            entity = generic
            rows.links.add((entity, "is", found, "who-inn-stems"))
            rows.links.add((entity, TYPE, "drug", "who-inn-stems"))
            rows.names.add((entity, "en", generic))
        elif entity != generic and re.fullmatch(r"[a-z]{6,}", generic):
            rows.links.add((generic, "is", str(entity), "heedful-medicines"))
            rows.links.add((generic, TYPE, "drug", "heedful-medicines"))
            rows.names.add((generic, "en", generic))
            entity = generic
        for brand in sorted(named, key=lambda name: (len(name), name))[:BRANDS_MAX]:
            product = f"brand.{brand.replace(' ', '-')}"
            rows.names.add((product, "en", brand))
            rows.links.add((product, "is", str(entity), "fda-unii"))

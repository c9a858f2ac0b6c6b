"""What things are and contain: names are found, links followed, and a statement and a request meet by them."""

from __future__ import annotations

import pytest
from registry_builders import SMALL, built

from heedful.bridges.build import build_registry
from heedful.bridges.classify import classify
from heedful.bridges.entities import KNOWN_MAX, find_entities, predicate_holds
from heedful.bridges.knowledge import Term, claim_terms, path_along, path_between, ways_from
from heedful.bridges.known import (
    HOPS_MAX,
    NAMED_MAX,
    NO_KNOWLEDGE,
    REACHED_MAX,
    Knowledge,
    knowledge_of,
    name_key,
    named_in,
    reached_from,
    with_entities,
)
from heedful.bridges.registry import Registry
from heedful.bridges.request import EntityMatch, RequestFeatures
from heedful.bridges.vocabulary import Entity
from heedful.bridges.words import wording
from heedful.kernel.ids import BridgeId

NAMES = """\
key\tlanguages\tentities
nougat\ten\tnougat
牛轧糖\tzh\tnougat
peanut butter\ten\tpeanut
peanut\ten\tpeanut
butter\ten\tbutter
nut\ten\tnut
坚果\tzh\tnut
filbert\ten\tfilbert
pecan\ten\tpecan
cod\ten\tcod=cod/cods
hot dog\ten\t-
热狗\tzh\t-
dog\ten\tdog
狗\tzh\tdog
trail mix\ten\tmix
raisin\ten\traisin
tablet\ten\ttablet
tonic\ten\ttonic
"""
LINKS = """\
entity\tlinks
nougat\tcontains filbert cookbook\tcontains butter cookbook
filbert\ttype allergen list\tis nut list
pecan\tis nut list
nut\ttype allergen list\tis snack shelf
butter\ttype ingredient shelf\tis snack shelf
peanut\ttype ingredient list\tis snack shelf
snack\ttype ingredient shelf
mix\tmay-contain nougat label\tcontains raisin label
raisin\thazard-to dog vet\tis snack shelf
dog\ttype animal vet\tcontains nut nobody
tablet\ttype drug list\tinteracts-with tonic list
tonic\ttype drug list\tinteracts-with tablet list
cod\t
"""
TABLE = knowledge_of([(NAMES, LINKS)])


def names(text: str, table: Knowledge = TABLE) -> list[str]:
    """The entities that the text names."""
    return [named.entity_id for named in named_in(wording(text), table)]


def chain(statement: str, request: str) -> str | None:
    """The reason that joins the two, or None."""
    path = path_between([term.entity_id for term in claim_terms(statement, TABLE)], names(request), TABLE)
    return None if path is None else path.chain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Peanut butter and nougats!", ["peanut", "nougat"]),
        ("butter, then PEANUTS", ["butter", "peanut"]),
        ("送一盒牛轧糖和坚果给狗", ["nougat", "nut", "dog"]),
        ("a hot dog for my dog", ["dog"]),
        ("热狗", []),
        ("fresh cods", ["cod"]),
        ("code, coding and cod-like", ["cod"]),
        ("code and coding", []),
        ("", []),
        ("\x00 🥜 \ud800 ｎｏｕｇａｔ", ["nougat"]),
    ],
)
def test_names_are_found_in_the_order_of_the_text(text: str, expected: list[str]) -> None:
    """The longest name holds, in any form and script; a name that is nobody's hides those within it."""
    assert names(text) == expected


def test_a_name_is_told_as_it_was_written() -> None:
    """The packet shows the person's own word, not its stem."""
    assert [named.written for named in named_in(wording("Two NOUGATS and peanut butter"), TABLE)] == [
        "nougats",
        "peanut butter",
    ]


@pytest.mark.parametrize(
    ("name", "key"), [("Cooked Raisins", "cook raisin"), ("坚果", "坚果"), ("!", None), ("a...b", None)]
)
def test_a_name_has_one_key(name: str, key: str | None) -> None:
    """Stems, or the text of a CJK name; a gap or no word at all is no name."""
    assert name_key(name) == key


def test_links_are_followed_with_chain_and_sources() -> None:
    """The nearest first, each once; the relation is what the whole chain comes to."""
    reached = {one.entity_id: one for one in reached_from("nougat", TABLE)}
    assert list(reached) == ["filbert", "butter", "nut", "snack"]
    assert reached["nut"].relation == "contains"
    assert reached["nut"].chain == "nougat contains filbert, filbert is nut"
    assert reached["nut"].sources == ("cookbook", "list")
    assert reached["nut"].certain


def test_a_chain_is_no_surer_than_its_links() -> None:
    """What a mix may contain, it may contain all the way."""
    reached = {one.entity_id: one for one in reached_from("mix", TABLE)}
    assert (reached["nut"].relation, reached["nut"].certain) == ("may-contain", False)
    assert (reached["raisin"].relation, reached["raisin"].certain) == ("contains", True)


def test_a_hazard_ends_a_chain() -> None:
    """What endangers a dog says nothing of what a dog contains."""
    assert [one.entity_id for one in reached_from("raisin", TABLE)] == ["dog", "snack"]


def test_links_are_followed_only_so_far_and_so_many() -> None:
    """Every limit has a name; a circle ends."""
    rows = "".join(f"n{number}\tis n{(number + 1) % 9} s\n" for number in range(9))
    circle = knowledge_of([("key\n", f"entity\tlinks\n{rows}")])
    assert [one.entity_id for one in reached_from("n0", circle)] == [f"n{number + 1}" for number in range(HOPS_MAX)]
    wide = "\t".join(f"is m{number} s" for number in range(REACHED_MAX + 5))
    assert len(reached_from("a", knowledge_of([("key\n", f"entity\tlinks\na\t{wide}\n")]))) == REACHED_MAX
    many = "".join(f"w{number}\ten\te{number}\n" for number in range(NAMED_MAX + 5))
    crowd = knowledge_of([(f"key\tlanguages\tentities\n{many}", "entity\tlinks\n")])
    assert len(names(" ".join(f"w{number}" for number in range(NAMED_MAX + 5)), crowd)) == NAMED_MAX


def test_a_statement_names_what_has_a_sort() -> None:
    """An entity without a sort of its own has that of what it is; what has none at all is no term."""
    assert claim_terms("No pecans or cod near the dog", TABLE) == (
        Term("pecan", "pecans", ("allergen", "ingredient")),
        Term("dog", "dog", ("animal",)),
    )


@pytest.mark.parametrize(
    ("statement", "request_", "expected"),
    [
        ("nuts make me ill", "a box of nougat", "nougat contains filbert, filbert is nut"),
        ("filberts make me ill", "pecan pie", "pecan is nut <- filbert is nut"),
        ("no nuts", "nuts", "nut"),
        ("we have a dog", "raisin bread", "raisin hazard-to dog"),
        ("I take a tonic", "one more tablet", "tablet interacts-with tonic"),
        ("I take a tablet", "one more tonic", "tonic interacts-with tablet"),
        ("坚果过敏", "一盒牛轧糖", "nougat contains filbert, filbert is nut"),
        ("I like butter", "peanuts", None),
        ("raisins", "we have a dog", None),
        ("no nuts", "plain cod", None),
        ("", "nougat", None),
    ],
)
def test_a_statement_and_a_request_meet_by_the_shortest_way(
    statement: str, request_: str, expected: str | None
) -> None:
    """By what a thing is, contains or endangers; two snacks are not near by being snacks, two nuts are."""
    assert chain(statement, request_) == expected


def test_a_certain_way_goes_before_a_shorter_one_that_is_not() -> None:
    """A trail mix with raisins may have nougat; the dog is in danger for sure."""
    path = path_between(["nut", "dog"], ["mix"], TABLE)
    assert path is not None
    assert (path.meeting, path.certain, path.hops, path.sources) == ("dog", True, 2, ("label", "vet"))


def test_ways_serve_every_claim_of_a_request() -> None:
    """Made once, they give what path_between gives."""
    ways = ways_from(["nougat", "raisin"], TABLE)
    for entity_id in ("nut", "dog", "pecan", "tonic", "cod", "unheard of"):
        assert path_along([entity_id], ways, TABLE) == path_between([entity_id], ["nougat", "raisin"], TABLE)


def registry_with(*documents: str) -> Registry:
    """A registry whose packs have the table."""
    registry = build_registry([(f"{n}.yaml", text) for n, text in enumerate(documents)], lambda: TABLE)
    assert isinstance(registry, Registry)
    return registry


def matches(text: str, registry: Registry) -> tuple[EntityMatch, ...]:
    """The entities of a request with this text."""
    return find_entities(RequestFeatures(text, None, {}, None, {}), wording(text), registry)


def holds(predicate: str, text: str, *more: str) -> EntityMatch | None:
    """The entity by which the bridge's predicate holds for the request, or None."""
    rewritten = SMALL.replace("{entity: type, operator: equals, values: [allergen]}", predicate)
    registry = registry_with(rewritten, *more)
    request = RequestFeatures(text, None, {}, None, {})
    return predicate_holds(registry.bridges[BridgeId("cook.allergy")], classify(request, registry).entities)[1]


def test_a_bridge_may_ask_for_what_the_table_knows() -> None:
    """The entity that makes the predicate hold carries the chain and its sources."""
    entity = holds("{entity: contains, operator: in, values: [nut]}", "Bake nougat")
    assert entity is not None
    assert entity.matched == "nougat: nougat contains filbert, filbert is nut"
    assert entity.source == "cookbook, list"
    assert holds("{entity: contains, operator: in, values: [nut]}", "Bake bread") is None
    assert holds("{entity: type, operator: equals, values: [animal]}", "Bake a raisin cake") is not None


def test_the_registrys_own_entities_link_into_the_table() -> None:
    """A property whose value is an entity there, or here, is a link to it."""
    own = 'entities: {house-bar: {phrases: [house bar], properties: {contains: [nougat], colour: [red]}, source: "us"}}'
    entity = holds("{entity: contains, operator: in, values: [nut]}", "Bake the house bar", own)
    assert entity is not None
    assert entity.matched == "house bar: house-bar contains nougat, nougat contains filbert, filbert is nut"
    assert entity.source == "us, cookbook, list"


def test_the_registry_may_say_more_of_an_entity_of_the_table() -> None:
    """Its own words and links are added to the table's names and links."""
    own = "entities: {pecan: {phrases: [hickory], properties: {contains: [butter], bowl: [big]}, source: us}}"
    assert holds("{entity: bowl, operator: equals, values: [big]}", "Bake pecans", own) is not None
    assert holds("{entity: is, operator: equals, values: [nut]}", "Bake hickory", own) is not None
    assert holds("{entity: contains, operator: equals, values: [butter]}", "Bake pecans", own) is not None


def test_a_property_that_is_no_entity_is_no_link() -> None:
    """Only its own type is kept besides."""
    entity = Entity("bar", ("bar",), {"colour": ("red",), "type": ("dish",), "is": ("bar", "nut")}, "us", "local")
    table = with_entities(TABLE, {"bar": entity})
    assert [(link.relation, link.target) for link in table.links_of("bar")] == [("is", "nut"), ("type", "dish")]
    assert table.types_of("bar") == ("dish",)
    assert table.types_of("nut") == ("allergen",)


def test_a_request_has_only_so_many_entities_of_the_table() -> None:
    """The first named and the nearest are kept."""
    wide = "".join(f"w{a}\t" + "\t".join(f"is x{a}-{b} s" for b in range(30)) + "\n" for a in range(9))
    worded = "".join(f"w{a}\ten\tw{a}\n" for a in range(9))
    table = knowledge_of([(f"key\tlanguages\tentities\n{worded}", f"entity\tlinks\n{wide}")])
    registry = build_registry([("a.yaml", SMALL)], lambda: table)
    assert isinstance(registry, Registry)
    assert len(matches(" ".join(f"w{a}" for a in range(9)), registry)) == KNOWN_MAX


def test_the_table_is_read_when_first_asked_for_and_once() -> None:
    """Opening a registry reads nothing; the revision does not depend on it."""
    read = []

    def load() -> Knowledge:
        read.append(1)
        return TABLE

    registry = build_registry([("0.yaml", SMALL)], load)
    assert isinstance(registry, Registry)
    assert read == []
    matches("nougat", registry)
    matches("nougat", registry)
    assert read == [1]
    assert registry == built(SMALL)


def test_control_without_a_table_nothing_is_known() -> None:
    """What the tests above find comes from the table."""
    assert names("nougat", NO_KNOWLEDGE) == []
    assert matches("nougat", built(SMALL)) == ()
    assert path_between(["nut"], ["nougat"], NO_KNOWLEDGE) is None

"""The tables that come with the packs: their form, their size, and that they know everyday things in both languages."""

from __future__ import annotations

from importlib.resources import files

import pytest

from heedful.adapters.knowledge_files import LINKS_FILE, NAMES_FILE, bundled_knowledge, knowledge_loader
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.knowledge import LinkPath, claim_terms, path_between
from heedful.bridges.known import NO_KNOWLEDGE, TYPE, name_key, named_in
from heedful.bridges.words import wording

PACKS = ("delivery", "everyday")
TABLE = bundled_knowledge(PACKS)
BYTES_MAX = 1_500_000
RELATIONS = {TYPE, "is", "contains", "may-contain", "exposes-to", "hazard-to", "avoided-by", "interacts-with"}


def lines(pack: str, file: str) -> list[str]:
    """The rows of a file, without its head."""
    return (files("heedful") / "packs" / pack / "knowledge" / file).read_text("utf-8").split("\n")[1:-1]


def between(statement: str, request: str) -> LinkPath | None:
    """How the two hang together."""
    wanted = [named.entity_id for named in named_in(wording(request), TABLE)]
    return path_between([term.entity_id for term in claim_terms(statement, TABLE)], wanted, TABLE)


@pytest.mark.parametrize("pack", PACKS)
def test_each_row_has_the_form_that_the_reader_trusts(pack: str) -> None:
    """Three cells a name, three words a link, types first, each key and entity once, no relation but the known."""
    named = [line.split("\t") for line in lines(pack, NAMES_FILE)]
    assert [row for row in named if len(row) != 3] == []
    assert [row[0] for row in named if row[0] != name_key(row[0]) and name_key(row[0]) is None] == []
    rows = [line.split("\t") for line in lines(pack, LINKS_FILE)]
    cells = [cell.split(" ") for row in rows for cell in row[1:] if cell]
    assert [cell for cell in cells if len(cell) != 3] == []
    assert {cell[0] for cell in cells} <= RELATIONS
    relations = [[cell.split(" ")[0] for cell in row[1:]] for row in rows]
    assert [found for found in relations if TYPE in found[found.count(TYPE) :]] == []
    for keys in ([row[0] for row in named], [row[0] for row in rows]):
        assert keys == sorted(set(keys))


def test_no_two_packs_have_a_row_for_one_entity() -> None:
    """Else the later one would hide the earlier."""
    assert {line.split("\t")[0] for line in lines("delivery", LINKS_FILE)}.isdisjoint(
        line.split("\t")[0] for line in lines("everyday", LINKS_FILE)
    )


def test_each_link_leads_to_an_entity_and_holds_both_ways_where_it_must() -> None:
    """No link ends nowhere; what interacts does so in either row."""
    links = [(entity, link) for entity in TABLE.rows for link in TABLE.links_of(entity)]
    assert [link for _, link in links if link.relation != TYPE and not TABLE.has(link.target)] == []
    mutual = {(entity, link.target) for entity, link in links if link.relation == "interacts-with"}
    assert {(other, entity) for entity, other in mutual} == mutual


@pytest.mark.parametrize("pack", PACKS)
def test_each_source_is_described_beside_the_table(pack: str) -> None:
    """With where it comes from and its licence."""
    described = (files("heedful") / "packs" / pack / "knowledge" / "SOURCES.md").read_text("utf-8")
    sources = {cell.rpartition(" ")[2] for line in lines(pack, LINKS_FILE) for cell in line.split("\t")[1:] if cell}
    assert [source for source in sources if source.removeprefix("heedful") not in described] == []


def test_the_tables_are_small() -> None:
    """They are read by whoever classifies a request."""
    sizes = [
        (files("heedful") / "packs" / pack / "knowledge" / file) for pack in PACKS for file in (NAMES_FILE, LINKS_FILE)
    ]
    assert sum(len(path.read_bytes()) for path in sizes) < BYTES_MAX


@pytest.mark.parametrize(
    ("statement", "request_", "meeting", "relation"),
    [
        ("tree nuts close her throat", "a box of macarons", "tree-nut", "contains"),
        ("Grandad is coeliac", "béchamel for the gratin", "gluten", "contains"),
        ("no gluten for him", "a pot of gumbo", "gluten", "contains"),
        ("I'm on warfarin", "two Advil", "anticoagulant", "interacts-with"),
        ("my blood pressure is high", "a packet of Sudafed", "hypertension", "hazard-to"),
        ("our cat sleeps on the sofa", "a vase of tiger lilies", "cat", "hazard-to"),
        ("she is pregnant", "an hour in the sauna", "pregnancy", "hazard-to"),
        ("he had a collapsed lung", "a scuba course", "lung-condition", "hazard-to"),
        ("three years sober", "a crate of kombucha", "sobriety", "avoided-by"),
        ("our house is kosher", "toasted marshmallows", "kosher", "avoided-by"),
        ("soy gives him hives", "miso for supper", "soy", "contains"),
        ("egg is off the list", "vegetable tempura", "egg", "contains"),
        ("对花生过敏", "来一份宫保鸡丁", "peanut", "contains"),
        ("家里有猫", "送一束香水百合", "cat", "hazard-to"),
        ("她怀孕了", "晚上去汗蒸", "pregnancy", "hazard-to"),
        ("他是穆斯林", "点一份回锅肉", "halal", "avoided-by"),
        ("在吃华法林", "来一盒布洛芬", "anticoagulant", "interacts-with"),
    ],
)
def test_everyday_things_meet_what_they_concern(statement: str, request_: str, meeting: str, relation: str) -> None:
    """Both languages; the chain has a source for each link."""
    path = between(statement, request_)
    assert path is not None
    assert (path.meeting, path.relation) == (meeting, relation)
    assert path.sources
    assert path.hops == path.chain.count(",") + path.chain.count(" <- ") + 1


@pytest.mark.parametrize(
    ("statement", "request_"),
    [
        ("tree nuts close her throat", "a bowl of rice"),
        ("our cat sleeps on the sofa", "a vase of roses"),
        ("I'm on warfarin", "an hour in the sauna"),
        ("three years sober", "toasted marshmallows"),
        ("we moved to the coast", "a box of macarons"),
        ("家里有猫", "来一份回锅肉"),
        ("对花生过敏", "送一束香水百合"),
    ],
)
def test_control_other_things_do_not_meet(statement: str, request_: str) -> None:
    """The other half of each pair above: a table that joined everything would say nothing."""
    assert between(statement, request_) is None


def test_a_registry_of_the_bundled_packs_has_their_table_and_another_has_none() -> None:
    """The documents' folders tell the packs; the packs that have no table read nothing."""
    policy = (
        "policy.yaml",
        'policy: {principals: {"person:ana": {roles: [owner], clearance: restricted, grants: ["*"]}}}',
    )
    assert registry_of((*pack_documents("everyday"), policy)).index.knowledge.table().has("almond")
    assert not registry_of((*pack_documents("delivery"), policy)).index.knowledge.table().has("almond")
    assert registry_of((*pack_documents("delivery"), policy)).index.knowledge.table().has("terraform-state")
    assert knowledge_loader([policy])() is NO_KNOWLEDGE
    assert knowledge_loader(pack_documents("base"))() is NO_KNOWLEDGE

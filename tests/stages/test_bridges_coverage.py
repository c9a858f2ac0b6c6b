"""Coverage: each gap is found, and a registry without it has none."""

from __future__ import annotations

from registry_builders import SMALL, built, delivery

from heedful.bridges.coverage import Cell, gaps_of
from heedful.kernel.ids import ActionClassId, KindId
from heedful.kernel.ladder import Severity

MORE = """\
action_classes:
  garden: {description: Plants., on_no_bridge: retrieve}
kinds:
  diet: {description: A family of kinds., form: fact, cardinality: many, comparator: text, risk: low}
  garden.pests:
    description: C.
    form: fact
    cardinality: many
    comparator: text
    risk: high
    consequences: {cook: low, travel: critical, cook.guests: low}
    phrases: {en: [slugs]}
  soil: {description: D., form: fact, cardinality: one, comparator: text, risk: low}
"""


def test_a_registry_that_lacks_something_says_what() -> None:
    """Kinds, classes, and cells of the matrix, the severest first."""
    gaps = gaps_of(built(SMALL, MORE))

    assert gaps.kinds_without_bridge == ("garden.pests", "soil")
    assert gaps.kinds_without_consequences == ("diet.allergy", "diet.taste", "soil")
    assert gaps.kinds_without_phrases == ("diet.allergy", "diet.taste", "soil")
    assert gaps.classes_without_bridge == ("garden", "travel")
    assert gaps.cells_without_bridge == (
        Cell(KindId("garden.pests"), ActionClassId("travel"), Severity.CRITICAL),
        Cell(KindId("garden.pests"), ActionClassId("cook"), Severity.LOW),
        Cell(KindId("garden.pests"), ActionClassId("cook.guests"), Severity.LOW),
    )


def test_a_bridge_closes_its_gap() -> None:
    """From a class it covers what is below; a class that only has bridges below is no gap."""
    bridge = """\
bridges:
  cook.pests:
    from: [cook]
    activates: [garden]
    effect: notice
    risk: low
    authority: maintainer-approved
    evidence: common sense
    source_opened: true
    reason: Slugs.
    owner: the cook
"""
    gaps = gaps_of(built(SMALL, MORE, bridge))

    assert [(cell.kind, cell.action_class) for cell in gaps.cells_without_bridge] == [("garden.pests", "travel")]
    assert gaps.kinds_without_bridge == ("soil",)
    below = gaps_of(built(SMALL, MORE, bridge.replace("from: [cook]", "from: [cook.guests]")))
    assert "cook" not in below.classes_without_bridge


def test_the_bundled_pack_leaves_no_cell_open() -> None:
    """What it says would hurt, something brings."""
    assert gaps_of(delivery()).cells_without_bridge == ()

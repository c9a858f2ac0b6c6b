"""What a registry's bridges leave open: kinds that nothing brings, classes from which nothing starts."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.bridges.classify import INERT
from heedful.bridges.registry import Registry
from heedful.bridges.vocabulary import covers
from heedful.kernel.ids import ActionClassId, KindId
from heedful.kernel.ladder import Severity


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the consequence matrix: forgetting such a claim before that class hurts this much."""

    kind: KindId
    action_class: ActionClassId
    severity: Severity


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is open; each in order of id, cells the severest first.

    A kind that only names a family (it has others below it, and no consequences of its own) is no gap.

    Attributes:
        kinds_without_bridge: no bridge brings them, nor a kind above them.
        kinds_without_consequences, kinds_without_phrases: their row of the matrix is empty; nobody's words tell them.
        classes_without_bridge: none starts from them, from one above or below; those that decide nothing need none.
        cells_without_bridge: no bridge leads from that class, or one above it, to that kind.
    """

    kinds_without_bridge: tuple[KindId, ...]
    kinds_without_consequences: tuple[KindId, ...]
    kinds_without_phrases: tuple[KindId, ...]
    classes_without_bridge: tuple[ActionClassId, ...]
    cells_without_bridge: tuple[Cell, ...]


def gaps_of(registry: Registry) -> Gaps:
    """The gaps of this registry, whatever the modes of its bridges."""
    families = {each.rpartition(".")[0] for each in registry.vocabulary.kinds}
    everything = (registry.vocabulary.kinds[kind] for kind in sorted(registry.vocabulary.kinds))
    kinds = [kind for kind in everything if kind.consequences or kind.id not in families]
    bridges = registry.bridges.values()
    brought = {kind for bridge in bridges for kind in bridge.activates}
    starts = {start for bridge in bridges for start in bridge.from_classes}
    cells = [
        Cell(kind.id, action_class, severity)
        for kind in kinds
        for action_class, severity in sorted(kind.consequences.items())
        if not _leads(registry, action_class, kind.id)
    ]
    return Gaps(
        kinds_without_bridge=tuple(kind.id for kind in kinds if not any(covers(each, kind.id) for each in brought)),
        kinds_without_consequences=tuple(kind.id for kind in kinds if not kind.consequences),
        kinds_without_phrases=tuple(kind.id for kind in kinds if not any(kind.phrases.values())),
        classes_without_bridge=tuple(
            name
            for name in sorted(registry.vocabulary.action_classes)
            if not covers(INERT, name) and not any(covers(each, name) or covers(name, each) for each in starts)
        ),
        cells_without_bridge=tuple(sorted(cells, key=_by_severity)),
    )


def _by_severity(cell: Cell) -> tuple[int, str, str]:
    return -list(Severity).index(cell.severity), cell.kind, cell.action_class


def _leads(registry: Registry, action_class: ActionClassId, kind: KindId) -> bool:
    bridges = registry.index.bridges_from.get(action_class, ())
    return any(covers(each, kind) for bridge in bridges for each in bridge.activates)

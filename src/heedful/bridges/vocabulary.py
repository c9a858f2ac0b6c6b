"""Vocabulary: what requests decide (action classes), what claims are about (kinds), and entities in a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.kernel.dotted import covers
from heedful.kernel.ids import ActionClassId, KindId
from heedful.kernel.ladder import Classification, Mode, Severity

__all__ = ["ActionClass", "Entity", "Kind", "Vocabulary", "covers"]


@dataclass(frozen=True, slots=True)
class ActionClass:
    """What a request is about to decide. `deploy.production` is a descendant of `deploy`.

    Attributes:
        phrases: language code -> words and phrases that tell it in a request's text.
        on_no_bridge: `retrieve`, `ask`, `review` or `deny`: what to do where no bridge carries anything.
        mode: the mode that the pack ships it in; a ledger event may set another.
    """

    id: ActionClassId
    description: str
    phrases: dict[str, tuple[str, ...]]
    on_no_bridge: str
    mode: Mode
    pack: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What a claim is about, such as `release.freeze`.

    Attributes:
        form: the form that a claim of this kind has where none is given.
        cardinality: `one` or `many` values at a time for one subject.
        comparator: how two values are compared: `text`, `number`, `time`, `boolean`.
        risk: `low`, `medium` or `high`: what forgetting or forging it could do.
        classification: the least classification that a claim of it gets.
        applies_to, not_for: defaults for its claims.
        consequences: action class -> what forgetting such a claim there does: its row of the consequence matrix.
        narrow: its claims hold in the narrowest scope, and their subject confirms them.
        phrases: language code -> how people tell such a claim.
        ends: language code -> how people say that it is over.
        expires_after_days: its claims' life where none is given; None: until something ends it.
        retain_days: how long its claims are kept from when they were learned of; None: as policy says.
        after_retention: `archive` or `revoke`: what becomes of them then.
        expiry_test: how one proves that such a claim has expired; demanded of execution-relevant kinds.
    """

    id: KindId
    description: str
    form: str
    cardinality: str
    comparator: str
    risk: str
    classification: Classification
    applies_to: tuple[ActionClassId, ...]
    not_for: tuple[ActionClassId, ...]
    expires_after_days: int | None
    expiry_test: str | None
    pack: str
    consequences: Mapping[ActionClassId, Severity] = field(default_factory=dict)
    narrow: bool = False
    phrases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    retain_days: int | None = None
    after_retention: str = "archive"

    def severity(self, action_class: ActionClassId) -> Severity | None:
        """What forgetting such a claim before this class does, by the nearest class of its row; None: it stays silent.

        A kind without a row has its risk as the severity wherever it applies.
        """
        name: str = action_class
        while name:
            found = self.consequences.get(ActionClassId(name))
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        applies = any(covers(wanted, action_class) for wanted in self.applies_to)
        return Severity(self.risk) if applies and not self.consequences else None


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that requests name, and what it is or contains, with the source of that link.

    Attributes:
        phrases: words for it, any language.
        properties: `type` and the like -> values (`production` is an `environment`).
        source: where the link comes from.
    """

    id: str
    phrases: tuple[str, ...]
    properties: dict[str, tuple[str, ...]]
    source: str
    pack: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All of it, by id."""

    action_classes: dict[ActionClassId, ActionClass]
    kinds: dict[KindId, Kind]
    entities: dict[str, Entity]

"""Registry: vocabulary, bridges, projectors and policy of one revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field

from heedful.bridges.bridge import Bridge
from heedful.bridges.index import PhraseBooks, RegistryIndex, build_index
from heedful.bridges.known import Knowledge, no_knowledge
from heedful.bridges.projecting import Projectors
from heedful.bridges.vocabulary import Vocabulary
from heedful.claims.projections.workflow import Workflow
from heedful.kernel.ids import BridgeId, Revision, WorkflowId
from heedful.kernel.scope import Scope
from heedful.policy.model import Policy


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything that is reviewed in git; `revision` is the content hash of all of it.

    Attributes:
        body_json: the canonical JSON of every document, kept by hash in the ledger.
        packs: the packs that it draws on, name to version.
        workflows: by id, in order; expired ones too.
        homes: pack -> the scope dimensions where it is at home; one that is not here is so everywhere.
        load_knowledge: reads the packs' knowledge table; called once, when a request or statement is first looked at.
        projectors: what reads states out of tools' output.
        books: its phrases, where they are known already; otherwise they are worked out.
        index: lookups for the pre-router, worked out from the rest.
    """

    revision: Revision
    vocabulary: Vocabulary
    bridges: dict[BridgeId, Bridge]
    policy: Policy
    packs: dict[str, str]
    body_json: str
    workflows: Mapping[WorkflowId, Workflow] = field(default_factory=dict)
    homes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    load_knowledge: Callable[[], Knowledge] = field(default=no_knowledge, repr=False, compare=False)
    projectors: Projectors = field(default_factory=lambda: Projectors({}))
    books: InitVar[PhraseBooks | None] = None
    index: RegistryIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self, books: PhraseBooks | None) -> None:
        """The index is there from the start, so that no caller ever waits for it or shares it."""
        object.__setattr__(self, "index", build_index(self.vocabulary, self.bridges, self.load_knowledge, books))

    def away(self, scope: Scope) -> frozenset[str]:
        """The packs that read nothing in this scope: another pack is at home there, and they are not.

        A person's talk is no ticket, and a deployment no diet. Where no pack is at home, all read.
        """
        dimensions = {element.partition(":")[0] for element in scope.elements}
        here = {pack for pack, home in self.homes.items() if home & dimensions}
        return frozenset(self.homes.keys() - here) if here else frozenset()

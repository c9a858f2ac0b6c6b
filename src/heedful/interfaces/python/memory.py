"""Memory: the whole Python API of one principal at one tenant. Every method is a verb of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from heedful.bootstrap import App, init_store, open_store
from heedful.bootstrap.proofs import read_proof_file
from heedful.claims.claim import Claim
from heedful.evidence.cite import CitationReport, check_citations
from heedful.evidence.packet import Packet
from heedful.evidence.render import render_prompt
from heedful.interfaces.python.acting import Acting
from heedful.interfaces.python.backing import BackingUp
from heedful.interfaces.python.deciding import Deciding
from heedful.interfaces.python.overriding import Overriding
from heedful.interfaces.python.proving import Proving
from heedful.interfaces.python.tasks import Tasks
from heedful.interfaces.python.workflows import Workflows
from heedful.kernel.errors import ForbiddenError
from heedful.observations.record import AttributeValue, Channel
from heedful.ports.store import ModeSetting, StoredRecord
from heedful.service import review
from heedful.service.auditing import audit, status, why
from heedful.service.auditing.export_ledger import Exported, export_ledger
from heedful.service.auditing.import_ledger import Imported, import_ledger
from heedful.service.belief.approve_claim import Reviewed
from heedful.service.governing import modes
from heedful.service.recalling.recall import recall
from heedful.service.reindex import Reindexed, reindex
from heedful.service.requests import choice, memory_request
from heedful.service.session import Session
from heedful.settings import Settings


class Memory(Acting, Proving, Deciding, BackingUp, Overriding, Tasks, Workflows):
    """Long-term memory that is heeded.

    Open it with `Memory.open`, close it or use it as a context manager. It may be used from several threads.

    Errors: for arguments of the types named, every method raises HeedfulError subclasses alone, each with a stable
    `code`, a `message` that is safe to show and a `next_step`; docs/errors.md lists them.
    """

    def __init__(self, app: App, session: Session, *, owns_app: bool = True) -> None:
        """Use `Memory.open` or `Memory.init`."""
        self._app = app
        self._session = session
        self._owns_app = owns_app

    @classmethod
    def init(
        cls,
        folder: str | Path,
        *,
        scope: Sequence[str] = (),
        packs: Sequence[str] = ("delivery",),
        database: str | None = None,
        tenant: str | None = None,
        principal: str | None = None,
        settings: Settings | None = None,
        anew: bool = False,
    ) -> Self:
        """A new store in `folder`, open for its owner; database, tenant and principal None are those of the settings.

        `anew`: its tenant is made also where one of that name was erased.

        With `database` (`postgresql://...`) its content goes there; where that has a store already, `folder` joins it.

        Raises:
            ConflictError: `store_exists`, `tenant_erased`.
            InvalidInputError: `database_malformed`.
            UnavailableError: `store_unavailable`, `database_refused`; `keys_missing` where a store is joined.
            UnsupportedError: `extra_missing`.
        """
        given = _on(database, settings or Settings.from_environment())
        chosen = replace(given, tenant=tenant or given.tenant, principal=principal or given.principal)
        app = init_store(Path(folder), chosen, scope=tuple(scope), packs=tuple(packs), anew=anew)
        try:
            return cls(app, app.session())
        except BaseException:
            app.close()
            raise

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        database: str | None = None,
        tenant: str | None = None,
        principal: str | None = None,
        channel: Literal["person", "agent"] = "person",
        settings: Settings | None = None,
    ) -> Self:
        """The store in `path` (the folder that holds it, or the store folder itself), else the nearest one upward.

        `channel="agent"` is for a program that an agent drives: what it remembers is then the agent's word, and it
        can neither approve nor state rules. `database` is needed where the store was made with one.

        Raises:
            NotFoundError: `store_not_found`, `tenant_not_found`.
            InvalidInputError: `database_needed`, `database_unexpected`, `database_malformed`.
            ConflictError: `database_mismatch`, `tenant_erased`.
            UnavailableError: `store_unavailable`, `database_refused`.
            UnsupportedError: `extra_missing`.
        """
        given = _on(database, settings or Settings.from_environment())
        app = open_store(given if path is None else replace(given, store=str(path)))
        try:
            return cls(
                app, app.session(tenant=tenant, principal=principal, channel=choice(Channel, channel, field="channel"))
            )
        except BaseException:
            app.close()
            raise

    @property
    def default_scope(self) -> tuple[str, ...]:
        """The scope elements that a call without `scope` gets."""
        return self._app.default_scope

    def recall(
        self,
        question: str,
        *,
        scope: Sequence[str] | None = None,
        tool: str | None = None,
        args: Mapping[str, object] | None = None,
        action_class: str | None = None,
        metadata: Mapping[str, str] | None = None,
        task_class: str = "auto",
        impact: str = "read",
        clearance: str = "restricted",
        record_types: Sequence[str] = (),
        attributes: Mapping[str, AttributeValue | Sequence[AttributeValue]] | None = None,
        as_of: str | None = None,
        known_at: str | None = None,
        budget_tokens: int | None = None,
        scorer: str | None = None,
    ) -> Packet:
        """The packet for a request: what must be in mind first, then what retrieval finds.

        `as_of` is when it held, `known_at` as far as was known then; both by default now.
        """
        return recall(
            self._session,
            memory_request(
                self._session,
                question,
                scope=self._scope(scope),
                tool=tool,
                args=args,
                action_class=action_class,
                metadata=metadata,
                task_class=task_class,
                impact=impact,
                clearance=clearance,
                record_types=record_types,
                attributes=attributes,
                as_of=as_of,
                known_at=known_at,
                budget_tokens=budget_tokens,
                scorer=scorer,
            ),
        )

    def prompt(self, packet: Packet) -> str:
        """The packet as text for a model: rules, facts and data apart, data fenced and attributed."""
        return render_prompt(packet)

    def cite(self, answer: str, packet: Packet) -> CitationReport:
        """Which citations of an answer do not hold, and whether it claims history with none."""
        return check_citations(answer, packet)

    def review_queue(self, *, known_at: str | None = None) -> review.ReviewQueue:
        """What waits for a person, or waited then."""
        return review.review_queue(self._session, known_at=known_at)

    def show(
        self, item_id: str, *, known_at: str | None = None
    ) -> tuple[Claim | StoredRecord | dict[str, Any], tuple[StoredRecord, ...]]:
        """A claim with its evidence, a record, or a verdict as JSON values; as it was known then."""
        return review.show(self._session, item_id, known_at=known_at)

    def approve(self, item_id: str, *, reason: str = "approved") -> Reviewed:
        """What the approval of a claim, a record or a verdict did."""
        return review.approve(self._session, item_id, reason)

    def reject(self, item_id: str, *, reason: str = "rejected") -> Reviewed:
        """What the rejection of a claim, or the withdrawal of a record, did."""
        return review.reject(self._session, item_id, reason)

    def why(self, item_id: str, *, as_of: str | None = None, replay: bool = False) -> why.Why:
        """Why a claim, record, packet or verdict is there, from the ledger."""
        return why.why(self._session, item_id, as_of=as_of, replay=replay)

    def verify(self, *, views: bool = False, checkpoint: str | Path | None = None) -> audit.Audit:
        """Whether the hash chains hold, and are those of the checkpoint in this file and of the one that was made last.

        With `views`, also whether a refold gives the live views.
        """
        content = None if checkpoint is None else read_proof_file(Path(checkpoint))
        return audit.verify(self._session, views=views, progress=lambda _position: None, checkpoint=content)

    def reindex(self, *, progress: Callable[[int], None] | None = None) -> Reindexed:
        """What became of the vectors, all of the configured embedder now. `progress` is told ledger positions.

        Raises:
            UnsupportedError: `embedder_missing`.
            UnavailableError: `embedder_unavailable`; what was made stays, and calling it again goes on.
            BusyError: `reindex_behind` where others write faster than it embeds; the model that answered goes on.
        """
        return reindex(self._session, progress=progress or (lambda _position: None))

    def export_ledger(self, file: str | Path, *, progress: Callable[[int], None] | None = None) -> Exported:
        """What is in the file that was made: the whole ledger, for another store. `progress` is told events done."""
        return export_ledger(self._session, self._app.bundle_target(Path(file)), progress or (lambda _done: None))

    def import_ledger(
        self,
        file: str | Path,
        *,
        name: str | None = None,
        key_file: str | Path | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Imported:
        """The tenant that came into this store, beside this memory's own. `name` None: as it was called there.

        `key_file`: the tenant's key, where it is not here yet. `progress` is told bytes, of twice the file's size.
        """
        return import_ledger(
            self._app.arrival(self._session.principal, self._session.channel),
            self._app.bundle_source(Path(file)),
            name=name,
            key=None if key_file is None else self._app.key_file(Path(key_file)),
            progress=progress or (lambda _done: None),
        )

    def set_mode(self, target: str, mode: str | None, *, reason: str) -> ModeSetting | None:
        """The mode of a bridge, an action class or `pre-router`; None takes a setting back."""
        return modes.set_mode(self._session, target, mode, reason)

    def status(self) -> status.Status:
        """What the store holds."""
        return status.status(self._session)

    def acting_as(self, principal: str, *, channel: Literal["person", "agent"] = "agent") -> Memory:
        """The same store for another principal of this process; closing it closes nothing.

        From an agent's memory only an agent's comes: nobody becomes a person by asking.

        Raises:
            ForbiddenError: `principal_may_not` for a person's door through an agent's.
            InvalidInputError: `choice_unknown`, `name_malformed`, `name_too_long`.
        """
        tenant = self._session.store.tenant.name
        door = choice(Channel, channel, field="channel")
        if self._session.channel is Channel.AGENT and door is not Channel.AGENT:
            raise ForbiddenError(
                "principal_may_not",
                f"{self._session.principal} came through an agent's door and makes further agents' sessions alone",
                next_step="leave channel at `agent`, or open the store once more as a person",
                details={"principal": self._session.principal, "field": "channel"},
            )
        session = self._app.session(tenant=tenant, principal=principal, channel=door)
        return Memory(self._app, session, owns_app=False)

    def close(self) -> None:
        """Everything is sealed and on disk, and no file is open."""
        if self._owns_app:
            self._app.close()

    def __enter__(self) -> Self:
        """The memory itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closed."""
        self.close()


def _on(database: str | None, settings: Settings) -> Settings:
    return settings if database is None else replace(settings, database=database)

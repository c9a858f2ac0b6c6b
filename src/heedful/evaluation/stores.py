"""Stores: the throwaway store of a run, on SQLite, and a tenant of it for each memory that is evaluated."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from heedful.adapters.models.choose import Embedders, router_of
from heedful.adapters.system import SetClock
from heedful.bootstrap import App, throwaway_store
from heedful.evaluation.caching import CachingEmbedder
from heedful.evaluation.plan import Plan
from heedful.kernel.ids import PrincipalId
from heedful.ports.embedder import Embedder
from heedful.service.recalling.vectors import adopt_model
from heedful.service.session import Session
from heedful.service.tenant import adopt_registry
from heedful.settings import DEFAULT_TENANT, STORE_FOLDER, Settings

PRINCIPAL = PrincipalId("person:evaluation")
TOLD_BEFORE_US = 3_600_000_000
"""Everything is told in the hour before it is asked."""


@contextmanager
def evaluation_store(settings: Settings, plan: Plan) -> Iterator[App]:
    """A store that is gone after the block, with the settings' models, which see each text once.

    Raises:
        InvalidInputError: `pack_unknown`, `registry_invalid`.
    """
    with tempfile.TemporaryDirectory(prefix="heedful-eval-") as name:
        folder = Path(name)
        (folder / "store").mkdir()
        own = replace(
            settings,
            database=None,
            tenant=DEFAULT_TENANT,
            principal=PRINCIPAL,
            keys_dir=str(folder / "keys"),
            store=str(folder / "store" / STORE_FOLDER),
        )
        starts_us = plan.as_of_us - TOLD_BEFORE_US
        with throwaway_store(
            folder / "store", own, scope=("user:evaluation",), packs=plan.packs, starts_us=starts_us
        ) as app:
            cached = {each.model: _cached(each) for each in app.embedders.known}
            configured = app.embedders.configured
            app.embedders = Embedders(
                None if configured is None else cached.get(configured.model, configured), tuple(cached.values())
            )
            app.router = router_of(own, app.embedders)
            yield app


def new_memory(app: App, name: str, plan: Plan) -> Session:
    """A person's session at a tenant of this name that holds nothing; its vectors are made when `embed_all` says so."""
    # A clock of its own: what a memory holds is the same whatever was evaluated before it.
    app.clock = SetClock(plan.as_of_us - TOLD_BEFORE_US)
    app.add_tenant(name, PRINCIPAL)
    session = app.session(tenant=name, adopts=False)
    adopt_registry(session)
    adopt_model(session)
    return session


def as_if_new(app: App, session: Session, text: str) -> Session:
    """The session, for one request with this text that its models have not seen."""
    embedder = session.embedder
    if isinstance(embedder, CachingEmbedder):
        embedder.forget(text, "query")
    return replace(session, router=router_of(app.settings, app.embedders))


def _cached(embedder: Embedder) -> Embedder:
    return embedder if embedder.is_immediate else CachingEmbedder(embedder)

"""Founding: a new store, or a further folder for one that a database of PostgreSQL has already."""

from __future__ import annotations

from pathlib import Path

from heedful.adapters.registry_files import default_policy, pack_documents, registry_of
from heedful.adapters.store_folder import (
    create_store_folder,
    has_store,
    init_lock,
    open_store_folder,
    store_exists,
)
from heedful.adapters.system import SetClock, SystemClock, SystemEntropy
from heedful.bootstrap.app import App, new_id
from heedful.bootstrap.database import named_database
from heedful.bootstrap.opening import app_of, key_ring
from heedful.bootstrap.principals import principal_named
from heedful.kernel.errors import ConflictError
from heedful.kernel.ids import PrincipalId
from heedful.observations.names import require_clean_name
from heedful.ports.system import Clock
from heedful.service.requests import clean_scope
from heedful.service.tenant import FoundedKeys, finish_tenant
from heedful.settings import DEFAULT_TENANT, STORE_FOLDER, Settings


def init_store(
    parent: Path,
    settings: Settings,
    *,
    scope: tuple[str, ...],
    packs: tuple[str, ...],
    starts_us: int | None = None,
    anew: bool = False,
) -> App:
    """A new store in `parent`, with one tenant, owned by the principal.

    A store whose making was interrupted before it had its tenant is finished, with the scope and packs that it has.
    Of several processes that make a store in one folder at once, one makes it.
    Where the settings name a database that holds a store already, `parent` becomes a further folder of that store
    (`App.is_joined`); its tenants stay as they are, and one of a new name is added.
    `anew`: the tenant is made also where one of its name was erased.
    With `starts_us`, its clock starts there and goes a millisecond further at each look; else it is the system's.

    Raises:
        ConflictError: `store_exists`, `database_mismatch`, `tenant_erased`.
        BusyError: `store_busy` where another process goes on making it for longer than `lock_wait_seconds`.
        UnavailableError: `store_unavailable`; `keys_missing`, `keys_mismatch` where a store is joined.
        UnsupportedError: `extra_missing`.
        InvalidInputError: `scope_malformed`, `pack_unknown`, `name_malformed`, and those of open_content.
    """
    principal = principal_named(None, settings.principal)
    require_clean_name(settings.tenant, field="tenant")
    clean_scope(scope)
    # What it will start with must be a registry: better no store than half of one.
    own = ("policy.yaml", default_policy(principal, packs))
    registry_of((*pack_documents(*packs), own))
    clock = SystemClock() if starts_us is None else SetClock(starts_us)
    with init_lock(parent, wait_seconds=settings.lock_wait_seconds):
        if has_store(parent):
            return _finished(app_of(open_store_folder(parent / STORE_FOLDER), settings, clock), principal, anew=anew)
        if settings.database is not None:
            return _on_database(parent, settings, clock, principal=principal, scope=scope, packs=packs, anew=anew)
        folder = create_store_folder(
            parent,
            store_id=new_id(clock, SystemEntropy()),
            principal=principal,
            packs=packs,
            default_scope=scope,
            engine="sqlite",
        )
        return _finished(app_of(folder, settings, clock), principal)


def _on_database(
    parent: Path,
    settings: Settings,
    clock: Clock,
    *,
    principal: PrincipalId,
    scope: tuple[str, ...],
    packs: tuple[str, ...],
    anew: bool,
) -> App:
    """A folder of the store that the database holds, after it was made there where it held none."""
    database, content = named_database(settings).open()
    try:
        store_id = database.own(new_id(clock, SystemEntropy()))
        keys = key_ring(store_id, settings)
        tenants = database.tenants()
        for tenant in tenants:
            # Before anything is in the folder: `init` can be tried again when the key is there.
            if tenant.name == settings.tenant:
                FoundedKeys(database.tenant_store(tenant.tenant_id), keys).tenant_key(tenant.tenant_id)
        folder = create_store_folder(
            parent, store_id=store_id, principal=principal, packs=packs, default_scope=scope, engine="postgresql"
        )
        app = app_of(folder, settings, clock, content=content)
    except BaseException:
        database.close()
        raise
    app.is_joined = bool(tenants)
    return _finished(app, principal, is_further_folder=True, anew=anew)


def _finished(app: App, principal: PrincipalId, *, is_further_folder: bool = False, anew: bool = False) -> App:
    """The app, where it had no tenant, or its own was made by half; both are made whole.

    With `is_further_folder` also where the tenant is whole: the folder is a new one of a store that others made.
    """
    try:
        if not _made_whole(app, principal, is_further_folder=is_further_folder, anew=anew):
            raise store_exists()
    except BaseException:
        app.close()
        raise
    return app


def _made_whole(app: App, principal: PrincipalId, *, is_further_folder: bool, anew: bool) -> bool:
    """False where the store was whole, and this folder of it is not new."""
    name = app.settings.tenant
    found = {each.name: each.tenant_id for each in app.store.tenants()}
    if name not in found and (not found or name == DEFAULT_TENANT or app.is_joined):
        try:
            app.add_tenant(name, principal, anew=anew)
        except ConflictError as error:
            # Another `init`, in another folder of the same database, came first.
            if error.code != "tenant_taken":
                raise
            found = {each.name: each.tenant_id for each in app.store.tenants()}
        else:
            return True
    if name not in found:
        return False
    store = app.store.tenant_store(found[name])
    if finish_tenant(store, app.keys, principal, clock=app.clock, entropy=app.entropy):
        return True
    app.is_joined = is_further_folder
    return is_further_folder

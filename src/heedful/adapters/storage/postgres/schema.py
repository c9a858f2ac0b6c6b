"""The database is fit for a store: settings that make a commit durable, roles, extension, and the newest schema."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import psycopg
from psycopg import sql

from heedful.adapters.storage.migrate import Migration, load_migrations, missing
from heedful.adapters.storage.postgres.connection import Connection, Row, in_transaction
from heedful.adapters.storage.postgres.namesake import SCHEMA, Namesake, look
from heedful.adapters.storage.postgres.state import APP_ROLE, CONTROL_ROLE, Place
from heedful.adapters.storage.queries import load_queries
from heedful.kernel.errors import FaultError, UnavailableError, UnsupportedError

CONTROL_Q = load_queries(__package__ or "", "control_queries.sql")
"""Name -> statement on what the store knows of all its tenants."""

# The oldest release whose grants and policies mean what the migrations take them to mean (GRANT ... WITH SET).
SERVER_VERSION_MIN = 160_000
# With halfvec, which keeps whole numbers up to 2,048 exactly.
EXTENSION_VERSION_MIN = (0, 7)
# Whoever migrates takes this lock of the database: "heedful" in ASCII.
MIGRATION_LOCK = 0x68656564_66756C
_STRONGER_COMMITS = ("on", "remote_apply")


@dataclass(frozen=True, slots=True)
class _Server:
    version: int
    fsync: str
    full_page_writes: str
    data_sync_retry: str
    synchronous_commit: str


def tenant_migrations() -> tuple[Migration, ...]:
    """The steps of the schema."""
    return load_migrations(__package__ or "", "migrations")


def prepare(connection: Connection, *, lock_wait_seconds: float, needs_sync: bool) -> Place:
    """What transactions are to be told, of a database that is migrated now; processes that race take turns.

    Raises:
        UnsupportedError: `server_unfit`, `schema_newer`.
        UnavailableError: `store_unavailable` where roles or the extension are missing and can't be made.
        ConflictError: `schema_taken` where the database has a schema of our name that is not ours.
        FaultError: `migration_changed`; `role_bypasses` where the role could see every tenant.
        psycopg.Error: to be translated by the caller.
    """
    server = _server(connection)
    if needs_sync:
        _refuse_unfit(server)
    if missing(tenant_migrations(), _applied(connection)):
        _migrate(connection, lock_wait_seconds)
    _refuse_powerful_roles(connection)
    stronger = server.synchronous_commit in _STRONGER_COMMITS
    return Place(_search_path(connection), server.synchronous_commit if stronger else "on")


def _server(connection: Connection) -> _Server:
    names = ("server_version_num", "fsync", "full_page_writes", "data_sync_retry", "synchronous_commit")
    row = connection.execute("SELECT " + ", ".join(f"current_setting('{name}')" for name in names)).fetchone()
    assert row is not None
    version, *rest = row
    if int(version) < SERVER_VERSION_MIN:
        raise UnsupportedError(
            "server_unfit",
            f"PostgreSQL {SERVER_VERSION_MIN // 10_000} or newer is needed",
            next_step="upgrade the server",
            details={"version": int(version), "limit": SERVER_VERSION_MIN},
        )
    return _Server(int(version), *rest)


def _refuse_unfit(server: _Server) -> None:
    """Nothing, where a commit that is acknowledged survives a power cut.

    Raises:
        UnsupportedError: `server_unfit`.
    """
    wanted = {"fsync": "on", "full_page_writes": "on", "data_sync_retry": "off"}
    for name, value in wanted.items():
        if getattr(server, name) != value:
            raise UnsupportedError(
                "server_unfit",
                f"the server has {name} = {getattr(server, name)}: what it acknowledges may be lost at a power cut",
                next_step=f"set {name} = {value} and restart the server",
                details={"field": name},
            )


def _refuse_powerful_roles(connection: Connection) -> None:
    row = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname IN (%s, %s) AND (rolsuper OR rolbypassrls)",
        (APP_ROLE, CONTROL_ROLE),
    ).fetchone()
    if row is not None:
        raise FaultError(
            "role_bypasses",
            f"the role {row[0]} passes by row-level security, so tenants would not be apart",
            next_step=f"ALTER ROLE {row[0]} NOSUPERUSER NOBYPASSRLS",
        )


def control_rows(connection: Connection, name: str) -> list[Row]:
    """The rows of the named control statement, read as the role that may; none where the database has no store.

    A transaction that is open stays open, and in it the connection's own role is back; else nothing is left of it.

    Raises:
        ConflictError: `schema_taken`.
        psycopg.Error: to be translated by the caller.
    """
    if look(connection) is not Namesake.STORE:
        return []
    # Inside of the migration the roles may be there only since its beginning.
    is_alone = not in_transaction(connection)
    if is_alone:
        connection.execute("BEGIN")
    try:
        connection.execute(f"SET LOCAL search_path = pg_catalog, {SCHEMA}; SET LOCAL ROLE {CONTROL_ROLE}")
        rows = connection.execute(CONTROL_Q[name]).fetchall()
        connection.execute("RESET ROLE")
    finally:
        if is_alone:
            connection.execute("ROLLBACK")
    return rows


def _applied(connection: Connection) -> dict[int, str]:
    return {number: checksum for number, checksum in control_rows(connection, "applied")}  # noqa: C416  # dict() would lose the types


def _migrate(connection: Connection, lock_wait_seconds: float) -> None:
    wait = max(1, round(lock_wait_seconds * 1_000))
    connection.execute(f"BEGIN; SET LOCAL lock_timeout = {wait}; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
    try:
        # Looked at again: another process may have applied it while this one waited for the lock.
        steps = missing(tenant_migrations(), _applied(connection))
        if steps:
            _make_roles(connection)
            _make_extension(connection)
        for migration in steps:
            connection.execute(f"SET LOCAL search_path = {_search_path(connection)}")
            connection.execute(migration.sql)
            connection.execute(f"SET LOCAL search_path = {_search_path(connection)}")
            row = (migration.number, migration.slug, migration.checksum)
            connection.execute(CONTROL_Q["put_migration"], row)
        connection.execute("COMMIT")
    finally:
        if in_transaction(connection):
            connection.execute("ROLLBACK")


def _make_roles(connection: Connection) -> None:
    roles = (APP_ROLE, CONTROL_ROLE)
    rows = connection.execute("SELECT rolname FROM pg_roles WHERE rolname IN (%s, %s)", roles).fetchall()
    if len(rows) == len(roles):
        return
    try:
        connection.execute((resources.files(__package__ or "") / "roles.sql").read_text("utf-8"))
        connection.execute(f"GRANT {', '.join(roles)} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE")
    except psycopg.errors.InsufficientPrivilege as error:
        raise UnavailableError(
            "store_unavailable",
            f"the database has no roles {' and '.join(roles)}, and this one may not make them",
            next_step="let a superuser run what docs/postgresql.md shows under Roles",
        ) from error


def _make_extension(connection: Connection) -> None:
    # Not in our schema, which may be there already and come first for a role of its name: it would go with the store.
    connection.execute(
        "SELECT set_config('search_path', coalesce(string_agg(quote_ident(name), ', '), ''), true) "
        "FROM unnest(current_schemas(false)) AS u (name) WHERE name <> %s",
        (SCHEMA,),
    )
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.FeatureNotSupported,
        psycopg.errors.UndefinedFile,
    ) as error:
        raise UnavailableError(
            "store_unavailable",
            "the database has no extension `vector` (pgvector), and this role may not make it",
            next_step="let a superuser run CREATE EXTENSION vector in this database",
        ) from error
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert row is not None
    if tuple(map(int, row[0].split(".")[:2])) < EXTENSION_VERSION_MIN:
        raise UnsupportedError(
            "server_unfit",
            f"the extension `vector` has version {row[0]}; 0.7 or newer is needed",
            next_step="ALTER EXTENSION vector UPDATE",
            details={"field": "vector"},
        )


def _search_path(connection: Connection) -> str:
    """Our schema and the extension's, behind the system's, quoted: nothing that others made is ever found first."""
    row = connection.execute(
        "SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace "
        "WHERE e.extname = 'vector'"
    ).fetchone()
    names = ["pg_catalog", SCHEMA, *([] if row is None else [row[0]]), "pg_temp"]
    return ", ".join(sql.Identifier(name).as_string(connection) for name in dict.fromkeys(names))

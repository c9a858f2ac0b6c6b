"""Namesake: a schema of our name, and whether Heedful made it. What others keep under that name is left as it is."""

from __future__ import annotations

from enum import StrEnum

from heedful.adapters.storage.postgres.connection import Connection
from heedful.kernel.errors import ConflictError

SCHEMA = "heedful"
# Columns that every release's schema has, from its first migration on.
_MARKS = (("migrations", "number"), ("migrations", "slug"), ("migrations", "checksum"), ("store", "store_id"))
_LOOK = """
SELECT
    pg_catalog.pg_has_role(n.nspowner, 'USAGE') AND NOT EXISTS (
        SELECT FROM pg_catalog.aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
    ),
    EXISTS (
        SELECT FROM pg_catalog.pg_depend
        WHERE refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND refobjid = n.oid
    ),
    (
        SELECT count(*) FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
        JOIN unnest(%s::text[], %s::text[]) AS u (relname, attname)
            ON c.relname = u.relname AND a.attname = u.attname
        WHERE c.relnamespace = n.oid AND NOT a.attisdropped
    )
FROM pg_catalog.pg_namespace AS n WHERE n.nspname = %s
"""


class Namesake(StrEnum):
    """What the database has under our name: nothing, an empty schema that is ours to fill, or the schema of a store."""

    MISSING = "missing"
    EMPTY = "empty"
    STORE = "store"


def look(connection: Connection) -> Namesake:
    """What is there.

    Raises:
        ConflictError: `schema_taken` where others keep something in it, or it is empty and others may fill it.
        psycopg.Error: to be translated by the caller.
    """
    tables, columns = (list(each) for each in zip(*_MARKS, strict=True))
    row = connection.execute(_LOOK, (tables, columns, SCHEMA)).fetchone()
    if row is None:
        return Namesake.MISSING
    is_ours_to_fill, is_filled, marks = row
    if marks == len(_MARKS):
        return Namesake.STORE
    if is_filled or not is_ours_to_fill:
        raise ConflictError(
            "schema_taken",
            f"the database has a schema `{SCHEMA}` that Heedful did not make"
            f"{', with something in it' if is_filled else ', which others may fill'}",
            next_step=f"rename or drop it, or where it is empty: ALTER SCHEMA {SCHEMA} OWNER TO this login role; "
            "or name another database",
            details={"field": "database"},
        )
    return Namesake.EMPTY

-- The sum of the control migrations (tests/migrations compares); read this, change those.
-- What a store knows of all its tenants; nothing of theirs.

CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    slug TEXT NOT NULL,
    checksum TEXT NOT NULL
) STRICT;

CREATE TABLE tenants (
    tenant_id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is left of tenants that were erased: a digest of the name, and the receipt.
CREATE TABLE tombstones (
    tenant_id TEXT PRIMARY KEY,
    name_salt TEXT NOT NULL,
    name_digest TEXT NOT NULL,
    body TEXT NOT NULL,
    is_done INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is left of tenants that were erased: a digest of the name, and the receipt.
CREATE TABLE tombstones (
    tenant_id TEXT PRIMARY KEY,
    name_salt TEXT NOT NULL,
    name_digest TEXT NOT NULL,
    body TEXT NOT NULL,
    is_done INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

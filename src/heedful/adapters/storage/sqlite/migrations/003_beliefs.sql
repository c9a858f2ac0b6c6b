-- What is believed: claims know their property, what they rest on and how they fared in conflicts; jobs.

CREATE TABLE claims_before (
    row_id INTEGER PRIMARY KEY,
    claim_id TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject_key BLOB NOT NULL,
    status TEXT NOT NULL,
    visibility TEXT NOT NULL,
    tier INTEGER NOT NULL,
    valid_from_us INTEGER,
    valid_to_us INTEGER,
    body BLOB NOT NULL
) STRICT;

INSERT INTO claims_before SELECT * FROM claims;

DROP TABLE claims;

CREATE TABLE claims (
    row_id INTEGER PRIMARY KEY,
    claim_id TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject_key BLOB NOT NULL,
    property TEXT NOT NULL,
    status TEXT NOT NULL,
    visibility TEXT NOT NULL,
    tier INTEGER NOT NULL,
    valid_from_us INTEGER,
    valid_to_us INTEGER,
    body BLOB NOT NULL
) STRICT;

-- The fields that claims have more, behind those that were there, as the encoder writes them.
INSERT INTO claims
SELECT row_id, claim_id, position, scope_id, classification, kind, subject_key,
    json_extract(CAST(body AS TEXT), '$.property'), status, visibility, tier, valid_from_us, valid_to_us,
    CAST(
        substr(CAST(body AS TEXT), 1, length(CAST(body AS TEXT)) - 1) || ',"tier_at_write":' || tier
        || ',"conflicts_lost":0,"conflicts_open":0,"pinned":false,"confirmed_by":[],"rests_on":[]}' AS BLOB
    )
FROM claims_before;

DROP TABLE claims_before;

CREATE INDEX claims_by_scope ON claims (scope_id, status, kind);

CREATE INDEX claims_by_subject ON claims (subject_key, scope_id, position);

CREATE INDEX claims_by_property ON claims (subject_key, property, scope_id, position);

CREATE INDEX claims_by_end ON claims (valid_to_us) WHERE status = 'active' AND valid_to_us IS NOT NULL;

-- claim_a was there first. A conflict without a resolution is open; the body has the rest.
CREATE TABLE conflicts (
    position INTEGER PRIMARY KEY,
    conflict_id TEXT NOT NULL UNIQUE,
    claim_a TEXT NOT NULL,
    claim_b TEXT NOT NULL,
    detected_at_us INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    resolution TEXT,
    resolved_at_us INTEGER,
    body BLOB NOT NULL
) STRICT;

CREATE INDEX conflicts_by_a ON conflicts (claim_a);

CREATE INDEX conflicts_by_b ON conflicts (claim_b);

CREATE INDEX conflicts_open ON conflicts (position) WHERE resolution IS NULL;

-- Which records were made from which; from_record_id need not be there.
CREATE TABLE record_origins (
    from_record_id TEXT NOT NULL,
    record_row_id INTEGER NOT NULL,
    PRIMARY KEY (from_record_id, record_row_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX record_origins_by_record ON record_origins (record_row_id);

-- Which claims say that they rest on which.
CREATE TABLE claim_grounds (
    ground_claim_id TEXT NOT NULL,
    claim_row_id INTEGER NOT NULL,
    PRIMARY KEY (ground_claim_id, claim_row_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_grounds_by_claim ON claim_grounds (claim_row_id);

-- Background jobs. No view: nothing in the ledger tells of them, and a refold leaves them.
CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What records were made from is in their bodies.
INSERT OR IGNORE INTO record_origins
SELECT j.value, r.row_id FROM records AS r CROSS JOIN json_each(CAST(r.body AS TEXT), '$.derived_from') AS j;

-- The sum of the migrations (tests/migrations compares); read this, change those.
-- One tenant's database: two chains of events, and the views that are folded from the ledger.

CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    slug TEXT NOT NULL,
    checksum TEXT NOT NULL
) STRICT;

-- The stored heads are kept apart from the events: a cut tail is found only so.
-- pending_count: how many rows search_pending has.
-- vector_changes: the number of the last change of vectors, which never comes again: what is kept of them goes by it.
-- tenant_id: whose database this is; empty until it is made theirs.
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tenant_id TEXT NOT NULL,
    ledger_position INTEGER NOT NULL,
    ledger_digest BLOB NOT NULL,
    access_position INTEGER NOT NULL,
    access_digest BLOB NOT NULL,
    checkpoint INTEGER NOT NULL,
    pending_count INTEGER NOT NULL,
    vector_changes INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (1, '', 0, zeroblob(32), 0, zeroblob(32), 0, 0, 0);

CREATE TABLE ledger_events (
    position INTEGER PRIMARY KEY CHECK (position > 0),
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    recorded_at_us INTEGER NOT NULL,
    payload_digest BLOB NOT NULL,
    key_id TEXT,
    prev_digest BLOB NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB,
    salt BLOB
) STRICT;

CREATE TABLE access_events (
    position INTEGER PRIMARY KEY CHECK (position > 0),
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    recorded_at_us INTEGER NOT NULL,
    payload_digest BLOB NOT NULL,
    key_id TEXT,
    prev_digest BLOB NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB,
    salt BLOB
) STRICT;

CREATE INDEX ledger_events_by_id ON ledger_events (event_id);

CREATE INDEX access_events_by_id ON access_events (event_id);

CREATE INDEX access_events_by_type ON access_events (type);

-- Scopes are interned: a number for each distinct scope, by its whole key.
CREATE TABLE scopes (
    scope_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE records (
    row_id INTEGER PRIMARY KEY,
    record_id TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    status TEXT NOT NULL,
    run_id TEXT,
    source_ref TEXT,
    recorded_at_us INTEGER NOT NULL,
    status_reason TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE INDEX records_by_scope ON records (scope_id, position, status, classification, run_id);

CREATE UNIQUE INDEX records_by_source ON records (source_ref, scope_id, classification) WHERE source_ref IS NOT NULL;

-- value has no declared type: integers and reals compare as numbers, a text equals only a text.
-- A boolean is an integer of its own type; an integer beyond 64 bits is its decimal text under type number.
CREATE TABLE record_attributes (
    row_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('text', 'number', 'boolean')),
    value NOT NULL,
    PRIMARY KEY (row_id, name, type, value)
) WITHOUT ROWID;

-- subject_key: the short form of the subject.
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

CREATE INDEX claims_by_scope ON claims (scope_id, status, kind);

CREATE INDEX claims_by_subject ON claims (subject_key, scope_id, position);

CREATE INDEX claims_by_property ON claims (subject_key, property, scope_id, position);

CREATE INDEX claims_by_end ON claims (valid_to_us) WHERE status = 'active' AND valid_to_us IS NOT NULL;

CREATE TABLE claim_evidence (
    record_id TEXT NOT NULL,
    claim_row_id INTEGER NOT NULL,
    PRIMARY KEY (record_id, claim_row_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_evidence_by_claim ON claim_evidence (claim_row_id);

CREATE TABLE search_rows (
    position INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    item TEXT NOT NULL,
    item_id TEXT NOT NULL,
    record_type TEXT NOT NULL,
    unreviewed INTEGER NOT NULL,
    valid_from_us INTEGER,
    valid_to_us INTEGER,
    token_count INTEGER NOT NULL
) STRICT;

CREATE INDEX search_rows_by_scope ON search_rows (
    scope_id, classification, position, item, record_type, unreviewed, valid_from_us, valid_to_us
);

CREATE TABLE search_attributes (
    row_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('text', 'number', 'boolean')),
    value NOT NULL,
    PRIMARY KEY (row_id, name, type, value)
) WITHOUT ROWID;

-- The newest rows wait here, a few dozen at most, and enter the full-text index together.
CREATE TABLE search_pending (
    position INTEGER PRIMARY KEY,
    scope_id INTEGER NOT NULL,
    tokens TEXT NOT NULL
) STRICT;

-- Each token carries the number of its scope, so that a search touches the postings of visible scopes alone.
-- The tokens come encoded (tokens.py): the ascii tokenizer never splits or folds one.
CREATE VIRTUAL TABLE search_terms USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

INSERT INTO search_terms (search_terms, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE search_vocabulary USING fts5vocab (search_terms, instance);

-- The models that vectors are of; the active one, of which there is at most one, answers searches.
CREATE TABLE vector_models (
    model_id INTEGER PRIMARY KEY,
    model TEXT NOT NULL UNIQUE,
    is_active INTEGER NOT NULL
) STRICT;

-- Rows that are seen together lie together: a search reads those of visible scopes and classifications, and no others.
CREATE TABLE vectors (
    model_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    position INTEGER NOT NULL,
    components BLOB NOT NULL,
    PRIMARY KEY (model_id, scope_id, classification, position)
) STRICT, WITHOUT ROWID;

-- changed: the number of the last change of these vectors.
CREATE TABLE vector_groups (
    model_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (model_id, scope_id, classification)
) STRICT, WITHOUT ROWID;

CREATE TABLE modes (
    target_type TEXT NOT NULL,
    target_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    PRIMARY KEY (target_type, target_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE bridge_approvals (
    bridge_digest TEXT NOT NULL,
    actor TEXT NOT NULL,
    PRIMARY KEY (bridge_digest, actor)
) STRICT, WITHOUT ROWID;

CREATE TABLE bridge_proposals (
    position INTEGER PRIMARY KEY,
    proposal_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    proposal_json TEXT NOT NULL
) STRICT;

CREATE TABLE registry_bodies (
    row_id INTEGER PRIMARY KEY,
    revision TEXT NOT NULL UNIQUE,
    body_json TEXT NOT NULL
) STRICT;

CREATE TABLE verdicts (
    position INTEGER PRIMARY KEY,
    verdict_id TEXT NOT NULL UNIQUE,
    verdict_json TEXT NOT NULL
) STRICT;

CREATE TABLE permits (
    position INTEGER PRIMARY KEY,
    permit_id TEXT NOT NULL UNIQUE,
    verdict_id TEXT NOT NULL,
    expires_at_us INTEGER NOT NULL,
    circumstances_json TEXT NOT NULL,
    redeemed_position INTEGER
) STRICT;

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

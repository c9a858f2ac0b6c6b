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
-- erased: the whole tenant was erased, by this erasure, and the file is to go; else NULL.
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
    vector_changes INTEGER NOT NULL,
    erased TEXT
) STRICT;

INSERT INTO state VALUES (1, '', 0, zeroblob(32), 0, zeroblob(32), 0, 0, 0, NULL);

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

-- What people said of two subjects; the body has both.
CREATE TABLE merges (
    position INTEGER PRIMARY KEY,
    merge_id TEXT NOT NULL UNIQUE,
    scope_id INTEGER NOT NULL,
    classification INTEGER NOT NULL,
    standing TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE INDEX merges_by_scope ON merges (scope_id, position);

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

-- Which events put a claim right, and by which other claim; who reads them reads the ledger there.
CREATE TABLE claim_changes (
    position INTEGER PRIMARY KEY,
    claim_id TEXT NOT NULL,
    by_claim_id TEXT
) STRICT;

CREATE INDEX claim_changes_of ON claim_changes (claim_id);

CREATE INDEX claim_changes_by ON claim_changes (by_claim_id) WHERE by_claim_id IS NOT NULL;

-- Background jobs. No view: nothing in the ledger tells of them, and a refold leaves them.
CREATE TABLE jobs (
    name TEXT PRIMARY KEY,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The permits of a verdict go with it.
CREATE INDEX permits_by_verdict ON permits (verdict_id);

-- By which names items go that an erasure or a hold may select: who brought a record, what it is about, until when it
-- is kept.
CREATE TABLE item_names (
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    item_id TEXT NOT NULL,
    PRIMARY KEY (name, position, item_id)
) STRICT, WITHOUT ROWID;

-- What was erased, and how far that came; the body has the rest, and nothing of what it took.
CREATE TABLE erasures (
    erasure_id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_by_position ON erasures (position);

CREATE INDEX erasures_open ON erasures (position) WHERE is_open = 1;

-- Ids of erased items, and tags of where they came from.
CREATE TABLE erased_keys (
    key TEXT PRIMARY KEY,
    erasure_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Holds that are in force.
CREATE TABLE holds (
    hold_id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Which calls gave what is found by the names of calls.
CREATE INDEX record_calls ON record_attributes (value, name)
WHERE name IN ('tool_use_id', 'call_id', 'tool_call_id');

-- Calls of tools: the tool's name, where the record tells it, and by what the call is known.
CREATE VIEW tool_calls AS
SELECT r.row_id, r.record_id, r.run_id, r.scope_id, r.classification,
    coalesce(
        (SELECT a.value FROM record_attributes AS a WHERE a.row_id = r.row_id AND a.name = 'tool' AND a.type = 'text'),
        (
            SELECT n.name
            FROM (
                SELECT p.column1 AS path, spelled.call ->> p.column1 AS name, json_type(spelled.call, p.column1) AS type
                FROM (SELECT CAST(r.body AS TEXT) ->> '$.content' AS call) AS spelled
                CROSS JOIN (VALUES ('$.name'), ('$.tool')) AS p
                WHERE json_valid(spelled.call)
            ) AS n
            WHERE n.type = 'text' AND n.name <> '' AND instr(n.name, char(0)) + instr(n.name, char(1)) = 0
                AND n.name NOT GLOB '*' || char(65533) || '*'
            ORDER BY n.path LIMIT 1
        )
    ) AS tool,
    coalesce((
        SELECT min(a.value) FROM record_attributes AS a
        WHERE a.row_id = r.row_id AND a.name IN ('tool_use_id', 'call_id', 'tool_call_id') AND a.type = 'text'
    ), r.record_id) AS call_id
FROM records AS r
WHERE CAST(r.body AS TEXT) ->> '$.type' = 'tool_call';

-- Every record that a claim rests on, and every record that it was made from, 32 steps far, with what sort of source
-- it is. wrote_at_us: when the claim was proposed, or got this evidence.
CREATE VIEW claim_sources AS
SELECT s.claim_id, s.record_id,
    CASE s.sort
        WHEN 'tool' THEN 'tool:' || coalesce(
            (SELECT a.value FROM record_attributes AS a WHERE a.row_id = s.row_id AND a.name = 'tool' AND a.type = 'text'),
            (SELECT k.tool FROM tool_calls AS k WHERE k.row_id = s.row_id),
            (
                SELECT min(k.tool)
                FROM record_origins AS o CROSS JOIN tool_calls AS k ON k.record_id = o.from_record_id
                WHERE o.record_row_id = s.row_id AND k.scope_id = s.scope_id AND k.classification <= s.classification
            ),
            (
                SELECT min(k.tool)
                FROM record_attributes AS a CROSS JOIN tool_calls AS k ON k.row_id = a.row_id
                WHERE a.value = (
                    SELECT min(o.value) FROM record_attributes AS o
                    WHERE o.row_id = s.row_id AND o.name IN ('tool_use_id', 'call_id', 'tool_call_id') AND o.type = 'text'
                )
                    AND a.name IN ('tool_use_id', 'call_id', 'tool_call_id') AND a.type = 'text'
                    AND k.run_id IS s.run_id AND k.scope_id = s.scope_id AND k.classification <= s.classification
            ),
            'unknown'
        )
        WHEN 'doc' THEN 'doc:' || coalesce(
            (SELECT a.value FROM record_attributes AS a WHERE a.row_id = s.row_id AND a.name = 'url' AND a.type = 'text'),
            substr(s.source_ref, 1, instr(s.source_ref || char(31), char(31)) - 1),
            s.record_id
        )
        ELSE s.sort
    END AS source_type,
    CASE s.sort
        WHEN 'tool' THEN coalesce(
            (
                SELECT min(a.value) FROM record_attributes AS a
                WHERE a.row_id = s.row_id AND a.name IN ('tool_use_id', 'call_id', 'tool_call_id') AND a.type = 'text'
            ),
            (
                SELECT min(k.call_id)
                FROM record_origins AS o CROSS JOIN tool_calls AS k ON k.record_id = o.from_record_id
                WHERE o.record_row_id = s.row_id AND k.scope_id = s.scope_id AND k.classification <= s.classification
            ),
            s.record_id
        )
        WHEN 'doc' THEN s.record_id
        ELSE coalesce(s.run_id, s.record_id)
    END AS source_id,
    s.tier_at_write, s.wrote_at_us
FROM (
    SELECT c.claim_id, r.row_id, r.record_id, r.run_id, r.source_ref, r.scope_id, r.classification,
        CAST(c.body AS TEXT) ->> '$.tier_at_write' AS tier_at_write,
        max(CAST(c.body AS TEXT) ->> '$.known_from_us', walked.value ->> 1) AS wrote_at_us,
        CASE
            WHEN CAST(r.body AS TEXT) ->> '$.type' IN ('tool_call', 'tool_result') THEN 'tool'
            WHEN 'document' IN (CAST(r.body AS TEXT) ->> '$.type', CAST(r.body AS TEXT) ->> '$.grade') THEN 'doc'
            WHEN CAST(r.body AS TEXT) ->> '$.grade' = 'tool' THEN 'tool'
            WHEN CAST(r.body AS TEXT) ->> '$.grade' IN ('user', 'operator', 'system') THEN 'user'
            ELSE 'inference'
        END AS sort
    FROM claims AS c
    CROSS JOIN json_each((
        WITH RECURSIVE lineage (record_id, since_us, steps) AS (
            SELECT e.record_id, r.recorded_at_us, 0
            FROM claim_evidence AS e JOIN records AS r ON r.record_id = e.record_id WHERE e.claim_row_id = c.row_id
            UNION
            SELECT o.from_record_id, lineage.since_us, lineage.steps + 1
            FROM lineage JOIN records AS r ON r.record_id = lineage.record_id
            JOIN record_origins AS o ON o.record_row_id = r.row_id
            WHERE lineage.steps < 32
        )
        SELECT json_group_array(json_array(reached.record_id, reached.since_us))
        FROM (SELECT record_id, min(since_us) AS since_us FROM lineage GROUP BY record_id) AS reached
    )) AS walked
    JOIN records AS r ON r.record_id = walked.value ->> 0
) AS s;

-- For auditors (docs/provenance.md): what every claim came from; times in seconds since 1970.
CREATE VIEW memory_provenance AS
SELECT claim_id, source_type, source_id, tier_at_write, min(wrote_at_us) / 1000000.0 AS wrote_at
FROM claim_sources
GROUP BY claim_id, source_type, source_id, tier_at_write;

-- For auditors: every conflict; open where resolution is null.
CREATE VIEW memory_conflicts AS
SELECT conflict_id, claim_a, claim_b, detected_at_us / 1000000.0 AS detected_at, outcome, resolution,
    resolved_at_us / 1000000.0 AS resolved_at
FROM conflicts;

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

-- When what was active ended, which the ledger tells.
CREATE TABLE claims_ended (
    claim_id TEXT PRIMARY KEY,
    ended_us INTEGER NOT NULL
) STRICT;

INSERT INTO claims_ended
SELECT json_extract(CAST(payload AS TEXT), '$.claim_id') AS claim_id, max(recorded_at_us)
FROM ledger_events
WHERE type = 'claim.transitioned' AND json_extract(CAST(payload AS TEXT), '$.from_status') = 'active'
    AND json_extract(CAST(payload AS TEXT), '$.to_status') IN ('superseded', 'expired')
GROUP BY claim_id;

-- The fields that claims have more, behind those that were there, as the encoder writes them. What was superseded is
-- found while it was active alone.
INSERT INTO claims
SELECT c.row_id, c.claim_id, c.position, c.scope_id, c.classification, c.kind, c.subject_key,
    json_extract(CAST(c.body AS TEXT), '$.property'), c.status, c.visibility, c.tier,
    iif(c.status = 'superseded' AND e.ended_us IS NULL, 0, c.valid_from_us),
    iif(c.status = 'superseded', min(coalesce(e.ended_us, 0), coalesce(c.valid_to_us, e.ended_us, 0)), c.valid_to_us),
    CAST(
        substr(CAST(c.body AS TEXT), 1, length(CAST(c.body AS TEXT)) - 1) || ',"tier_at_write":' || c.tier
        || ',"conflicts_lost":0,"conflicts_open":0,"pinned":false,"confirmed_by":[],"rests_on":[],"approvals_before":[],"ended_us":'
        || coalesce(e.ended_us, 'null') || '}' AS BLOB
    )
FROM claims_before AS c
LEFT JOIN claims_ended AS e ON e.claim_id = c.claim_id AND c.status IN ('superseded', 'expired');

DROP TABLE claims_before;

DROP TABLE claims_ended;

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

-- What records were made from is in their bodies.
INSERT OR IGNORE INTO record_origins
SELECT j.value, r.row_id FROM records AS r CROSS JOIN json_each(CAST(r.body AS TEXT), '$.derived_from') AS j;

-- The permits of a verdict go with it.
CREATE INDEX permits_by_verdict ON permits (verdict_id);

-- By which names items go that an erasure or a hold may select: who brought a record, what it is about.
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

INSERT OR IGNORE INTO item_names
SELECT 'principal:' || (CAST(body AS TEXT) ->> '$.principal'), position, record_id FROM records;

INSERT OR IGNORE INTO item_names
SELECT 'subject:' || (j.value ->> '$.type') || ':' || (j.value ->> '$.id'), r.position, r.record_id
FROM records AS r CROSS JOIN json_each(CAST(r.body AS TEXT), '$.subjects') AS j;

INSERT OR IGNORE INTO item_names
SELECT substr(name, 1, instr(name, '/') - 1), position, item_id FROM item_names
WHERE name GLOB 'subject:*/*';

INSERT OR IGNORE INTO item_names
SELECT 'blob:' || (CAST(body AS TEXT) ->> '$.blob.name'), position, record_id FROM records
WHERE CAST(body AS TEXT) ->> '$.blob.name' IS NOT NULL;

INSERT OR IGNORE INTO item_names
SELECT 'until:' || printf('%020d', recorded_at_us + (CAST(body AS TEXT) ->> '$.retain_days') * 86400000000), position, record_id
FROM records WHERE CAST(body AS TEXT) ->> '$.retain_days' IS NOT NULL;

INSERT OR IGNORE INTO item_names
SELECT 'about:' || substr(CAST(body AS TEXT) ->> '$.subject', 1, instr(CAST(body AS TEXT) ->> '$.subject', '/') - 1), position, claim_id
FROM claims WHERE instr(CAST(body AS TEXT) ->> '$.subject', '/') > 0;

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

CREATE TABLE state_before AS SELECT * FROM state;

DROP TABLE state;

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

INSERT INTO state SELECT *, NULL FROM state_before;

DROP TABLE state_before;

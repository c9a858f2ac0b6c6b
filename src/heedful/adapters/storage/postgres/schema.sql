-- The sum of the migrations (tests/migrations compares); read this, change those.
-- All tenants in one set of tables. The tenant leads every key and every index, and each row is seen only by a
-- transaction of its tenant: row-level security is forced, also on the owner. heedful_app sees and changes rows of the
-- tenant that heedful.tenant_id names, heedful_control knows which tenants there are; neither can do the other's.
--
-- Texts from outside are bytea in UTF-8 (texts.py), since text holds no NUL: they compare by bytes. Words of our own
-- are text COLLATE "C".

CREATE SCHEMA heedful;

REVOKE ALL ON SCHEMA heedful FROM PUBLIC;

GRANT USAGE ON SCHEMA heedful TO heedful_app, heedful_control;

CREATE TABLE heedful.migrations (
    number integer PRIMARY KEY,
    slug text COLLATE "C" NOT NULL,
    checksum text COLLATE "C" NOT NULL
);

-- Which store this is; a row once it is claimed.
CREATE TABLE heedful.store (
    id integer PRIMARY KEY CHECK (id = 1),
    store_id text COLLATE "C" NOT NULL
);

-- A number for each tenant: short in every key, and never shown. public_id is the id that everybody else uses.
CREATE TABLE heedful.tenants (
    tenant_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id bytea NOT NULL UNIQUE,
    name bytea NOT NULL UNIQUE,
    created_at_us bigint NOT NULL
);

-- The stored heads are kept apart from the events: a cut tail is found only so. Who writes locks this row first.
-- erased: the whole tenant was erased, by this erasure, and its rows are to go; else NULL. The row stays.
CREATE TABLE heedful.state (
    tenant_id bigint PRIMARY KEY REFERENCES heedful.tenants,
    ledger_position bigint NOT NULL,
    ledger_digest bytea NOT NULL,
    access_position bigint NOT NULL,
    access_digest bytea NOT NULL,
    checkpoint bigint NOT NULL,
    erased bytea
) WITH (fillfactor = 50);

CREATE TABLE heedful.ledger_events (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL CHECK (position > 0),
    event_id bytea NOT NULL,
    type bytea NOT NULL,
    version bigint NOT NULL,
    recorded_at_us bigint NOT NULL,
    payload_digest bytea NOT NULL,
    key_id bytea,
    prev_digest bytea NOT NULL,
    digest bytea NOT NULL,
    payload bytea,
    salt bytea,
    PRIMARY KEY (tenant_id, position)
);

CREATE TABLE heedful.access_events (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL CHECK (position > 0),
    event_id bytea NOT NULL,
    type bytea NOT NULL,
    version bigint NOT NULL,
    recorded_at_us bigint NOT NULL,
    payload_digest bytea NOT NULL,
    key_id bytea,
    prev_digest bytea NOT NULL,
    digest bytea NOT NULL,
    payload bytea,
    salt bytea,
    PRIMARY KEY (tenant_id, position)
);

CREATE INDEX ledger_events_by_id ON heedful.ledger_events (tenant_id, event_id);

CREATE INDEX access_events_by_id ON heedful.access_events (tenant_id, event_id);

CREATE INDEX access_packets ON heedful.access_events (tenant_id) WHERE type = 'packet.assembled'::bytea;

-- Scopes are interned: a number for each distinct scope of a tenant. scope_key is the short form of key.
CREATE TABLE heedful.scopes (
    tenant_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    scope_key bytea NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (tenant_id, scope_id),
    UNIQUE (tenant_id, scope_key)
);

-- source_key is the short form of the source reference.
CREATE TABLE heedful.records (
    tenant_id bigint NOT NULL,
    record_id bytea NOT NULL,
    position bigint NOT NULL,
    scope_id bigint NOT NULL,
    classification integer NOT NULL,
    status text COLLATE "C" NOT NULL,
    run_id bytea,
    source_key bytea,
    recorded_at_us bigint NOT NULL,
    status_reason bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, record_id)
);

CREATE INDEX records_by_scope ON heedful.records (tenant_id, scope_id, status, position);

CREATE UNIQUE INDEX records_by_source ON heedful.records (tenant_id, source_key, scope_id, classification)
WHERE source_key IS NOT NULL;

-- value is a JSON value as bytes, by one rule (texts.py), so that equal ones are equal bytes; long ones in short form.
CREATE TABLE heedful.record_attributes (
    tenant_id bigint NOT NULL,
    record_id bytea NOT NULL,
    name bytea NOT NULL,
    type text COLLATE "C" NOT NULL CHECK (type IN ('text', 'number', 'boolean')),
    value bytea NOT NULL,
    PRIMARY KEY (tenant_id, record_id, name, type, value)
);

-- subject_key, property_key: the short forms of the subject and of the property.
CREATE TABLE heedful.claims (
    tenant_id bigint NOT NULL,
    claim_id bytea NOT NULL,
    position bigint NOT NULL,
    scope_id bigint NOT NULL,
    classification integer NOT NULL,
    kind bytea NOT NULL,
    subject_key uuid NOT NULL,
    status text COLLATE "C" NOT NULL,
    visibility text COLLATE "C" NOT NULL,
    tier integer NOT NULL,
    valid_from_us bigint,
    valid_to_us bigint,
    body bytea NOT NULL,
    property_key uuid NOT NULL,
    PRIMARY KEY (tenant_id, claim_id)
);

CREATE INDEX claims_by_scope ON heedful.claims (tenant_id, scope_id, status, position);

CREATE INDEX claims_by_subject ON heedful.claims (tenant_id, subject_key, scope_id, position);

CREATE INDEX claims_by_property ON heedful.claims (tenant_id, subject_key, property_key, scope_id, position);

CREATE INDEX claims_by_end ON heedful.claims (tenant_id, valid_to_us)
WHERE status = 'active' AND valid_to_us IS NOT NULL;

CREATE TABLE heedful.claim_evidence (
    tenant_id bigint NOT NULL,
    record_id bytea NOT NULL,
    claim_id bytea NOT NULL,
    PRIMARY KEY (tenant_id, record_id, claim_id)
);

CREATE INDEX claim_evidence_by_claim ON heedful.claim_evidence (tenant_id, claim_id);

CREATE TABLE heedful.search_rows (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL,
    scope_id bigint NOT NULL,
    classification integer NOT NULL,
    item text COLLATE "C" NOT NULL,
    item_id bytea NOT NULL,
    record_type bytea NOT NULL,
    unreviewed boolean NOT NULL,
    valid_from_us bigint,
    valid_to_us bigint,
    token_count bigint NOT NULL,
    PRIMARY KEY (tenant_id, position)
);

CREATE INDEX search_rows_by_scope ON heedful.search_rows (
    tenant_id, scope_id, classification, position, item, record_type, unreviewed, valid_from_us, valid_to_us
);

CREATE TABLE heedful.search_attributes (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL,
    name bytea NOT NULL,
    type text COLLATE "C" NOT NULL CHECK (type IN ('text', 'number', 'boolean')),
    value bytea NOT NULL,
    PRIMARY KEY (tenant_id, position, name, type, value)
);

-- A row for each token of a search row. Equality of whole columns is all that a search asks: under row-level security
-- nothing else reaches an index, for nothing else is leakproof. A GIN index, which arrays and tsvector need, is not read.
CREATE TABLE heedful.search_tokens (
    tenant_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    token bytea NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope_id, token, position)
);

CREATE INDEX search_tokens_by_row ON heedful.search_tokens (tenant_id, position);

-- The models that vectors are of; the active one, of which there is at most one, answers searches.
CREATE TABLE heedful.vector_models (
    tenant_id bigint NOT NULL,
    model_id bigint NOT NULL,
    model bytea NOT NULL,
    is_active boolean NOT NULL,
    PRIMARY KEY (tenant_id, model_id),
    UNIQUE (tenant_id, model)
);

-- Under the scope of its row, so that a search reads those in sight and no others.
-- squared: the sum of the squares of the components. Rows stay whole in the table: one out of line would cost a look
-- elsewhere for each that a search compares.
CREATE TABLE heedful.vectors (
    tenant_id bigint NOT NULL,
    model_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    position bigint NOT NULL,
    squared bigint NOT NULL,
    components halfvec NOT NULL,
    PRIMARY KEY (tenant_id, model_id, scope_id, position)
) WITH (toast_tuple_target = 8160);

CREATE TABLE heedful.modes (
    tenant_id bigint NOT NULL,
    target_type bytea NOT NULL,
    target_id bytea NOT NULL,
    mode text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, target_type, target_id)
);

CREATE TABLE heedful.bridge_approvals (
    tenant_id bigint NOT NULL,
    bridge_digest bytea NOT NULL,
    actor bytea NOT NULL,
    PRIMARY KEY (tenant_id, bridge_digest, actor)
);

CREATE TABLE heedful.bridge_proposals (
    tenant_id bigint NOT NULL,
    proposal_id bytea NOT NULL,
    position bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    proposal_json bytea NOT NULL,
    PRIMARY KEY (tenant_id, proposal_id)
);

-- seen: 1, 2, 3, ... in the order in which they were seen first.
CREATE TABLE heedful.registry_bodies (
    tenant_id bigint NOT NULL,
    revision bytea NOT NULL,
    seen bigint NOT NULL,
    body_json bytea NOT NULL,
    PRIMARY KEY (tenant_id, revision)
);

CREATE TABLE heedful.verdicts (
    tenant_id bigint NOT NULL,
    verdict_id bytea NOT NULL,
    position bigint NOT NULL,
    verdict_json bytea NOT NULL,
    PRIMARY KEY (tenant_id, verdict_id)
);

CREATE INDEX verdicts_by_position ON heedful.verdicts (tenant_id, position);

CREATE TABLE heedful.permits (
    tenant_id bigint NOT NULL,
    permit_id bytea NOT NULL,
    position bigint NOT NULL,
    verdict_id bytea NOT NULL,
    expires_at_us bigint NOT NULL,
    circumstances_json bytea NOT NULL,
    redeemed_position bigint,
    PRIMARY KEY (tenant_id, permit_id)
);

-- claim_a was there first. A conflict without a resolution is open; the body has the rest.
CREATE TABLE heedful.conflicts (
    tenant_id bigint NOT NULL,
    conflict_id bytea NOT NULL,
    position bigint NOT NULL,
    claim_a bytea NOT NULL,
    claim_b bytea NOT NULL,
    detected_at_us bigint NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    resolution text COLLATE "C",
    resolved_at_us bigint,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, conflict_id)
);

CREATE INDEX conflicts_by_position ON heedful.conflicts (tenant_id, position);

CREATE INDEX conflicts_by_a ON heedful.conflicts (tenant_id, claim_a);

CREATE INDEX conflicts_by_b ON heedful.conflicts (tenant_id, claim_b);

CREATE INDEX conflicts_open ON heedful.conflicts (tenant_id, position) WHERE resolution IS NULL;

-- What people said of two subjects; the body has both.
CREATE TABLE heedful.merges (
    tenant_id bigint NOT NULL,
    merge_id bytea NOT NULL,
    position bigint NOT NULL,
    scope_id bigint NOT NULL,
    classification integer NOT NULL,
    standing text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, merge_id)
);

CREATE INDEX merges_by_scope ON heedful.merges (tenant_id, scope_id, position);

-- Which records were made from which; from_record_id need not be there.
CREATE TABLE heedful.record_origins (
    tenant_id bigint NOT NULL,
    from_record_id bytea NOT NULL,
    record_id bytea NOT NULL,
    PRIMARY KEY (tenant_id, from_record_id, record_id)
);

-- Which claims say that they rest on which.
CREATE TABLE heedful.claim_grounds (
    tenant_id bigint NOT NULL,
    ground_claim_id bytea NOT NULL,
    claim_id bytea NOT NULL,
    PRIMARY KEY (tenant_id, ground_claim_id, claim_id)
);

-- Which events put a claim right, and by which other claim; who reads them reads the ledger there.
CREATE TABLE heedful.claim_changes (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL,
    claim_id bytea NOT NULL,
    by_claim_id bytea,
    PRIMARY KEY (tenant_id, position)
);

CREATE INDEX claim_changes_of ON heedful.claim_changes (tenant_id, claim_id);

CREATE INDEX claim_changes_by ON heedful.claim_changes (tenant_id, by_claim_id) WHERE by_claim_id IS NOT NULL;

-- Background jobs. No view: nothing in the ledger tells of them, and a refold leaves them.
CREATE TABLE heedful.jobs (
    tenant_id bigint NOT NULL,
    name bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

CREATE TABLE heedful.blobs (
    tenant_id bigint NOT NULL,
    name bytea NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

-- The permits of a verdict go with it.
CREATE INDEX permits_by_verdict ON heedful.permits (tenant_id, verdict_id);

-- By which names items go that an erasure or a hold may select: who brought a record, what it is about, until when it
-- is kept.
CREATE TABLE heedful.item_names (
    tenant_id bigint NOT NULL,
    name bytea NOT NULL,
    position bigint NOT NULL,
    item_id bytea NOT NULL,
    PRIMARY KEY (tenant_id, name, position, item_id)
);

-- What was erased, and how far that came; the body has the rest, and nothing of what it took.
CREATE TABLE heedful.erasures (
    tenant_id bigint NOT NULL,
    erasure_id bytea NOT NULL,
    position bigint NOT NULL,
    is_open boolean NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, erasure_id)
);

CREATE INDEX erasures_by_position ON heedful.erasures (tenant_id, is_open, position);

-- Ids of erased items, and tags of where they came from.
CREATE TABLE heedful.erased_keys (
    tenant_id bigint NOT NULL,
    key bytea NOT NULL,
    erasure_id bytea NOT NULL,
    PRIMARY KEY (tenant_id, key)
);

-- Holds that are in force.
CREATE TABLE heedful.holds (
    tenant_id bigint NOT NULL,
    hold_id bytea NOT NULL,
    position bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tenant_id, hold_id)
);

DO $$
DECLARE
    own text;
BEGIN
    FOREACH own IN ARRAY ARRAY[
        'state', 'ledger_events', 'access_events', 'scopes', 'records', 'record_attributes', 'claims',
        'claim_evidence', 'search_rows', 'search_attributes', 'search_tokens', 'vector_models', 'vectors', 'modes',
        'bridge_approvals', 'bridge_proposals', 'registry_bodies', 'verdicts', 'permits', 'blobs',
        'conflicts', 'merges', 'record_origins', 'claim_grounds', 'claim_changes', 'jobs',
        'item_names', 'erasures', 'erased_keys', 'holds'
    ] LOOP
        EXECUTE format('ALTER TABLE heedful.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', own);
        -- Set to nothing or not at all, the name of no tenant: NULL equals no row's.
        EXECUTE format(
            'CREATE POLICY of_the_tenant ON heedful.%I TO heedful_app '
            'USING (tenant_id = NULLIF(current_setting(''heedful.tenant_id'', true), '''')::bigint) '
            'WITH CHECK (tenant_id = NULLIF(current_setting(''heedful.tenant_id'', true), '''')::bigint)',
            own
        );
        EXECUTE format(
            'ALTER TABLE heedful.%I ALTER COLUMN tenant_id '
            'SET DEFAULT NULLIF(current_setting(''heedful.tenant_id'', true), '''')::bigint',
            own
        );
        EXECUTE format('GRANT SELECT, INSERT ON heedful.%I TO heedful_app', own);
    END LOOP;
    -- Chains only grow, and scopes keep their numbers; but see of_an_erased_tenant.
    FOREACH own IN ARRAY ARRAY[
        'records', 'record_attributes', 'claims', 'claim_evidence', 'search_rows', 'search_attributes',
        'search_tokens', 'vector_models', 'vectors', 'modes', 'bridge_approvals', 'bridge_proposals',
        'registry_bodies', 'verdicts', 'permits', 'blobs', 'conflicts', 'merges', 'record_origins', 'claim_grounds', 'claim_changes', 'jobs',
        'item_names', 'erasures', 'erased_keys', 'holds'
    ] LOOP
        EXECUTE format('GRANT UPDATE, DELETE ON heedful.%I TO heedful_app', own);
    END LOOP;
    FOREACH own IN ARRAY ARRAY['migrations', 'store', 'tenants'] LOOP
        EXECUTE format('ALTER TABLE heedful.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', own);
        EXECUTE format('CREATE POLICY of_the_store ON heedful.%I TO heedful_control USING (true) WITH CHECK (true)', own);
        EXECUTE format('GRANT SELECT ON heedful.%I TO heedful_control', own);
    END LOOP;
END
$$;

GRANT UPDATE ON heedful.state TO heedful_app;

-- What was erased is gone; what a chain is made of never changes.
GRANT UPDATE (payload, salt) ON heedful.ledger_events, heedful.access_events TO heedful_app;

GRANT INSERT ON heedful.store, heedful.tenants TO heedful_control;

GRANT UPDATE (name) ON heedful.tenants TO heedful_control;

-- Which calls gave what is found by the names of calls.
CREATE INDEX record_calls ON heedful.record_attributes (tenant_id, value, name)
WHERE name IN ('tool_use_id'::bytea, 'call_id'::bytea, 'tool_call_id'::bytea);

-- Views read with the rights of who asks: rows of other tenants are not there. JSON here holds no NUL, so the escape of
-- one is taken out.
-- Calls of tools: the tool's name, where the record tells it, and by what the call is known. A content is whatever an
-- agent sent: NULs and halves of surrogate pairs, which are no text here, are read as U+0001, and a name with one is
-- none; nor is one looked for among so many brackets that they may be too deep to be read.
CREATE VIEW heedful.tool_calls WITH (security_invoker = true) AS
SELECT r.tenant_id, r.record_id, r.run_id, r.scope_id, r.classification,
    coalesce(
        (SELECT a.value ->> 1 FROM json_array_elements(b.body -> 'attributes') AS a (value) WHERE a.value ->> 0 = 'tool' AND json_typeof(a.value -> 1) = 'string' LIMIT 1),
        (
            SELECT v.value #>> '{}'
            FROM (
                SELECT CASE
                    WHEN strpos(b.body ->> 'content', chr(1)) = 0
                        AND length(regexp_replace(b.body ->> 'content', '[^[{]+', '', 'g')) <= 5000
                    THEN replace(regexp_replace(
                        replace(b.body ->> 'content', '\\', chr(1)),
                        '\\u0000|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..',
                        '\\u0001', 'g'
                    ), chr(1), '\\')
                END AS content
            ) AS t
            CROSS JOIN LATERAL (SELECT CASE WHEN t.content IS JSON OBJECT THEN t.content::json END AS call) AS c
            CROSS JOIN LATERAL (VALUES (1, c.call -> 'name'), (2, c.call -> 'tool')) AS v (place, value)
            WHERE json_typeof(v.value) = 'string' AND v.value #>> '{}' <> ''
                AND translate(v.value #>> '{}', chr(1) || chr(65533), '') = v.value #>> '{}'
            ORDER BY v.place LIMIT 1
        )
    ) AS tool,
    coalesce((
        SELECT min((a.value ->> 1) COLLATE "C") FROM json_array_elements(b.body -> 'attributes') AS a (value)
        WHERE a.value ->> 0 IN ('tool_use_id', 'call_id', 'tool_call_id') AND json_typeof(a.value -> 1) = 'string'
    ), convert_from(r.record_id, 'UTF8')) AS call_id
FROM heedful.records AS r
CROSS JOIN LATERAL (SELECT regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json AS body) AS b
WHERE b.body ->> 'type' = 'tool_call';

-- Every record that a claim rests on, and every record that it was made from, 32 steps far, with what sort of source
-- it is. wrote_at_us: when the claim was proposed, or got this evidence. LIMIT 1 makes the planner look one row up by its
-- key where it would otherwise read all of a tenant.
CREATE VIEW heedful.claim_sources WITH (security_invoker = true) AS
SELECT c.claim_id, r.record_id,
    CASE s.sort
        WHEN 'tool' THEN 'tool:' || coalesce(
            s.tool,
            (SELECT k.tool FROM heedful.tool_calls AS k WHERE k.tenant_id = r.tenant_id AND k.record_id = r.record_id),
            (
                SELECT min(k.tool COLLATE "C")
                FROM heedful.record_origins AS o
                CROSS JOIN LATERAL (
                    SELECT * FROM heedful.tool_calls AS k
                    WHERE k.tenant_id = o.tenant_id AND k.record_id = o.from_record_id LIMIT 1
                ) AS k
                WHERE o.tenant_id = r.tenant_id AND o.record_id = r.record_id AND k.scope_id = r.scope_id
                    AND k.classification <= r.classification
            ),
            (
                SELECT min(k.tool COLLATE "C")
                FROM heedful.record_attributes AS a
                CROSS JOIN LATERAL (
                    SELECT * FROM heedful.tool_calls AS k
                    WHERE k.tenant_id = a.tenant_id AND k.record_id = a.record_id LIMIT 1
                ) AS k
                WHERE a.tenant_id = r.tenant_id AND a.value = convert_to(s.call_id, 'UTF8') AND a.type = 'text'
                    AND a.name IN ('tool_use_id'::bytea, 'call_id'::bytea, 'tool_call_id'::bytea)
                    AND k.run_id IS NOT DISTINCT FROM r.run_id AND k.scope_id = r.scope_id
                    AND k.classification <= r.classification
            ),
            'unknown'
        )
        WHEN 'doc' THEN 'doc:' || coalesce(
            s.url, split_part(b.body ->> 'source_ref', chr(31), 1), convert_from(r.record_id, 'UTF8')
        )
        ELSE s.sort
    END AS source_type,
    CASE s.sort
        WHEN 'tool' THEN coalesce(
            s.call_id,
            (
                SELECT min(k.call_id COLLATE "C")
                FROM heedful.record_origins AS o
                CROSS JOIN LATERAL (
                    SELECT * FROM heedful.tool_calls AS k
                    WHERE k.tenant_id = o.tenant_id AND k.record_id = o.from_record_id LIMIT 1
                ) AS k
                WHERE o.tenant_id = r.tenant_id AND o.record_id = r.record_id AND k.scope_id = r.scope_id
                    AND k.classification <= r.classification
            ),
            convert_from(r.record_id, 'UTF8')
        )
        WHEN 'doc' THEN convert_from(r.record_id, 'UTF8')
        ELSE coalesce(b.body ->> 'run_id', convert_from(r.record_id, 'UTF8'))
    END AS source_id,
    (d.body ->> 'tier_at_write')::integer AS tier_at_write,
    greatest((d.body ->> 'known_from_us')::bigint, l.since_us) AS wrote_at_us
FROM heedful.claims AS c
CROSS JOIN LATERAL (
    WITH RECURSIVE lineage (record_id, since_us, steps) AS (
        SELECT e.record_id, r.recorded_at_us, 0
        FROM heedful.claim_evidence AS e
        JOIN heedful.records AS r ON r.tenant_id = e.tenant_id AND r.record_id = e.record_id
        WHERE e.tenant_id = c.tenant_id AND e.claim_id = c.claim_id
        UNION
        SELECT o.from_record_id, l.since_us, l.steps + 1
        FROM lineage AS l
        CROSS JOIN LATERAL (
            SELECT from_record_id FROM heedful.record_origins AS o
            WHERE o.tenant_id = c.tenant_id AND o.record_id = l.record_id LIMIT 1000
        ) AS o
        WHERE l.steps < 32
    )
    SELECT record_id, min(since_us) AS since_us FROM lineage GROUP BY record_id
) AS l
CROSS JOIN LATERAL (
    SELECT * FROM heedful.records AS r WHERE r.tenant_id = c.tenant_id AND r.record_id = l.record_id LIMIT 1
) AS r
CROSS JOIN LATERAL (SELECT regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json AS body) AS b
CROSS JOIN LATERAL (SELECT regexp_replace(convert_from(c.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json AS body) AS d
CROSS JOIN LATERAL (
    SELECT
        min((a.value ->> 1) COLLATE "C") FILTER (WHERE a.value ->> 0 = 'tool') AS tool,
        min((a.value ->> 1) COLLATE "C") FILTER (WHERE a.value ->> 0 = 'url') AS url,
        min((a.value ->> 1) COLLATE "C")
            FILTER (WHERE a.value ->> 0 IN ('tool_use_id', 'call_id', 'tool_call_id')) AS call_id,
        CASE
            WHEN b.body ->> 'type' IN ('tool_call', 'tool_result') THEN 'tool'
            WHEN 'document' IN (b.body ->> 'type', b.body ->> 'grade') THEN 'doc'
            WHEN b.body ->> 'grade' = 'tool' THEN 'tool'
            WHEN b.body ->> 'grade' IN ('user', 'operator', 'system') THEN 'user'
            ELSE 'inference'
        END AS sort
    FROM json_array_elements(b.body -> 'attributes') AS a (value)
    WHERE json_typeof(a.value -> 1) = 'string'
) AS s;

-- For auditors (docs/provenance.md): what every claim came from; times in seconds since 1970.
CREATE VIEW heedful.memory_provenance WITH (security_invoker = true) AS
SELECT convert_from(claim_id, 'UTF8') AS claim_id, source_type, source_id, tier_at_write,
    min(wrote_at_us) / 1000000.0::double precision AS wrote_at
FROM heedful.claim_sources
GROUP BY claim_sources.claim_id, source_type, source_id, tier_at_write;

-- For auditors: every conflict; open where resolution is null.
CREATE VIEW heedful.memory_conflicts WITH (security_invoker = true) AS
SELECT convert_from(conflict_id, 'UTF8') AS conflict_id, convert_from(claim_a, 'UTF8') AS claim_a,
    convert_from(claim_b, 'UTF8') AS claim_b, detected_at_us / 1000000.0::double precision AS detected_at, outcome,
    resolution, resolved_at_us / 1000000.0::double precision AS resolved_at
FROM heedful.conflicts;

GRANT SELECT ON heedful.tool_calls, heedful.claim_sources, heedful.memory_provenance, heedful.memory_conflicts
TO heedful_app;

-- What is left of tenants that were erased: a digest of the name, and the receipt.
CREATE TABLE heedful.tombstones (
    public_id bytea PRIMARY KEY,
    name_salt text COLLATE "C" NOT NULL,
    name_digest text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    is_done boolean NOT NULL
);

ALTER TABLE heedful.tombstones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_store ON heedful.tombstones TO heedful_control USING (true) WITH CHECK (true);

GRANT SELECT, INSERT, UPDATE ON heedful.tombstones TO heedful_control;

-- Chains only grow, and scopes keep their numbers, until the whole tenant is erased.
CREATE POLICY of_an_erased_tenant ON heedful.ledger_events AS RESTRICTIVE FOR DELETE TO heedful_app
USING (EXISTS (SELECT FROM heedful.state AS s WHERE s.erased IS NOT NULL));

CREATE POLICY of_an_erased_tenant ON heedful.access_events AS RESTRICTIVE FOR DELETE TO heedful_app
USING (EXISTS (SELECT FROM heedful.state AS s WHERE s.erased IS NOT NULL));

CREATE POLICY of_an_erased_tenant ON heedful.scopes AS RESTRICTIVE FOR DELETE TO heedful_app
USING (EXISTS (SELECT FROM heedful.state AS s WHERE s.erased IS NOT NULL));

GRANT DELETE ON heedful.ledger_events, heedful.access_events, heedful.scopes TO heedful_app;

-- Whoever migrates writes down what was applied.
CREATE POLICY of_the_owner ON heedful.migrations TO CURRENT_USER USING (true) WITH CHECK (true);

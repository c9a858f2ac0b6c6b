-- What is believed: claims know their property, what they rest on and how they fared in conflicts; jobs.

-- Whoever migrates owns the tables, and sees the rows of every tenant for the length of this transaction alone.
ALTER TABLE heedful.claims NO FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.records NO FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.ledger_events NO FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.claims ADD COLUMN property_key uuid;

-- The fields that claims have more, behind those that were there, as the encoder writes them. JSON here holds no NUL,
-- so where it is read the escape of one is taken out.
UPDATE heedful.claims
SET property_key = encode(
        substring(sha256(convert_to(regexp_replace(convert_from(body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'property', 'UTF8')) FROM 1 FOR 16), 'hex'
    )::uuid,
    body = substring(body FROM 1 FOR length(body) - 1)
        || convert_to(',"tier_at_write":' || tier || ',"conflicts_lost":0,"conflicts_open":0,"pinned":false,"confirmed_by":[],"rests_on":[],"approvals_before":[],"ended_us":null}', 'UTF8');

-- When what was active ended, which the ledger tells. What was superseded is found while it was active alone.
WITH moved AS (
    SELECT tenant_id, recorded_at_us,
        regexp_replace(convert_from(payload, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json AS event
    FROM heedful.ledger_events WHERE type = 'claim.transitioned'::bytea AND payload IS NOT NULL
), ended AS (
    SELECT tenant_id, convert_to(event ->> 'claim_id', 'UTF8') AS claim_id, max(recorded_at_us) AS ended_us FROM moved
    WHERE event ->> 'from_status' = 'active' AND event ->> 'to_status' IN ('superseded', 'expired') GROUP BY 1, 2
)
UPDATE heedful.claims AS c
SET body = substring(c.body FROM 1 FOR length(c.body) - 5) || convert_to(e.ended_us || '}', 'UTF8'),
    valid_to_us = CASE c.status WHEN 'superseded' THEN least(e.ended_us, c.valid_to_us) ELSE c.valid_to_us END
FROM ended AS e WHERE e.tenant_id = c.tenant_id AND e.claim_id = c.claim_id AND c.status IN ('superseded', 'expired');

UPDATE heedful.claims SET valid_from_us = 0, valid_to_us = 0
WHERE status = 'superseded' AND convert_from(body, 'UTF8') LIKE '%"ended_us":null}';

ALTER TABLE heedful.claims ALTER COLUMN property_key SET NOT NULL;

CREATE INDEX claims_by_property ON heedful.claims (tenant_id, subject_key, property_key, scope_id, position);

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

-- What records were made from is in their bodies.
INSERT INTO heedful.record_origins
SELECT r.tenant_id, convert_to(j.value, 'UTF8'), r.record_id
FROM heedful.records AS r
CROSS JOIN LATERAL json_array_elements_text(regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json -> 'derived_from') AS j (value)
ON CONFLICT DO NOTHING;

-- The permits of a verdict go with it.
CREATE INDEX permits_by_verdict ON heedful.permits (tenant_id, verdict_id);

-- By which names items go that an erasure or a hold may select: who brought a record, what it is about.
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

INSERT INTO heedful.item_names (tenant_id, name, position, item_id)
SELECT r.tenant_id, convert_to('principal:' || (regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'principal'), 'UTF8'), r.position, r.record_id
FROM heedful.records AS r ON CONFLICT DO NOTHING;

INSERT INTO heedful.item_names (tenant_id, name, position, item_id)
SELECT r.tenant_id, convert_to('subject:' || n.name, 'UTF8'), r.position, r.record_id
FROM heedful.records AS r
CROSS JOIN LATERAL json_array_elements(regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json -> 'subjects') AS j (value)
CROSS JOIN LATERAL (VALUES ((j.value ->> 'type') || ':' || (j.value ->> 'id'))) AS e (entity)
CROSS JOIN LATERAL (VALUES (e.entity), (split_part(e.entity, '/', 1))) AS n (name)
ON CONFLICT DO NOTHING;

INSERT INTO heedful.item_names (tenant_id, name, position, item_id)
SELECT r.tenant_id, convert_to('blob:' || (regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json -> 'blob' ->> 'name'), 'UTF8'), r.position, r.record_id
FROM heedful.records AS r WHERE regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json -> 'blob' ->> 'name' IS NOT NULL ON CONFLICT DO NOTHING;

INSERT INTO heedful.item_names (tenant_id, name, position, item_id)
SELECT r.tenant_id, convert_to('until:' || lpad((r.recorded_at_us + d.days * 86400000000)::text, 20, '0'), 'UTF8'), r.position, r.record_id
FROM heedful.records AS r
CROSS JOIN LATERAL (
    VALUES ((regexp_replace(convert_from(r.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'retain_days')::bigint)
) AS d (days)
WHERE d.days IS NOT NULL ON CONFLICT DO NOTHING;

INSERT INTO heedful.item_names (tenant_id, name, position, item_id)
SELECT c.tenant_id, convert_to('about:' || split_part(regexp_replace(convert_from(c.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'subject', '/', 1), 'UTF8'), c.position, c.claim_id
FROM heedful.claims AS c WHERE position('/' IN regexp_replace(convert_from(c.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'subject') > 0 ON CONFLICT DO NOTHING;

ALTER TABLE heedful.claims FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.records FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.ledger_events FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
    own text;
BEGIN
    FOREACH own IN ARRAY ARRAY[
        'conflicts', 'merges', 'record_origins', 'claim_grounds', 'claim_changes', 'jobs', 'item_names', 'erasures',
        'erased_keys', 'holds'
    ] LOOP
        EXECUTE format('ALTER TABLE heedful.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', own);
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
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON heedful.%I TO heedful_app', own);
    END LOOP;
END
$$;

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

-- What was erased is gone; what a chain is made of never changes.
GRANT UPDATE (payload, salt) ON heedful.ledger_events, heedful.access_events TO heedful_app;

-- The whole tenant was erased, by this erasure, and its rows are to go; else NULL.
ALTER TABLE heedful.state ADD COLUMN erased bytea;

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

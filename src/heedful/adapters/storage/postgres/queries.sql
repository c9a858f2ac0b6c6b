-- Statements on the rows of one tenant. {slots} take fragments of SQL from this adapter, never values.
--
-- A plan is made once for a connection, perhaps of empty tables that nobody counted yet, and serves when they are large.
-- So none is left to guesses: where one of many values is wanted, each is looked up by itself (unnest, LATERAL), by
-- equality of all columns of one index; OFFSET 0 or a limit keeps that from becoming a join over all rows of the tenant.

-- load_state --
SELECT ledger_position, ledger_digest, access_position, access_digest, checkpoint, erased IS NOT NULL FROM state

-- save_state --
UPDATE state
SET ledger_position = {ledger_position}, ledger_digest = '\x{ledger_digest}', access_position = {access_position},
    access_digest = '\x{access_digest}', checkpoint = {checkpoint}

-- mark_erased --
UPDATE state SET erased = %s

-- erased_mark --
SELECT erased FROM state

-- empty_state --
UPDATE state
SET ledger_position = 0, ledger_digest = '', access_position = 0, access_digest = '', checkpoint = 0, erased = ''

-- append_ledger --
INSERT INTO ledger_events ({columns})
SELECT * FROM unnest(
    %s::bigint[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[], %s::bytea[], %s::bytea[], %s::bytea[],
    %s::bytea[], %s::bytea[], %s::bytea[]
)

-- append_access --
INSERT INTO access_events ({columns})
SELECT * FROM unnest(
    %s::bigint[], %s::bytea[], %s::bytea[], %s::bigint[], %s::bigint[], %s::bytea[], %s::bytea[], %s::bytea[],
    %s::bytea[], %s::bytea[], %s::bytea[]
)

-- ledger_page --
SELECT {columns} FROM ledger_events WHERE position >= %s ORDER BY position LIMIT %s

-- ledger_page_of --
SELECT {columns} FROM ledger_events WHERE position >= %s AND type = %s {holding} ORDER BY position LIMIT %s

-- with_text --
AND position(%s::bytea IN payload) > 0

-- access_page --
SELECT {columns} FROM access_events WHERE position >= %s ORDER BY position LIMIT %s

-- ledger_leaves --
SELECT digest FROM ledger_events WHERE position BETWEEN %s AND %s ORDER BY position

-- access_leaves --
SELECT digest FROM access_events WHERE position BETWEEN %s AND %s ORDER BY position

-- ledger_event_by_id --
SELECT {columns} FROM ledger_events WHERE event_id = %s

-- access_event_by_id --
SELECT {columns} FROM access_events WHERE event_id = %s

-- event_columns --
position, event_id, type, version, recorded_at_us, payload_digest, key_id, prev_digest, digest, payload, salt

-- scope_ids --
SELECT u.scope_key, s.scope_id FROM unnest(%s::bytea[]) AS u (scope_key) CROSS JOIN LATERAL (
    SELECT scope_id FROM scopes WHERE scope_key = u.scope_key OFFSET 0
) AS s

-- scope_keys --
SELECT scope_id, key FROM scopes ORDER BY key

-- scopes_holding --
SELECT s.key FROM scopes AS s
WHERE EXISTS (
    SELECT 1 FROM records AS r
    WHERE r.scope_id = s.scope_id AND r.status = %s AND r.classification <= %s {denied}
)
ORDER BY s.key

-- put_scope --
WITH new AS (
    INSERT INTO scopes (scope_id, scope_key, key)
    SELECT coalesce(max(scope_id), 0) + 1, %s, %s FROM scopes
    ON CONFLICT (tenant_id, scope_key) DO NOTHING
    RETURNING scope_id
)
SELECT scope_id FROM new UNION ALL SELECT scope_id FROM scopes WHERE scope_key = %s

-- insert_record --
WITH new AS (
    INSERT INTO records (
        record_id, position, scope_id, classification, status, run_id, source_key, recorded_at_us, status_reason, body
    ) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING
    RETURNING record_id
), attributes AS (
    INSERT INTO record_attributes (record_id, name, type, value)
    SELECT new.record_id, u.name, u.type, u.value
    FROM new, unnest(%s::bytea[], %s::text[], %s::bytea[]) AS u (name, type, value)
    ON CONFLICT DO NOTHING
), names AS (
    INSERT INTO item_names (name, position, item_id)
    SELECT u.name, %s, new.record_id FROM new, unnest(%s::bytea[]) AS u (name)
    ON CONFLICT DO NOTHING
)
SELECT 1 FROM new

-- source_owner --
SELECT record_id FROM records WHERE source_key = %s AND scope_id = %s AND classification = %s

-- update_record --
UPDATE records
SET position = %s, scope_id = %s, classification = %s, status = %s, run_id = %s, source_key = %s, recorded_at_us = %s,
    status_reason = %s, body = %s
WHERE record_id = %s

-- delete_record_attributes --
DELETE FROM record_attributes WHERE record_id = %s

-- insert_record_attributes --
INSERT INTO record_attributes (record_id, name, type, value)
SELECT %s, u.name, u.type, u.value FROM unnest(%s::bytea[], %s::text[], %s::bytea[]) AS u (name, type, value)
ON CONFLICT DO NOTHING

-- record --
SELECT body, status, position, recorded_at_us, status_reason FROM records WHERE record_id = %s

-- records_by_ids --
SELECT u.record_id, r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM unnest(%s::bytea[]) AS u (record_id) CROSS JOIN LATERAL (
    SELECT body, status, position, recorded_at_us, status_reason FROM records WHERE record_id = u.record_id OFFSET 0
) AS r

-- record_by_source --
SELECT body, status, position, recorded_at_us, status_reason
FROM records
WHERE source_key = %s AND scope_id = (SELECT scope_id FROM scopes WHERE scope_key = %s) AND classification = %s

-- records_in_scopes --
SELECT found.body, found.status, found.position, found.recorded_at_us, found.status_reason
FROM unnest(%s::bigint[]) AS visible (scope_id) CROSS JOIN LATERAL (
    -- One scope at a time, so that each is read from its newest row and no further than the limit.
    SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
    FROM records AS r
    WHERE r.scope_id = visible.scope_id AND r.position < %s AND r.status = %s AND r.classification <= %s
        {run} {attributes} {denied}
    ORDER BY r.position DESC LIMIT %s
) AS found
ORDER BY found.position DESC LIMIT %s

-- in_run --
AND r.run_id = %s

-- record_not_denied --
-- IS NOT TRUE, here and below: asked of each row by index, and never joined to all claims of the tenant.
AND (EXISTS (
    SELECT 1 FROM claim_evidence AS e JOIN claims AS d ON d.tenant_id = e.tenant_id AND d.claim_id = e.claim_id
    WHERE e.record_id = r.record_id AND ({kinds}) OFFSET 0
)) IS NOT TRUE

-- claim_not_denied --
AND (EXISTS (SELECT 1 FROM claims AS d WHERE d.claim_id = c.claim_id AND ({kinds}) OFFSET 0)) IS NOT TRUE
AND (EXISTS (
    SELECT 1 FROM claim_evidence AS own
        JOIN claim_evidence AS e ON e.tenant_id = own.tenant_id AND e.record_id = own.record_id
        JOIN claims AS d ON d.tenant_id = e.tenant_id AND d.claim_id = e.claim_id
    WHERE own.claim_id = c.claim_id AND ({kinds}) OFFSET 0
)) IS NOT TRUE

-- row_not_denied --
AND CASE s.item
    WHEN 'record' THEN NOT EXISTS (
        SELECT 1 FROM claim_evidence AS e JOIN claims AS d ON d.tenant_id = e.tenant_id AND d.claim_id = e.claim_id
        WHERE e.record_id = s.item_id AND ({kinds}) OFFSET 0
    )
    ELSE NOT EXISTS (SELECT 1 FROM claims AS d WHERE d.claim_id = s.item_id AND ({kinds}) OFFSET 0) AND NOT EXISTS (
        SELECT 1 FROM claim_evidence AS own
            JOIN claim_evidence AS e ON e.tenant_id = own.tenant_id AND e.record_id = own.record_id
            JOIN claims AS d ON d.tenant_id = e.tenant_id AND d.claim_id = e.claim_id
        WHERE own.claim_id = s.item_id AND ({kinds}) OFFSET 0
    )
END

-- of_denied_kind --
d.kind = %s OR d.kind >= %s AND d.kind < %s

-- has_attribute --
AND EXISTS (SELECT 1 FROM {table} AS a WHERE a.{key} = {row} AND a.name = %s AND ({values}) OFFSET 0)

-- of_type --
(a.type = %s AND a.value = ANY(%s::bytea[]))

-- put_claim --
WITH claim AS (
    INSERT INTO claims (
        claim_id, position, scope_id, classification, kind, subject_key, property_key, status, visibility, tier,
        valid_from_us, valid_to_us, body
    ) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (tenant_id, claim_id) DO UPDATE
    SET position = excluded.position, scope_id = excluded.scope_id, classification = excluded.classification,
        kind = excluded.kind, subject_key = excluded.subject_key, property_key = excluded.property_key,
        status = excluded.status, visibility = excluded.visibility, tier = excluded.tier,
        valid_from_us = excluded.valid_from_us, valid_to_us = excluded.valid_to_us, body = excluded.body
    RETURNING claim_id
), gone AS (
    DELETE FROM claim_evidence WHERE claim_id = %s AND record_id <> ALL(%s::bytea[])
)
INSERT INTO claim_evidence (record_id, claim_id)
SELECT DISTINCT u.record_id, claim.claim_id FROM claim, unnest(%s::bytea[]) AS u (record_id)
ON CONFLICT DO NOTHING

-- claim --
SELECT body FROM claims WHERE claim_id = %s

-- claims_by_ids --
SELECT u.claim_id, c.body
FROM unnest(%s::bytea[]) AS u (claim_id) CROSS JOIN LATERAL (
    SELECT body FROM claims WHERE claim_id = u.claim_id OFFSET 0
) AS c

-- claims --
SELECT c.body
FROM unnest(%s::bigint[]) AS s (scope_id), unnest(%s::text[]) AS u (status) CROSS JOIN LATERAL (
    SELECT c.body, c.position, c.claim_id FROM claims AS c
    WHERE c.scope_id = s.scope_id AND c.status = u.status AND c.classification <= %s AND c.tier >= %s
        {kinds} {visibility} {valid} {over} {denied}
    ORDER BY {order} LIMIT %s
) AS c
ORDER BY {order} LIMIT %s

-- oldest_first --
c.position, c.claim_id

-- newest_first --
c.position DESC, c.claim_id DESC

-- not_over --
AND (c.valid_to_us IS NULL OR c.valid_to_us > %s OR c.kind <> ALL(%s::bytea[]))

-- of_kinds --
AND EXISTS (
    SELECT FROM unnest(%s::bytea[], %s::bytea[], %s::bytea[]) AS k (name, low, high)
    WHERE c.kind = k.name OR c.kind >= k.low AND c.kind < k.high
)

-- of_visibility --
AND c.visibility = %s

-- valid_at --
AND (c.valid_from_us IS NULL OR c.valid_from_us <= %s) AND (c.valid_to_us IS NULL OR c.valid_to_us > %s)

-- claims_about --
SELECT c.body FROM claims AS c
WHERE c.subject_key = %s AND c.scope_id = ANY(%s::bigint[]) AND c.classification <= %s {before} {denied}
ORDER BY c.position DESC, c.claim_id DESC LIMIT %s

-- claim_before --
AND c.position < %s

-- claims_on --
SELECT c.body FROM claim_evidence AS e JOIN claims AS c ON c.tenant_id = e.tenant_id AND c.claim_id = e.claim_id
WHERE e.record_id = %s ORDER BY c.position, c.claim_id

-- kinds_on --
SELECT DISTINCT e.record_id, c.kind
FROM claim_evidence AS e JOIN claims AS c ON c.tenant_id = e.tenant_id AND c.claim_id = e.claim_id
WHERE e.record_id = ANY(%s::bytea[])

-- claims_on_any --
SELECT c.claim_id, c.body FROM claim_evidence AS e JOIN claims AS c ON c.tenant_id = e.tenant_id AND c.claim_id = e.claim_id
WHERE e.record_id = ANY(%s::bytea[]) ORDER BY c.position, c.claim_id

-- claims_alike --
SELECT c.body FROM claims AS c
WHERE c.subject_key = %s AND c.property_key = %s AND c.scope_id = (SELECT scope_id FROM scopes WHERE scope_key = %s)
    AND c.classification = %s AND c.status = ANY(%s::text[])
ORDER BY c.position DESC, c.claim_id DESC LIMIT %s

-- claims_resting_on --
SELECT c.body FROM claim_grounds AS g JOIN claims AS c ON c.tenant_id = g.tenant_id AND c.claim_id = g.claim_id
WHERE g.ground_claim_id = %s ORDER BY c.position, c.claim_id

-- claims_resting_on_any --
SELECT c.claim_id, c.body FROM claim_grounds AS g JOIN claims AS c ON c.tenant_id = g.tenant_id AND c.claim_id = g.claim_id
WHERE g.ground_claim_id = ANY(%s::bytea[]) ORDER BY c.position, c.claim_id

-- claims_beside --
SELECT c.body FROM claims AS c
WHERE c.claim_id IN (
    SELECT d.claim_id FROM claims AS a JOIN claims AS d
        ON d.tenant_id = a.tenant_id AND d.subject_key = a.subject_key AND d.property_key = a.property_key
            AND d.scope_id = a.scope_id AND d.classification = a.classification
    WHERE a.claim_id = ANY(%s::bytea[]))
    AND c.scope_id = ANY(%s::bigint[]) AND c.classification <= %s {denied}
ORDER BY c.position DESC, c.claim_id DESC LIMIT %s

-- insert_grounds --
INSERT INTO claim_grounds (ground_claim_id, claim_id)
SELECT ground, %s FROM unnest(%s::bytea[]) AS g (ground) ON CONFLICT DO NOTHING

-- insert_origins --
INSERT INTO record_origins (from_record_id, record_id)
SELECT origin, %s FROM unnest(%s::bytea[]) AS o (origin) ON CONFLICT DO NOTHING

-- records_from --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM record_origins AS o JOIN records AS r ON r.tenant_id = o.tenant_id AND r.record_id = o.record_id
WHERE o.from_record_id = %s ORDER BY r.position, r.record_id

-- records_from_any --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM unnest(%s::bytea[]) AS u (origin) CROSS JOIN LATERAL (
    SELECT record_id FROM record_origins WHERE from_record_id = u.origin OFFSET 0
) AS o CROSS JOIN LATERAL (
    SELECT body, status, position, recorded_at_us, status_reason FROM records WHERE record_id = o.record_id OFFSET 0
) AS r

-- records_in --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM unnest(%s::bigint[]) AS s (scope_id) CROSS JOIN LATERAL (
    SELECT body, status, position, recorded_at_us, status_reason FROM records
    WHERE scope_id = s.scope_id AND position > %s ORDER BY position LIMIT %s
) AS r
ORDER BY r.position LIMIT %s

-- claims_in --
SELECT c.body
FROM unnest(%s::bigint[]) AS s (scope_id) CROSS JOIN LATERAL (
    SELECT body, position FROM claims WHERE scope_id = s.scope_id AND position > %s ORDER BY position LIMIT %s
) AS c
ORDER BY c.position LIMIT %s

-- claims_of_subject --
SELECT body FROM claims WHERE subject_key = %s AND position > %s ORDER BY position LIMIT %s

-- items_named --
SELECT position, item_id FROM item_names WHERE name = %s AND position > %s ORDER BY position, item_id LIMIT %s

-- records_due --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM item_names AS n CROSS JOIN LATERAL (
    SELECT body, status, position, recorded_at_us, status_reason FROM records WHERE record_id = n.item_id LIMIT 1
) AS r
WHERE n.name > 'until:'::bytea AND n.name <= %s AND r.status <> 'held'
ORDER BY n.name, n.position, n.item_id LIMIT %s

-- insert_item_names --
INSERT INTO item_names (name, position, item_id)
SELECT u.name, %s, %s FROM unnest(%s::bytea[]) AS u (name) ON CONFLICT DO NOTHING

-- delete_item_names --
DELETE FROM item_names AS n
USING unnest(%s::bytea[], %s::bigint[], %s::bytea[]) AS u (name, position, item_id)
WHERE n.name = u.name AND n.position = u.position AND n.item_id = u.item_id

-- erasure --
SELECT body FROM erasures WHERE erasure_id = %s

-- erasures --
SELECT body FROM erasures WHERE is_open = ANY(%s::boolean[]) ORDER BY position LIMIT %s

-- put_erasure --
INSERT INTO erasures (erasure_id, position, is_open, body) VALUES (%s, %s, %s, %s)
ON CONFLICT (tenant_id, erasure_id) DO UPDATE SET is_open = excluded.is_open, body = excluded.body

-- tables_of_schema --
SELECT c.relname::text FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'm') ORDER BY c.relname

-- last_wal_file --
SELECT max(name) FROM pg_catalog.pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'

-- next_wal_file --
WITH moved AS (SELECT pg_catalog.pg_logical_emit_message(false, 'heedful', '') AS at, pg_catalog.pg_switch_wal() AS switched)
SELECT pg_catalog.pg_walfile_name(moved.switched) FROM moved

-- copies_kept --
SELECT current_setting('archive_mode') <> 'off',
    EXISTS (SELECT 1 FROM pg_catalog.pg_replication_slots),
    current_setting('wal_keep_size') NOT IN ('0', '0MB'),
    EXISTS (SELECT 1 FROM pg_catalog.pg_stat_replication),
    (current_setting('log_statement') IN ('mod', 'all') OR current_setting('log_min_duration_statement') <> '-1')
        AND current_setting('log_parameter_max_length') <> '0'

-- any_erased --
SELECT EXISTS (SELECT 1 FROM erased_keys)

-- erased_among --
SELECT u.key, e.erasure_id FROM unnest(%s::bytea[]) AS u (key) CROSS JOIN LATERAL (
    SELECT erasure_id FROM erased_keys WHERE key = u.key OFFSET 0
) AS e

-- put_erased --
INSERT INTO erased_keys (key, erasure_id) SELECT u.key, %s FROM unnest(%s::bytea[]) AS u (key) ON CONFLICT DO NOTHING

-- delete_erased --
DELETE FROM erased_keys WHERE key = ANY(%s::bytea[])

-- holds --
SELECT body FROM holds ORDER BY position

-- put_hold --
INSERT INTO holds (hold_id, position, body) VALUES (%s, %s, %s)
ON CONFLICT (tenant_id, hold_id) DO UPDATE SET position = excluded.position, body = excluded.body

-- delete_hold --
DELETE FROM holds WHERE hold_id = %s

-- delete_records --
DELETE FROM records WHERE record_id = ANY(%s::bytea[]) RETURNING record_id, position, recorded_at_us, body

-- delete_attributes_of --
DELETE FROM record_attributes WHERE record_id = ANY(%s::bytea[])

-- delete_origins_of --
DELETE FROM record_origins WHERE record_id = ANY(%s::bytea[])

-- delete_claims --
DELETE FROM claims WHERE claim_id = ANY(%s::bytea[]) RETURNING claim_id, position, body

-- delete_evidence_of --
DELETE FROM claim_evidence WHERE claim_id = ANY(%s::bytea[])

-- delete_grounds_of --
DELETE FROM claim_grounds WHERE claim_id = ANY(%s::bytea[])

-- delete_changes_of --
DELETE FROM claim_changes WHERE claim_id = ANY(%s::bytea[])

-- delete_conflicts --
DELETE FROM conflicts WHERE conflict_id = ANY(%s::bytea[])

-- delete_proposals --
DELETE FROM bridge_proposals WHERE proposal_id = ANY(%s::bytea[])

-- delete_merges --
DELETE FROM merges WHERE merge_id = ANY(%s::bytea[])

-- delete_verdicts --
DELETE FROM verdicts WHERE verdict_id = ANY(%s::bytea[])

-- delete_permits --
DELETE FROM permits WHERE verdict_id = ANY(%s::bytea[])

-- erase_ledger --
UPDATE ledger_events SET payload = NULL, salt = NULL WHERE position = ANY(%s::bigint[])

-- erase_access --
UPDATE access_events SET payload = NULL, salt = NULL WHERE position = ANY(%s::bigint[])

-- put_conflict --
INSERT INTO conflicts (
    position, conflict_id, claim_a, claim_b, detected_at_us, outcome, resolution, resolved_at_us, body
) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, conflict_id) DO UPDATE
SET position = excluded.position, claim_a = excluded.claim_a, claim_b = excluded.claim_b,
    detected_at_us = excluded.detected_at_us, outcome = excluded.outcome, resolution = excluded.resolution,
    resolved_at_us = excluded.resolved_at_us, body = excluded.body

-- conflict --
SELECT body FROM conflicts WHERE conflict_id = %s

-- conflicts --
SELECT body FROM conflicts WHERE position < %s {open} ORDER BY position DESC LIMIT %s

-- conflicts_of --
SELECT c.position, c.body
FROM unnest(%s::bytea[]) AS u (claim_id) CROSS JOIN LATERAL (
    (SELECT position, body FROM conflicts WHERE claim_a = u.claim_id OFFSET 0)
    UNION ALL (SELECT position, body FROM conflicts WHERE claim_b = u.claim_id OFFSET 0)
) AS c
ORDER BY c.position

-- of_open --
AND resolution IS NULL

-- put_merge --
INSERT INTO merges (position, merge_id, scope_id, classification, standing, body) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, merge_id) DO UPDATE
SET position = excluded.position, scope_id = excluded.scope_id, classification = excluded.classification,
    standing = excluded.standing, body = excluded.body

-- merge --
SELECT body FROM merges WHERE merge_id = %s

-- merges --
SELECT body FROM merges
WHERE scope_id = ANY(%s::bigint[]) AND classification <= %s {joined} ORDER BY position DESC LIMIT %s

-- of_joined --
AND standing = 'joined'

-- claims_proposed --
SELECT {columns} FROM ledger_events
WHERE position = ANY(ARRAY(SELECT h.position FROM claims AS h WHERE h.claim_id = ANY(%s::bytea[])))
ORDER BY position

-- put_claim_change --
INSERT INTO claim_changes (position, claim_id, by_claim_id) VALUES (%s, %s, %s)
ON CONFLICT (tenant_id, position) DO UPDATE SET claim_id = excluded.claim_id, by_claim_id = excluded.by_claim_id

-- claim_changes --
SELECT {columns} FROM ledger_events
WHERE position = ANY(ARRAY(SELECT h.position FROM claim_changes AS h WHERE h.claim_id = ANY(%s::bytea[])))
ORDER BY position

-- changes_by --
SELECT {columns} FROM ledger_events
WHERE position = ANY(ARRAY(SELECT h.position FROM claim_changes AS h WHERE h.by_claim_id = ANY(%s::bytea[])))
ORDER BY position

-- put_job --
INSERT INTO jobs (name, body) VALUES (%s, %s) ON CONFLICT (tenant_id, name) DO UPDATE SET body = excluded.body

-- job --
SELECT body FROM jobs WHERE name = %s

-- jobs --
SELECT body FROM jobs ORDER BY name

-- claims_after --
SELECT body FROM claims WHERE claim_id > %s AND status = ANY (%s) ORDER BY claim_id LIMIT %s

-- claim_sources --
SELECT claim_id, wrote_at_us, source_type, source_id, tier_at_write, record_id
FROM claim_sources WHERE claim_id = ANY (%s::bytea[])

-- claims_due --
SELECT body FROM claims WHERE valid_to_us <= %s AND status = 'active' ORDER BY position, claim_id LIMIT %s

-- insert_search_rows --
WITH new AS (
    INSERT INTO search_rows (
        position, scope_id, classification, item, item_id, record_type, unreviewed, valid_from_us, valid_to_us,
        token_count
    )
    SELECT * FROM unnest(
        %s::bigint[], %s::bigint[], %s::integer[], %s::text[], %s::bytea[], %s::bytea[], %s::boolean[], %s::bigint[],
        %s::bigint[], %s::bigint[]
    )
    ON CONFLICT DO NOTHING
    RETURNING position, scope_id
), tokens AS (
    INSERT INTO search_tokens (scope_id, token, position)
    SELECT new.scope_id, u.token, new.position
    FROM unnest(%s::bigint[], %s::bytea[]) AS u (position, token) JOIN new ON new.position = u.position
), attributes AS (
    INSERT INTO search_attributes (position, name, type, value)
    SELECT new.position, u.name, u.type, u.value
    FROM unnest(%s::bigint[], %s::bytea[], %s::text[], %s::bytea[]) AS u (position, name, type, value)
    JOIN new ON new.position = u.position
    ON CONFLICT DO NOTHING
)
SELECT position FROM new

-- delete_search_row --
WITH gone AS (
    DELETE FROM search_rows WHERE position = %s RETURNING tenant_id, scope_id, position
), tokens AS (
    DELETE FROM search_tokens AS t USING gone WHERE t.tenant_id = gone.tenant_id AND t.position = gone.position
), attributes AS (
    DELETE FROM search_attributes AS a USING gone WHERE a.tenant_id = gone.tenant_id AND a.position = gone.position
)
DELETE FROM vectors
WHERE model_id = ANY(ARRAY(SELECT model_id FROM vector_models)) AND scope_id = (SELECT scope_id FROM gone)
    AND position = (SELECT position FROM gone)

-- opening --
SELECT
    coalesce((SELECT max(scope_id) FROM scopes), 0),
    ARRAY(SELECT model FROM vector_models ORDER BY model),
    ARRAY(SELECT is_active FROM vector_models ORDER BY model),
    ARRAY(SELECT model_id FROM vector_models ORDER BY model),
    ARRAY(SELECT target_type FROM modes ORDER BY target_type, target_id),
    ARRAY(SELECT target_id FROM modes ORDER BY target_type, target_id),
    ARRAY(SELECT mode FROM modes ORDER BY target_type, target_id)

-- visible_count --
SELECT count(*) FROM ({visible}) AS s

-- matches --
-- One row without a key: how many rows are visible, and how many without the filters. Then each term and where it
-- stands; then the rows themselves, where they are few. IS TRUE keeps the planner from joining terms and rows by a loop,
-- which it would where it knows no counts yet: the visible positions are hashed.
WITH visible AS MATERIALIZED ({visible}), found AS MATERIALIZED (
    SELECT w.token, t.position
    FROM unnest(%s::bigint[]) AS u (scope_id), unnest(%s::bytea[]) AS w (token) CROSS JOIN LATERAL (
        SELECT position FROM search_tokens WHERE scope_id = u.scope_id AND token = w.token OFFSET 0
    ) AS t
    WHERE (t.position IN (SELECT position FROM visible)) IS TRUE
)
SELECT
    NULL AS item, NULL AS key, (SELECT count(*) FROM visible) AS number, NULL AS positions,
    (SELECT count(*) FROM ({in_sight}) AS s) AS token_count
UNION ALL
SELECT NULL, token, NULL, array_agg(position), NULL FROM found GROUP BY token
UNION ALL
SELECT s.item, s.item_id, few.position, NULL, s.token_count
FROM (SELECT DISTINCT position FROM found WHERE (SELECT count(*) FROM found) <= %s) AS few CROSS JOIN LATERAL (
    SELECT item, item_id, token_count FROM search_rows WHERE position = few.position OFFSET 0
) AS s

-- in_sight --
SELECT s.position FROM unnest(%s::bigint[]) AS u (scope_id) CROSS JOIN LATERAL (
    SELECT s.position FROM search_rows AS s WHERE s.scope_id = u.scope_id AND s.classification <= %s {filters} OFFSET 0
) AS s

-- search_rows_at --
SELECT u.position, s.item, s.item_id, s.token_count FROM unnest(%s::bigint[]) AS u (position) CROSS JOIN LATERAL (
    SELECT item, item_id, token_count FROM search_rows WHERE position = u.position OFFSET 0
) AS s

-- filter_item --
AND s.item = %s

-- filter_record_types --
AND s.record_type = ANY(%s::bytea[])

-- filter_reviewed --
AND NOT s.unreviewed

-- filter_valid --
AND (s.valid_from_us IS NULL OR s.valid_from_us <= %s) AND (s.valid_to_us IS NULL OR s.valid_to_us > %s)

-- vector_model_id --
SELECT model_id FROM vector_models WHERE model = %s

-- put_vector_model --
INSERT INTO vector_models (model_id, model, is_active)
SELECT coalesce(max(model_id), 0) + 1, %s, false FROM vector_models
RETURNING model_id

-- set_vector_model --
UPDATE vector_models SET is_active = model_id IS NOT DISTINCT FROM %s::bigint

-- delete_vector_model --
DELETE FROM vector_models WHERE model_id = %s

-- put_vectors --
INSERT INTO vectors (model_id, scope_id, position, squared, components)
SELECT %s, s.scope_id, s.position, u.squared, u.components::halfvec
FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS u (position, squared, components) CROSS JOIN LATERAL (
    SELECT scope_id, position FROM search_rows WHERE position = u.position OFFSET 0
) AS s
ON CONFLICT (tenant_id, model_id, scope_id, position) DO UPDATE
SET squared = excluded.squared, components = excluded.components

-- drop_vectors --
DELETE FROM vectors AS v
USING (SELECT scope_id, position FROM vectors WHERE model_id = %s ORDER BY scope_id, position LIMIT %s) AS gone
WHERE v.model_id = %s AND v.scope_id = gone.scope_id AND v.position = gone.position

-- has_vectors --
SELECT 1 FROM vectors WHERE model_id = %s LIMIT 1

-- without_vector --
SELECT s.position, s.item, s.item_id, c.key, s.classification, s.record_type, s.unreviewed, s.valid_from_us,
    s.valid_to_us
FROM search_rows AS s JOIN scopes AS c ON c.tenant_id = s.tenant_id AND c.scope_id = s.scope_id
WHERE s.position > %s AND NOT EXISTS (
    SELECT 1 FROM vectors AS v
    WHERE v.tenant_id = s.tenant_id AND v.model_id = %s AND v.scope_id = s.scope_id AND v.position = s.position
)
ORDER BY s.position LIMIT %s

-- nearest --
-- The product is a sum of whole numbers that a 32-bit float holds; root and division are exact to the last bit. Rows of
-- which that may not hold come first, with NULL.
WITH best AS MATERIALIZED (
    SELECT v.position,
        CASE
            WHEN v.squared > %s::bigint THEN NULL
            WHEN v.squared = 0 OR %s::bigint = 0 THEN 0::float8
            ELSE (-(v.components <#> %s::halfvec))::bigint::float8 / sqrt((v.squared * %s::bigint)::float8)
        END AS similarity
    FROM vectors AS v
    WHERE v.model_id = (SELECT model_id FROM vector_models WHERE model = %s) AND v.scope_id = ANY(%s::bigint[])
        AND vector_dims(v.components) = %s
        AND (v.position IN ({visible})) IS TRUE
    ORDER BY similarity DESC NULLS FIRST, v.position DESC LIMIT %s
)
SELECT best.position, s.item, s.item_id, s.token_count, best.similarity
FROM best CROSS JOIN LATERAL (
    SELECT item, item_id, token_count FROM search_rows WHERE position = best.position OFFSET 0
) AS s
ORDER BY best.similarity DESC NULLS FIRST, best.position DESC

-- vectors_in_sight --
SELECT v.position, v.squared, v.components::text
FROM vectors AS v
WHERE v.model_id = (SELECT model_id FROM vector_models WHERE model = %s) AND v.scope_id = ANY(%s::bigint[])
    AND vector_dims(v.components) = %s
    AND (v.position IN ({visible})) IS TRUE

-- put_mode --
INSERT INTO modes (target_type, target_id, mode) VALUES (%s, %s, %s)
ON CONFLICT (tenant_id, target_type, target_id) DO UPDATE SET mode = excluded.mode

-- delete_mode --
DELETE FROM modes WHERE target_type = %s AND target_id = %s

-- modes --
SELECT target_type, target_id, mode FROM modes ORDER BY target_type, target_id

-- put_bridge_approval --
INSERT INTO bridge_approvals (bridge_digest, actor) VALUES (%s, %s) ON CONFLICT DO NOTHING

-- bridge_approvals --
SELECT bridge_digest, actor FROM bridge_approvals ORDER BY bridge_digest, actor

-- put_bridge_proposal --
INSERT INTO bridge_proposals (proposal_id, position, status, proposal_json) VALUES (%s, %s, %s, %s)
ON CONFLICT (tenant_id, proposal_id) DO UPDATE
SET position = excluded.position, status = excluded.status, proposal_json = excluded.proposal_json

-- bridge_proposal --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals WHERE proposal_id = %s

-- bridge_proposals --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals WHERE status = %s AND position(%s::bytea IN proposal_json) > 0
ORDER BY position{down} LIMIT %s

-- dump_bridge_proposals --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals ORDER BY proposal_id

-- put_registry_body --
INSERT INTO registry_bodies (revision, seen, body_json)
SELECT %s, coalesce(max(seen), 0) + 1, %s FROM registry_bodies
ON CONFLICT DO NOTHING

-- registry_body --
SELECT body_json FROM registry_bodies WHERE revision = %s

-- registry_revisions --
SELECT revision FROM registry_bodies ORDER BY seen

-- put_verdict --
INSERT INTO verdicts (verdict_id, position, verdict_json) VALUES (%s, %s, %s)
ON CONFLICT (tenant_id, verdict_id) DO UPDATE
SET position = excluded.position, verdict_json = excluded.verdict_json

-- newest_verdicts --
SELECT verdict_id, position, verdict_json FROM verdicts ORDER BY position DESC LIMIT %s

-- verdict --
SELECT position, verdict_json FROM verdicts WHERE verdict_id = %s

-- put_permit --
INSERT INTO permits (permit_id, position, verdict_id, expires_at_us, circumstances_json, redeemed_position)
VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, permit_id) DO UPDATE
SET position = excluded.position, verdict_id = excluded.verdict_id, expires_at_us = excluded.expires_at_us,
    circumstances_json = excluded.circumstances_json, redeemed_position = excluded.redeemed_position

-- permit --
SELECT position, verdict_id, expires_at_us, circumstances_json, redeemed_position FROM permits WHERE permit_id = %s

-- put_blob --
INSERT INTO blobs (name, content)
SELECT %s, %s WHERE NOT EXISTS (SELECT FROM state WHERE erased IS NOT NULL)
ON CONFLICT (tenant_id, name) DO UPDATE SET content = excluded.content WHERE blobs.content <> excluded.content

-- delete_blob --
DELETE FROM blobs WHERE name = %s

-- blob --
SELECT content FROM blobs WHERE name = %s

-- counts --
SELECT 'records', count(*) FROM records
UNION ALL SELECT 'records.' || status, count(*) FROM records GROUP BY status
UNION ALL SELECT 'claims.' || status, count(*) FROM claims GROUP BY status
UNION ALL SELECT 'verdicts', count(*) FROM verdicts
UNION ALL SELECT 'packets', count(*) FROM access_events WHERE type = 'packet.assembled'::bytea

-- forms_held --
-- JSON here holds no NUL, so the escape of one is taken out.
SELECT key, form, count(*) FROM (
    SELECT s.key, regexp_replace(convert_from(c.body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'form' AS form
    FROM claims AS c JOIN scopes AS s ON s.tenant_id = c.tenant_id AND s.scope_id = c.scope_id
    WHERE c.status = ANY(%s::text[])
) AS held
GROUP BY key, form

-- records_of_newest_run --
SELECT count(*) FROM records
WHERE status = 'admitted' AND run_id = (SELECT run_id FROM records ORDER BY position DESC LIMIT 1)

-- dump_records --
SELECT body, status, position, recorded_at_us, status_reason FROM records ORDER BY record_id

-- dump_record_columns --
SELECT r.record_id, r.scope_id, r.classification, r.run_id, r.source_key, a.name, a.type, a.value
FROM records AS r LEFT JOIN record_attributes AS a ON a.tenant_id = r.tenant_id AND a.record_id = r.record_id
ORDER BY r.record_id

-- dump_claims --
SELECT body FROM claims ORDER BY claim_id

-- dump_claim_columns --
SELECT c.claim_id, c.scope_id, c.position, c.classification, c.kind,
    upper(replace(c.subject_key::text, '-', '')),
    upper(replace(c.property_key::text, '-', '')), c.status, c.visibility, c.tier, c.valid_from_us, c.valid_to_us, e.record_id
FROM claims AS c LEFT JOIN claim_evidence AS e ON e.tenant_id = c.tenant_id AND e.claim_id = c.claim_id
ORDER BY c.claim_id

-- dump_claim_grounds --
SELECT claim_id, ground_claim_id FROM claim_grounds ORDER BY claim_id, ground_claim_id

-- dump_claim_changes --
SELECT position, claim_id, by_claim_id FROM claim_changes ORDER BY position

-- dump_item_names --
SELECT name, position, item_id FROM item_names ORDER BY name, position, item_id

-- dump_erasures --
SELECT body, is_open FROM erasures ORDER BY erasure_id

-- dump_erased_keys --
SELECT key, erasure_id FROM erased_keys ORDER BY key

-- dump_record_origins --
SELECT record_id, from_record_id FROM record_origins ORDER BY record_id, from_record_id

-- dump_conflicts --
SELECT body, position, claim_a, claim_b, detected_at_us, outcome, resolution, resolved_at_us
FROM conflicts ORDER BY conflict_id

-- dump_merges --
SELECT body, position, scope_id, classification, standing FROM merges ORDER BY merge_id

-- dump_search_rows --
SELECT position, item, item_id, scope_id, classification, record_type, unreviewed::integer, valid_from_us, valid_to_us,
    token_count
FROM search_rows ORDER BY position

-- dump_search_attributes --
SELECT position, name, type, value FROM search_attributes ORDER BY position

-- dump_search_tokens --
SELECT position, scope_id, token FROM search_tokens ORDER BY position, scope_id

-- dump_verdicts --
SELECT verdict_id, position, verdict_json FROM verdicts ORDER BY verdict_id

-- dump_permits --
SELECT permit_id, position, verdict_id, expires_at_us, circumstances_json, redeemed_position
FROM permits ORDER BY permit_id

-- dump_registry_bodies --
SELECT revision, body_json FROM registry_bodies ORDER BY seen

-- drop_end --
SELECT {key} FROM {table} WHERE {after} ORDER BY {key} OFFSET %s LIMIT 1

-- drop_rows --
DELETE FROM {table} WHERE {after} AND {upto}

-- clear_views --
DELETE FROM records;
DELETE FROM record_attributes;
DELETE FROM claims;
DELETE FROM claim_evidence;
DELETE FROM claim_grounds;
DELETE FROM claim_changes;
DELETE FROM record_origins;
DELETE FROM conflicts;
DELETE FROM merges;
DELETE FROM item_names;
DELETE FROM erasures;
DELETE FROM erased_keys;
DELETE FROM holds;
DELETE FROM search_rows;
DELETE FROM search_attributes;
DELETE FROM search_tokens;
DELETE FROM vectors;
DELETE FROM vector_models;
DELETE FROM modes;
DELETE FROM bridge_approvals;
DELETE FROM bridge_proposals;
DELETE FROM registry_bodies;
DELETE FROM verdicts;
DELETE FROM permits

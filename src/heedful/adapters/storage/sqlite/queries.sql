-- Statements on one tenant's database. {slots} take fragments of SQL from this adapter, never values.

-- load_state --
SELECT ledger_position, ledger_digest, access_position, access_digest, checkpoint, pending_count,
    vector_changes, tenant_id, erased IS NOT NULL
FROM state

-- claim_database --
UPDATE state SET tenant_id = ? WHERE tenant_id = ''

-- mark_erased --
UPDATE state SET erased = ?

-- erased_mark --
SELECT erased FROM state

-- save_state --
UPDATE state
SET ledger_position = ?, ledger_digest = ?, access_position = ?, access_digest = ?, checkpoint = ?,
    pending_count = ?, vector_changes = ?
WHERE id = 1

-- append_ledger --
INSERT INTO ledger_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- append_access --
INSERT INTO access_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- ledger_page --
SELECT * FROM ledger_events WHERE position >= ? ORDER BY position LIMIT ?

-- ledger_page_of --
SELECT * FROM ledger_events WHERE position >= ? AND type = ? {holding} ORDER BY position LIMIT ?

-- with_text --
AND instr(payload, CAST(? AS BLOB)) > 0

-- access_page --
SELECT * FROM access_events WHERE position >= ? ORDER BY position LIMIT ?

-- ledger_leaves --
SELECT digest FROM ledger_events WHERE position BETWEEN ? AND ? ORDER BY position

-- access_leaves --
SELECT digest FROM access_events WHERE position BETWEEN ? AND ? ORDER BY position

-- ledger_event_by_id --
SELECT * FROM ledger_events WHERE event_id = ?

-- access_event_by_id --
SELECT * FROM access_events WHERE event_id = ?

-- scope_ids --
SELECT key, scope_id FROM scopes WHERE key IN ({marks})

-- scope_keys --
SELECT scope_id, key FROM scopes ORDER BY key

-- scopes_holding --
SELECT s.key FROM scopes AS s
WHERE EXISTS (
    SELECT 1 FROM records AS r
    WHERE r.scope_id = s.scope_id AND r.status = ? AND r.classification <= ? {denied}
)
ORDER BY s.key

-- put_scope --
INSERT INTO scopes (key) VALUES (?) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING scope_id

-- insert_record --
INSERT INTO records (
    record_id, position, scope_id, classification, status, run_id, source_ref, recorded_at_us, status_reason, body
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- record_row_id --
SELECT row_id FROM records WHERE record_id = ?

-- source_owner --
SELECT record_id FROM records WHERE source_ref = ? AND scope_id = ? AND classification = ?

-- update_record --
UPDATE records
SET position = ?, scope_id = ?, classification = ?, status = ?, run_id = ?, source_ref = ?, recorded_at_us = ?,
    status_reason = ?, body = ?
WHERE row_id = ?

-- insert_record_attribute --
INSERT INTO record_attributes (row_id, name, type, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING

-- delete_record_attributes --
DELETE FROM record_attributes WHERE row_id = ?

-- record --
SELECT body, status, position, recorded_at_us, status_reason FROM records WHERE record_id = ?

-- records_by_ids --
SELECT record_id, body, status, position, recorded_at_us, status_reason FROM records WHERE record_id IN ({marks})

-- record_by_source --
SELECT body, status, position, recorded_at_us, status_reason
FROM records
WHERE source_ref = ? AND scope_id = (SELECT scope_id FROM scopes WHERE key = ?) AND classification = ?

-- records_in_scope --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM records AS r
WHERE r.scope_id = ? AND r.position < ? AND r.status = ? AND r.classification <= ? {run} {attributes} {denied}
ORDER BY r.position DESC LIMIT ?

-- in_run --
AND r.run_id = ?

-- record_not_denied --
AND NOT EXISTS (
    SELECT 1 FROM claim_evidence AS e CROSS JOIN claims AS d ON d.row_id = e.claim_row_id
    WHERE e.record_id = r.record_id AND ({kinds})
)

-- claim_not_denied --
AND NOT EXISTS (SELECT 1 FROM claims AS d WHERE d.row_id = c.row_id AND ({kinds}))
AND NOT EXISTS (
    SELECT 1 FROM claim_evidence AS own CROSS JOIN claim_evidence AS e ON e.record_id = own.record_id
        CROSS JOIN claims AS d ON d.row_id = e.claim_row_id
    WHERE own.claim_row_id = c.row_id AND ({kinds})
)

-- row_not_denied --
AND CASE s.item
    WHEN 'record' THEN NOT EXISTS (
        SELECT 1 FROM claim_evidence AS e CROSS JOIN claims AS d ON d.row_id = e.claim_row_id
        WHERE e.record_id = s.item_id AND ({kinds})
    )
    ELSE NOT EXISTS (SELECT 1 FROM claims AS d WHERE d.claim_id = s.item_id AND ({kinds})) AND NOT EXISTS (
        SELECT 1 FROM claims AS c CROSS JOIN claim_evidence AS own ON own.claim_row_id = c.row_id
            CROSS JOIN claim_evidence AS e ON e.record_id = own.record_id
            CROSS JOIN claims AS d ON d.row_id = e.claim_row_id
        WHERE c.claim_id = s.item_id AND ({kinds})
    )
END

-- of_denied_kind --
d.kind = ? OR d.kind >= ? AND d.kind < ?

-- has_attribute --
AND EXISTS (SELECT 1 FROM {table} AS a WHERE a.row_id = {row} AND a.name = ? AND ({values}))

-- of_type --
a.type = ? AND a.value IN ({marks})

-- insert_claim --
INSERT INTO claims (
    claim_id, position, scope_id, classification, kind, subject_key, property, status, visibility, tier,
    valid_from_us, valid_to_us, body
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- claim_row_id --
SELECT row_id FROM claims WHERE claim_id = ?

-- update_claim --
UPDATE claims
SET position = ?, scope_id = ?, classification = ?, kind = ?, subject_key = ?, property = ?, status = ?,
    visibility = ?, tier = ?, valid_from_us = ?, valid_to_us = ?, body = ?
WHERE row_id = ?

-- insert_evidence --
INSERT INTO claim_evidence (record_id, claim_row_id) VALUES (?, ?) ON CONFLICT DO NOTHING

-- delete_evidence --
DELETE FROM claim_evidence WHERE claim_row_id = ?

-- claim --
SELECT body FROM claims WHERE claim_id = ?

-- claims_by_ids --
SELECT claim_id, body FROM claims WHERE claim_id IN ({marks})

-- claims --
SELECT c.body FROM claims AS c
WHERE c.scope_id IN ({scopes}) AND c.classification <= ? AND c.status IN ({statuses}) AND c.tier >= ?
    {kinds} {visibility} {valid} {over} {denied}
ORDER BY {order} LIMIT ?

-- oldest_first --
c.position, c.claim_id

-- newest_first --
c.position DESC, c.claim_id DESC

-- not_over --
AND (c.valid_to_us IS NULL OR c.valid_to_us > ? OR c.kind NOT IN ({marks}))

-- of_kind --
c.kind = ? OR c.kind >= ? AND c.kind < ?

-- of_visibility --
AND c.visibility = ?

-- valid_at --
AND (c.valid_from_us IS NULL OR c.valid_from_us <= ?) AND (c.valid_to_us IS NULL OR c.valid_to_us > ?)

-- claims_about --
SELECT c.body FROM claims AS c
WHERE c.subject_key = ? AND c.scope_id IN ({scopes}) AND c.classification <= ? {before} {denied}
ORDER BY c.position DESC, c.claim_id DESC LIMIT ?

-- claim_before --
AND c.position < ?

-- claims_on --
SELECT c.body FROM claim_evidence AS e JOIN claims AS c ON c.row_id = e.claim_row_id
WHERE e.record_id = ? ORDER BY c.position, c.claim_id

-- kinds_on --
SELECT DISTINCT e.record_id, c.kind FROM claim_evidence AS e CROSS JOIN claims AS c ON c.row_id = e.claim_row_id
WHERE e.record_id IN ({marks})

-- claims_on_any --
SELECT c.body FROM claims AS c
WHERE c.row_id IN (SELECT e.claim_row_id FROM claim_evidence AS e WHERE e.record_id IN ({marks}))

-- claims_alike --
SELECT c.body FROM claims AS c
WHERE c.subject_key = ? AND c.property = ? AND c.scope_id = (SELECT scope_id FROM scopes WHERE key = ?)
    AND c.classification = ? AND c.status IN ({statuses})
ORDER BY c.position DESC, c.claim_id DESC LIMIT ?

-- claims_resting_on --
SELECT c.body FROM claim_grounds AS g JOIN claims AS c ON c.row_id = g.claim_row_id
WHERE g.ground_claim_id = ? ORDER BY c.position, c.claim_id

-- claims_resting_on_any --
SELECT c.body FROM claims AS c
WHERE c.row_id IN (SELECT g.claim_row_id FROM claim_grounds AS g WHERE g.ground_claim_id IN ({marks}))
ORDER BY c.position, c.claim_id

-- claims_beside --
SELECT c.body FROM claims AS c
WHERE c.row_id IN (
    SELECT d.row_id FROM claims AS a JOIN claims AS d
        ON d.subject_key = a.subject_key AND d.property = a.property AND d.scope_id = a.scope_id
            AND d.classification = a.classification
    WHERE a.claim_id IN ({marks}))
    AND c.scope_id IN ({scopes}) AND c.classification <= ? {denied}
ORDER BY c.position DESC, c.claim_id DESC LIMIT ?

-- insert_grounds --
INSERT INTO claim_grounds (ground_claim_id, claim_row_id) VALUES (?, ?) ON CONFLICT DO NOTHING

-- insert_origins --
INSERT INTO record_origins (from_record_id, record_row_id) VALUES (?, ?) ON CONFLICT DO NOTHING

-- records_from --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM record_origins AS o JOIN records AS r ON r.row_id = o.record_row_id
WHERE o.from_record_id = ? ORDER BY r.position, r.record_id

-- records_from_any --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason FROM records AS r
WHERE r.row_id IN (SELECT o.record_row_id FROM record_origins AS o WHERE o.from_record_id IN ({marks}))

-- records_in --
SELECT body, status, position, recorded_at_us, status_reason FROM records
WHERE scope_id = ? AND position > ? ORDER BY position LIMIT ?

-- claims_in --
SELECT body FROM claims WHERE scope_id = ? AND position > ? ORDER BY position LIMIT ?

-- claims_of_subject --
SELECT body FROM claims WHERE subject_key = ? AND position > ? ORDER BY position LIMIT ?

-- items_named --
SELECT position, item_id FROM item_names WHERE name = ? AND position > ? ORDER BY position, item_id LIMIT ?

-- records_due --
SELECT r.body, r.status, r.position, r.recorded_at_us, r.status_reason
FROM item_names AS n CROSS JOIN records AS r ON r.record_id = n.item_id
WHERE n.name > 'until:' AND n.name <= ? AND r.status <> 'held'
ORDER BY n.name, n.position, n.item_id LIMIT ?

-- insert_item_name --
INSERT INTO item_names (name, position, item_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- delete_item_name --
DELETE FROM item_names WHERE name = ? AND position = ? AND item_id = ?

-- erasure --
SELECT body FROM erasures WHERE erasure_id = ?

-- erasures --
SELECT body FROM erasures ORDER BY position LIMIT ?

-- erasures_open --
SELECT body FROM erasures WHERE is_open = 1 ORDER BY position LIMIT ?

-- put_erasure --
INSERT INTO erasures (erasure_id, position, is_open, body) VALUES (?, ?, ?, ?)
ON CONFLICT (erasure_id) DO UPDATE SET is_open = excluded.is_open, body = excluded.body

-- merge_search_terms --
INSERT INTO search_terms (search_terms) VALUES ('optimize')

-- counts_kept --
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name LIKE 'sqlite_stat_')

-- any_erased --
SELECT EXISTS (SELECT 1 FROM erased_keys)

-- erased_among --
SELECT key, erasure_id FROM erased_keys WHERE key IN ({marks})

-- put_erased --
INSERT INTO erased_keys (key, erasure_id) VALUES (?, ?) ON CONFLICT DO NOTHING

-- delete_erased --
DELETE FROM erased_keys WHERE key = ?

-- holds --
SELECT body FROM holds ORDER BY position

-- put_hold --
INSERT INTO holds (hold_id, position, body) VALUES (?, ?, ?)
ON CONFLICT (hold_id) DO UPDATE SET position = excluded.position, body = excluded.body

-- delete_hold --
DELETE FROM holds WHERE hold_id = ?

-- record_places --
SELECT record_id, row_id, position, recorded_at_us, body FROM records WHERE record_id IN ({marks})

-- claim_places --
SELECT claim_id, row_id, position, body FROM claims WHERE claim_id IN ({marks})

-- delete_record --
DELETE FROM records WHERE row_id = ?

-- delete_origins --
DELETE FROM record_origins WHERE record_row_id = ?

-- delete_claim --
DELETE FROM claims WHERE row_id = ?

-- delete_grounds --
DELETE FROM claim_grounds WHERE claim_row_id = ?

-- delete_changes --
DELETE FROM claim_changes WHERE claim_id = ?

-- delete_conflict --
DELETE FROM conflicts WHERE conflict_id = ?

-- delete_proposal --
DELETE FROM bridge_proposals WHERE proposal_id = ?

-- delete_merge --
DELETE FROM merges WHERE merge_id = ?

-- delete_verdict --
DELETE FROM verdicts WHERE verdict_id = ?

-- delete_permits --
DELETE FROM permits WHERE verdict_id = ?

-- erase_ledger --
UPDATE ledger_events SET payload = NULL, salt = NULL WHERE position = ?

-- erase_access --
UPDATE access_events SET payload = NULL, salt = NULL WHERE position = ?

-- put_conflict --
INSERT INTO conflicts (
    position, conflict_id, claim_a, claim_b, detected_at_us, outcome, resolution, resolved_at_us, body
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (conflict_id) DO UPDATE
SET position = excluded.position, claim_a = excluded.claim_a, claim_b = excluded.claim_b,
    detected_at_us = excluded.detected_at_us, outcome = excluded.outcome, resolution = excluded.resolution,
    resolved_at_us = excluded.resolved_at_us, body = excluded.body

-- conflict --
SELECT body FROM conflicts WHERE conflict_id = ?

-- conflicts --
SELECT body FROM conflicts WHERE position < ? {open} ORDER BY position DESC LIMIT ?

-- conflicts_of --
SELECT c.body FROM (
    SELECT position FROM conflicts WHERE claim_a IN ({marks})
    UNION SELECT position FROM conflicts WHERE claim_b IN ({marks})
) AS p CROSS JOIN conflicts AS c ON c.position = p.position
WHERE true {open}
ORDER BY c.position

-- of_open --
AND resolution IS NULL

-- put_merge --
INSERT INTO merges (position, merge_id, scope_id, classification, standing, body) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (merge_id) DO UPDATE
SET position = excluded.position, scope_id = excluded.scope_id, classification = excluded.classification,
    standing = excluded.standing, body = excluded.body

-- merge --
SELECT body FROM merges WHERE merge_id = ?

-- merges --
SELECT body FROM merges WHERE scope_id IN ({scopes}) AND classification <= ? {joined} ORDER BY position DESC LIMIT ?

-- of_joined --
AND standing = 'joined'

-- claims_proposed --
SELECT e.* FROM claims AS h CROSS JOIN ledger_events AS e ON e.position = h.position
WHERE h.claim_id IN ({marks}) ORDER BY h.position

-- put_claim_change --
INSERT INTO claim_changes (position, claim_id, by_claim_id) VALUES (?, ?, ?)
ON CONFLICT (position) DO UPDATE SET claim_id = excluded.claim_id, by_claim_id = excluded.by_claim_id

-- claim_changes --
SELECT e.* FROM claim_changes AS h CROSS JOIN ledger_events AS e ON e.position = h.position
WHERE h.claim_id IN ({marks}) ORDER BY h.position

-- changes_by --
SELECT e.* FROM claim_changes AS h CROSS JOIN ledger_events AS e ON e.position = h.position
WHERE h.by_claim_id IN ({marks}) ORDER BY h.position

-- put_job --
INSERT INTO jobs (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body

-- job --
SELECT body FROM jobs WHERE name = ?

-- jobs --
SELECT body FROM jobs ORDER BY name

-- claims_after --
SELECT body FROM claims WHERE claim_id > ? AND status IN ({statuses}) ORDER BY claim_id LIMIT ?

-- claim_sources --
SELECT s.claim_id, s.wrote_at_us, s.source_type, s.source_id, s.tier_at_write, s.record_id
FROM json_each(?) AS j CROSS JOIN claim_sources AS s ON s.claim_id = j.value

-- claims_due --
SELECT body FROM claims WHERE valid_to_us <= ? AND status = 'active' ORDER BY position, claim_id LIMIT ?

-- insert_search_row --
INSERT INTO search_rows (
    position, scope_id, classification, item, item_id, record_type, unreviewed, valid_from_us, valid_to_us, token_count
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- delete_search_row --
DELETE FROM search_rows WHERE position = ? RETURNING scope_id, classification

-- insert_search_attribute --
INSERT INTO search_attributes (row_id, name, type, value) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING

-- delete_search_attributes --
DELETE FROM search_attributes WHERE row_id = ?

-- insert_pending --
INSERT INTO search_pending (position, scope_id, tokens) VALUES (?, ?, ?)

-- delete_pending --
DELETE FROM search_pending WHERE position = ?

-- all_pending --
SELECT position, scope_id, tokens FROM search_pending ORDER BY position

-- pending_rows --
SELECT count(*) FROM search_pending

-- clear_pending --
DELETE FROM search_pending

-- insert_terms --
INSERT INTO search_terms (rowid, tokens) VALUES (?, ?)

-- delete_terms --
DELETE FROM search_terms WHERE rowid = ?

-- visible_count --
SELECT count(*) FROM search_rows AS s WHERE s.scope_id IN ({scopes}) AND s.classification <= ? {filters}

-- visible_position --
SELECT count(*) FROM search_rows AS s
WHERE s.scope_id IN (SELECT value FROM json_each(?)) AND s.classification <= ? {denied}

-- positions_with_terms --
SELECT j.key, s.position
FROM json_each(?) AS j CROSS JOIN search_terms AS f CROSS JOIN search_rows AS s ON s.position = f.rowid
WHERE f.search_terms MATCH j.value AND s.scope_id IN ({scopes}) AND s.classification <= ? {filters}

-- search_rows_at --
SELECT s.position, s.item, s.item_id, s.token_count
FROM json_each(?) AS j CROSS JOIN search_rows AS s ON s.position = j.value

-- pending_in_scopes --
SELECT s.position, p.tokens
FROM search_pending AS p CROSS JOIN search_rows AS s ON s.position = p.position
WHERE p.scope_id IN ({scopes}) AND s.classification <= ? {filters}

-- filter_item --
AND s.item = ?

-- filter_record_types --
AND s.record_type IN ({marks})

-- filter_reviewed --
AND s.unreviewed = 0

-- filter_valid --
AND (s.valid_from_us IS NULL OR s.valid_from_us <= ?) AND (s.valid_to_us IS NULL OR s.valid_to_us > ?)

-- vector_models --
SELECT model, is_active FROM vector_models ORDER BY model

-- vector_model_id --
SELECT model_id FROM vector_models WHERE model = ?

-- put_vector_model --
INSERT INTO vector_models (model, is_active) VALUES (?, 0) RETURNING model_id

-- set_vector_model --
UPDATE vector_models SET is_active = model_id IS ?

-- delete_vector_model --
DELETE FROM vector_models WHERE model_id = ?

-- put_vector --
INSERT INTO vectors
SELECT ?1, s.scope_id, s.classification, s.position, ?3 FROM search_rows AS s WHERE s.position = ?2
ON CONFLICT DO UPDATE SET components = excluded.components
RETURNING model_id, scope_id, classification

-- delete_vector --
DELETE FROM vectors
WHERE model_id IN (SELECT model_id FROM vector_models) AND scope_id = ? AND classification = ? AND position = ?
RETURNING model_id, scope_id, classification

-- drop_vectors --
DELETE FROM vectors
WHERE model_id = ?1 AND (scope_id, classification, position) IN (
    SELECT v.scope_id, v.classification, v.position FROM vectors AS v WHERE v.model_id = ?1
    ORDER BY v.scope_id, v.classification, v.position LIMIT ?2
)
RETURNING model_id, scope_id, classification

-- has_vectors --
SELECT EXISTS (SELECT 1 FROM vectors WHERE model_id = ?)

-- put_vector_group --
INSERT INTO vector_groups VALUES (?, ?, ?, ?)
ON CONFLICT (model_id, scope_id, classification) DO UPDATE SET changed = excluded.changed

-- delete_vector_groups --
DELETE FROM vector_groups WHERE model_id = ?

-- without_vector --
SELECT s.position, s.item, s.item_id, c.key, s.classification, s.record_type, s.unreviewed, s.valid_from_us,
    s.valid_to_us
FROM search_rows AS s CROSS JOIN scopes AS c ON c.scope_id = s.scope_id
WHERE s.position > ?1 AND NOT EXISTS (
    SELECT 1 FROM vectors AS v
    WHERE v.model_id = ?2 AND v.scope_id = s.scope_id AND v.classification = s.classification
        AND v.position = s.position
)
ORDER BY s.position LIMIT ?3

-- vector_groups --
SELECT g.scope_id, g.classification, g.changed
FROM vector_groups AS g
WHERE g.model_id = ? AND g.scope_id IN (SELECT value FROM json_each(?)) AND g.classification <= ?

-- vectors_in_group --
SELECT position, components FROM vectors
WHERE model_id = ? AND scope_id = ? AND classification = ? AND length(components) = ?
ORDER BY position

-- filtered_rows_at --
SELECT s.position, s.item, s.item_id, s.token_count
FROM json_each(?) AS j CROSS JOIN search_rows AS s ON s.position = j.value
WHERE s.scope_id IN ({scopes}) AND s.classification <= ? {filters}

-- filtered_rows --
SELECT s.position, s.item, s.item_id, s.token_count FROM search_rows AS s
WHERE s.scope_id IN ({scopes}) AND s.classification <= ? {filters}
LIMIT ?

-- filtered_positions --
SELECT group_concat(s.position) FROM search_rows AS s
WHERE s.scope_id IN ({scopes}) AND s.classification <= ? {filters}

-- put_mode --
INSERT INTO modes (target_type, target_id, mode) VALUES (?, ?, ?)
ON CONFLICT (target_type, target_id) DO UPDATE SET mode = excluded.mode

-- delete_mode --
DELETE FROM modes WHERE target_type = ? AND target_id = ?

-- modes --
SELECT target_type, target_id, mode FROM modes ORDER BY target_type, target_id

-- put_bridge_approval --
INSERT INTO bridge_approvals (bridge_digest, actor) VALUES (?, ?) ON CONFLICT DO NOTHING

-- bridge_approvals --
SELECT bridge_digest, actor FROM bridge_approvals ORDER BY bridge_digest, actor

-- put_bridge_proposal --
INSERT INTO bridge_proposals (proposal_id, position, status, proposal_json) VALUES (?, ?, ?, ?)
ON CONFLICT (proposal_id) DO UPDATE
SET position = excluded.position, status = excluded.status, proposal_json = excluded.proposal_json

-- bridge_proposal --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals WHERE proposal_id = ?

-- bridge_proposals --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals WHERE status = ? AND instr(proposal_json, ?) > 0
ORDER BY position{down} LIMIT ?

-- dump_bridge_proposals --
SELECT proposal_id, position, status, proposal_json FROM bridge_proposals ORDER BY proposal_id

-- put_registry_body --
INSERT INTO registry_bodies (revision, body_json) VALUES (?, ?) ON CONFLICT DO NOTHING

-- registry_body --
SELECT body_json FROM registry_bodies WHERE revision = ?

-- registry_revisions --
SELECT revision FROM registry_bodies ORDER BY row_id

-- put_verdict --
INSERT INTO verdicts (verdict_id, position, verdict_json) VALUES (?, ?, ?)
ON CONFLICT (verdict_id) DO UPDATE SET position = excluded.position, verdict_json = excluded.verdict_json

-- newest_verdicts --
SELECT verdict_id, position, verdict_json FROM verdicts ORDER BY position DESC LIMIT ?

-- verdict --
SELECT position, verdict_json FROM verdicts WHERE verdict_id = ?

-- put_permit --
INSERT INTO permits (permit_id, position, verdict_id, expires_at_us, circumstances_json, redeemed_position)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (permit_id) DO UPDATE
SET position = excluded.position, verdict_id = excluded.verdict_id, expires_at_us = excluded.expires_at_us,
    circumstances_json = excluded.circumstances_json, redeemed_position = excluded.redeemed_position

-- permit --
SELECT position, verdict_id, expires_at_us, circumstances_json, redeemed_position FROM permits WHERE permit_id = ?

-- counts --
SELECT 'records', count(*) FROM records
UNION ALL SELECT 'records.' || status, count(*) FROM records GROUP BY status
UNION ALL SELECT 'claims.' || status, count(*) FROM claims GROUP BY status
UNION ALL SELECT 'verdicts', count(*) FROM verdicts
UNION ALL SELECT 'packets', count(*) FROM access_events WHERE type = 'packet.assembled'

-- forms_held --
SELECT s.key, json_extract(CAST(c.body AS TEXT), '$.form') AS form, count(*)
FROM claims AS c JOIN scopes AS s ON s.scope_id = c.scope_id
WHERE c.status IN ({statuses})
GROUP BY s.key, form

-- records_of_newest_run --
SELECT count(*) FROM records
WHERE status = 'admitted' AND run_id = (SELECT run_id FROM records ORDER BY position DESC LIMIT 1)

-- dump_records --
SELECT body, status, position, recorded_at_us, status_reason FROM records ORDER BY record_id

-- dump_record_columns --
SELECT r.record_id, r.scope_id, r.classification, r.run_id, r.source_ref, a.name, a.type, a.value
FROM records AS r LEFT JOIN record_attributes AS a ON a.row_id = r.row_id
ORDER BY r.record_id, a.name, a.type, a.value

-- dump_claims --
SELECT body FROM claims ORDER BY claim_id

-- dump_claim_columns --
SELECT c.claim_id, c.scope_id, c.position, c.classification, c.kind, hex(c.subject_key), c.property, c.status,
    c.visibility, c.tier, c.valid_from_us, c.valid_to_us, e.record_id
FROM claims AS c LEFT JOIN claim_evidence AS e ON e.claim_row_id = c.row_id
ORDER BY c.claim_id, e.record_id

-- dump_claim_grounds --
SELECT c.claim_id, g.ground_claim_id
FROM claim_grounds AS g JOIN claims AS c ON c.row_id = g.claim_row_id
ORDER BY c.claim_id, g.ground_claim_id

-- dump_claim_changes --
SELECT position, claim_id, by_claim_id FROM claim_changes ORDER BY position

-- dump_item_names --
SELECT name, position, item_id FROM item_names ORDER BY name, position, item_id

-- dump_erasures --
SELECT body, is_open FROM erasures ORDER BY erasure_id

-- dump_erased_keys --
SELECT key, erasure_id FROM erased_keys ORDER BY key

-- dump_record_origins --
SELECT r.record_id, o.from_record_id
FROM record_origins AS o JOIN records AS r ON r.row_id = o.record_row_id
ORDER BY r.record_id, o.from_record_id

-- dump_conflicts --
SELECT body, position, claim_a, claim_b, detected_at_us, outcome, resolution, resolved_at_us
FROM conflicts ORDER BY conflict_id

-- dump_merges --
SELECT body, position, scope_id, classification, standing FROM merges ORDER BY merge_id

-- dump_search_rows --
SELECT s.position, s.item, s.item_id, s.scope_id, s.classification, s.record_type, s.unreviewed, s.valid_from_us,
    s.valid_to_us, s.token_count
FROM search_rows AS s ORDER BY s.position

-- dump_search_attributes --
SELECT row_id, name, type, value FROM search_attributes ORDER BY row_id, name, type, value

-- dump_search_terms --
SELECT doc, term FROM search_vocabulary ORDER BY doc, term

-- dump_verdicts --
SELECT verdict_id, position, verdict_json FROM verdicts ORDER BY verdict_id

-- dump_permits --
SELECT permit_id, position, verdict_id, expires_at_us, circumstances_json, redeemed_position
FROM permits ORDER BY permit_id

-- dump_registry_bodies --
SELECT revision, body_json FROM registry_bodies ORDER BY row_id

-- drop_rows --
DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {condition} ORDER BY {key} LIMIT ?)

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
DELETE FROM search_pending;
DELETE FROM vectors;
DELETE FROM vector_groups;
DELETE FROM vector_models;
INSERT INTO search_terms (search_terms) VALUES ('delete-all');
DELETE FROM modes;
DELETE FROM bridge_approvals;
DELETE FROM bridge_proposals;
DELETE FROM registry_bodies;
DELETE FROM verdicts;
DELETE FROM permits

-- Statements on what the store knows of all its tenants.

-- insert_tenant --
INSERT INTO tenants (public_id, name, created_at_us) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING RETURNING tenant_id

-- insert_state --
INSERT INTO state (tenant_id, ledger_position, ledger_digest, access_position, access_digest, checkpoint)
VALUES (%s, 0, %s, 0, %s, 0)

-- rename_tenant --
UPDATE tenants SET name = %s WHERE tenant_id = %s

-- tenants --
SELECT tenant_id, public_id, name, created_at_us FROM tenants AS t
WHERE NOT EXISTS (SELECT FROM tombstones AS s WHERE s.public_id = t.public_id) ORDER BY name

-- tenant --
SELECT tenant_id, public_id, name, created_at_us FROM tenants WHERE public_id = %s

-- is_buried --
SELECT 1 FROM tombstones WHERE public_id = %s

-- put_tombstone --
INSERT INTO tombstones (public_id, name_salt, name_digest, body, is_done) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (public_id) DO UPDATE SET body = excluded.body, is_done = excluded.is_done
WHERE excluded.is_done OR NOT tombstones.is_done

-- tombstones --
SELECT public_id, name_salt, name_digest, body, is_done FROM tombstones ORDER BY public_id

-- store_id --
SELECT store_id FROM store WHERE id = 1

-- own_store --
INSERT INTO store (id, store_id) VALUES (1, %s) ON CONFLICT DO NOTHING

-- applied --
SELECT number, checksum FROM migrations

-- put_migration --
INSERT INTO migrations (number, slug, checksum) VALUES (%s, %s, %s)

-- Statements on control.db.

-- insert_tenant --
INSERT INTO tenants (tenant_id, name, created_at_us) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- tenants --
SELECT tenant_id, name, created_at_us FROM tenants ORDER BY name

-- tenant --
SELECT tenant_id, name, created_at_us FROM tenants WHERE tenant_id = ?

-- rename_tenant --
UPDATE OR IGNORE tenants SET name = ?2 WHERE tenant_id = ?1

-- delete_tenant --
DELETE FROM tenants WHERE tenant_id = ?

-- put_tombstone --
INSERT INTO tombstones (tenant_id, name_salt, name_digest, body, is_done) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant_id) DO UPDATE SET body = excluded.body, is_done = excluded.is_done
WHERE excluded.is_done >= tombstones.is_done

-- tombstones --
SELECT tenant_id, name_salt, name_digest, body, is_done FROM tombstones ORDER BY tenant_id

-- is_buried --
SELECT 1 FROM tombstones WHERE tenant_id = ?

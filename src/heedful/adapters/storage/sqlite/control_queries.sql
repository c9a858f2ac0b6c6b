-- Statements on control.db.

-- insert_tenant --
INSERT INTO tenants (tenant_id, name, created_at_us) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- tenants --
SELECT tenant_id, name, created_at_us FROM tenants ORDER BY name

-- tenant --
SELECT tenant_id, name, created_at_us FROM tenants WHERE tenant_id = ?

-- rename_tenant --
UPDATE OR IGNORE tenants SET name = ?2 WHERE tenant_id = ?1

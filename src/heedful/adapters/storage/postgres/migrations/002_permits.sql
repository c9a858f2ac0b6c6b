-- Permits, and whether each was used; kept from other tenants as every table is.

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

ALTER TABLE heedful.permits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY of_the_tenant ON heedful.permits TO heedful_app
USING (tenant_id = NULLIF(current_setting('heedful.tenant_id', true), '')::bigint)
WITH CHECK (tenant_id = NULLIF(current_setting('heedful.tenant_id', true), '')::bigint);

ALTER TABLE heedful.permits
ALTER COLUMN tenant_id SET DEFAULT NULLIF(current_setting('heedful.tenant_id', true), '')::bigint;

GRANT SELECT, INSERT, UPDATE, DELETE ON heedful.permits TO heedful_app;

-- What is believed: claims know their property, what they rest on and how they fared in conflicts; jobs.

-- Whoever migrates owns the tables, and sees the rows of every tenant for the length of this transaction alone.
ALTER TABLE heedful.claims NO FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.records NO FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.claims ADD COLUMN property_key uuid;

-- The fields that claims have more, behind those that were there, as the encoder writes them. JSON here holds no NUL,
-- so where it is read the escape of one is taken out.
UPDATE heedful.claims
SET property_key = encode(
        substring(sha256(convert_to(regexp_replace(convert_from(body, 'UTF8'), '(\\\\)|\\u0000', '\1', 'g')::json ->> 'property', 'UTF8')) FROM 1 FOR 16), 'hex'
    )::uuid,
    body = substring(body FROM 1 FOR length(body) - 1)
        || convert_to(',"tier_at_write":' || tier || ',"conflicts_lost":0,"conflicts_open":0,"pinned":false,"confirmed_by":[],"rests_on":[]}', 'UTF8');

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

ALTER TABLE heedful.claims FORCE ROW LEVEL SECURITY;

ALTER TABLE heedful.records FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
    own text;
BEGIN
    FOREACH own IN ARRAY ARRAY['conflicts', 'record_origins', 'claim_grounds', 'jobs'] LOOP
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

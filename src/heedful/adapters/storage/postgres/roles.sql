-- The roles that Heedful works as. They belong to the whole cluster, so a superuser (or one who may create roles) runs
-- this once, and then: GRANT heedful_app, heedful_control TO <the role that Heedful connects as>.
-- Neither logs in, owns anything or passes by row-level security. Running it again, or twice at once, changes nothing.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['heedful_app', 'heedful_control'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format(
                    'CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION', wanted
                );
            EXCEPTION
                -- Another session was quicker.
                WHEN duplicate_object OR unique_violation THEN NULL;
            END;
        END IF;
    END LOOP;
END
$$

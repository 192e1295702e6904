-- Extensions, the roles of the services, and privileges that all of them have.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

-- One role per service, so that the database enforces the privileges of each. A login role is a member of all of them,
-- and every connection takes the role of its service. Calls with a key for one agent or subject take a separate role,
-- to which the policies named `scope` apply; other calls are not slowed by these policies. That role has the service's
-- privileges (privileges.sql), but is not a member of the service's role, whose policies show the whole namespace.
-- Roles belong to the cluster: another database may have created them already.
DO $$
DECLARE
    created text;
BEGIN
    FOREACH created IN ARRAY ARRAY['everword_ingest', 'everword_search', 'everword_compactor', 'everword_embedder',
                                   'everword_scoped', 'everword_ingest_scoped', 'everword_search_scoped'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', created);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
    FOREACH created IN ARRAY ARRAY['everword_ingest', 'everword_search'] LOOP
        BEGIN
            EXECUTE format('GRANT everword_scoped TO %I', created || '_scoped');
        EXCEPTION WHEN unique_violation THEN
            NULL;
        END;
        IF pg_has_role(created || '_scoped', created, 'MEMBER') THEN
            RAISE EXCEPTION 'role %_scoped is a member of role %: calls with scoped keys would see whole namespaces', created, created
                  USING HINT = format('REVOKE %I FROM %I', created, created || '_scoped');
        END IF;
    END LOOP;
END $$;

-- The search path of scoped calls begins with everword_scoped.
CREATE SCHEMA everword_scoped;
GRANT USAGE ON SCHEMA everword TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT USAGE ON SCHEMA everword_scoped TO everword_scoped;
GRANT SELECT ON schema_migrations TO everword_ingest, everword_search, everword_compactor, everword_embedder;

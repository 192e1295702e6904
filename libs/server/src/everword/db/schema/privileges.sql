-- No role may call a function without a grant.

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA everword FROM PUBLIC;

-- Scoped roles get the privileges of their service, and none of its policies.
CREATE FUNCTION copy_privileges(source text, target text) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    granted text;
BEGIN
    FOR granted IN
        SELECT format('%s ON %I', a.privilege_type, c.relname)
          FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
         WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind <> 'S' AND a.grantee = source::regrole
         UNION ALL
        SELECT format('%s ON SEQUENCE %I', a.privilege_type, c.relname)
          FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS a
         WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind = 'S' AND a.grantee = source::regrole
         UNION ALL
        SELECT format('%s (%I) ON %I', a.privilege_type, t.attname, c.relname)
          FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid CROSS JOIN LATERAL aclexplode(t.attacl) AS a
         WHERE c.relnamespace = 'everword'::regnamespace AND a.grantee = source::regrole
         UNION ALL
        SELECT format('%s ON FUNCTION %s', a.privilege_type, p.oid::regprocedure)
          FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) AS a
         WHERE p.pronamespace = 'everword'::regnamespace AND a.grantee = source::regrole
         UNION ALL
        SELECT format('%s ON SCHEMA %I', a.privilege_type, n.nspname)
          FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
         WHERE n.nspname = 'everword' AND a.grantee = source::regrole LOOP
        EXECUTE format('GRANT %s TO %I', granted, target);
    END LOOP;
END $$;
COMMENT ON FUNCTION copy_privileges IS 'Grant a role the privileges of another role in the schema. Migrations call it after their own grants.';
REVOKE ALL ON FUNCTION copy_privileges FROM PUBLIC;
SELECT copy_privileges('everword_ingest', 'everword_ingest_scoped'), copy_privileges('everword_search', 'everword_search_scoped');

-- Checks of the whole database. The header of a check has its name, its scope (`over`), the invariant (`holds`) and the
-- remedy (`do`); its statement returns violating rows as `id` and `detail`. A check over a table runs on ranges of its
-- key, from `after` (exclusive) to `last`. :vectors is the table of a model generation's vectors, and :generation its
-- number.

-- schema_version --
-- over: database
-- holds: This release supports the schema's version. Post migrations may be missing.
-- do: Run `everword migrate` with this release, or `everword verify` with the release that the database belongs to.
SELECT 'schema_migrations' AS id,
       format('version %%s, but this release supports %%s to %%s', max(number), %(required)s::integer, %(latest)s::integer) AS detail
  FROM schema_migrations HAVING coalesce(max(number), 0) NOT BETWEEN %(required)s::integer AND %(latest)s::integer;

-- append_only --
-- over: database
-- holds: No service may change or delete messages, or bypass row level security.
-- do: REVOKE the privilege, or ALTER ROLE … NOSUPERUSER NOBYPASSRLS, and find out who granted it.
SELECT r.rolname AS id, right_ || ' on messages' AS detail
  FROM pg_roles r CROSS JOIN (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS rights (right_)
 WHERE r.rolname = ANY(%(roles)s) AND has_table_privilege(r.oid, 'messages', right_)
 UNION ALL
SELECT rolname, 'is a superuser, or bypasses row-level security' FROM pg_roles
 WHERE rolname = ANY(%(roles)s) AND (rolsuper OR rolbypassrls);

-- isolation --
-- over: database
-- holds: Row level security limits services to one namespace on every table that they may read directly. Scoped roles
--        are not members of services' roles.
-- do: ALTER TABLE … ENABLE ROW LEVEL SECURITY, or REVOKE the privilege or membership; compare with schema.sql.
SELECT c.relname AS id, 'no row-level security' AS detail
  FROM pg_class c
  JOIN transfer_rules t ON t.relation = c.relname
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND t.record IS NOT NULL AND NOT c.relrowsecurity
   AND c.relname NOT IN ('jobs', 'corpus_counts', 'tool_sentence_queue', 'memories')
   AND EXISTS (SELECT FROM pg_roles r WHERE r.rolname = ANY(%(roles)s) AND has_table_privilege(r.oid, c.oid, 'SELECT'))
 UNION ALL
SELECT r.rolname, 'is a member of ' || s.rolname
  FROM pg_roles s JOIN pg_roles r ON r.rolname = s.rolname || '_scoped'
 WHERE s.rolname = ANY(%(roles)s) AND pg_has_role(r.oid, s.oid, 'MEMBER');

-- indexes --
-- over: database
-- holds: Every index is valid, unless it is being built.
-- do: Indexes of migrations: `everword migrate`. Indexes of a model generation that is being built: `everword models
--     switch`. Others: REINDEX INDEX CONCURRENTLY with the index's name.
SELECT i.indexrelid::regclass::text AS id, 'invalid' AS detail
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE c.relnamespace = 'everword'::regnamespace AND NOT i.indisvalid
   AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid);

-- numbers --
-- over: database
-- holds: The sequence of memory ids is past the highest id.
-- do: Before any write, SELECT setval('everword.memory_ids', …) with more than the highest id.
SELECT 'memory_ids' AS id, format('at %%s, but passage %%s exists', s.last_value, m.highest) AS detail
  FROM memory_ids s CROSS JOIN (SELECT max(id) AS highest FROM memories) AS m
 WHERE s.last_value < m.highest;

-- tenants --
-- over: database
-- holds: Every namespace has a row of `tenants`, without which its jobs do not start and inserts from arrays store nothing.
-- do: INSERT INTO everword.tenants with the namespace's id.
SELECT n.name AS id, 'no row of tenants' AS detail
  FROM namespaces n
 WHERE n.state <> 'deleting' AND NOT EXISTS (SELECT FROM tenants t WHERE t.namespace_id = n.id);

-- secrets --
-- over: database
-- holds: The deployment has a secret of at least 16 bytes to sign tokens.
-- do: Restore the row of the table deployment from a backup. Without the secret, hashes of erased names cannot be
--     compared.
SELECT 'deployment' AS id, 'no secret of at least 16 bytes' AS detail
 WHERE NOT EXISTS (SELECT FROM deployment WHERE octet_length(token_secret) >= 16);

-- generations --
-- over: database
-- holds: Exactly one model generation is active, with an index, and every generation has a table of vectors.
-- do: See `everword models list`; make a complete generation active with `everword models switch`. SELECT
--     everword.index_vectors(…) creates an index.
SELECT 'model_generations' AS id, format('%%s are active', count(*)) AS detail
  FROM model_generations WHERE state = 'active' HAVING count(*) <> 1
 UNION ALL
SELECT id::text, 'has no table' FROM model_generations WHERE to_regclass('memory_vectors_' || id) IS NULL
 UNION ALL
SELECT id::text, 'is searched without an index' FROM model_generations
 WHERE state = 'active' AND storage = 'halfvec' AND to_regclass('memory_vectors_' || id || '_embedding_idx') IS NULL;

-- What must hold of everything that is stored. A check has a name, what it is over, what holds and what to do where it does not;
-- its statement returns the rows for which it does not hold, as `id` and `detail`. One over a table is run over a stretch of its
-- keys, from `after` to `last`; :vectors is the table of each model generation's vectors, and :generation its number.

-- schema_version --
-- over: database
-- holds: The schema is one that this release serves over; post migrations may be to come.
-- do: Run `everword migrate` with this release, or verify with the release that the database belongs to.
SELECT 'schema_migrations' AS id,
       format('version %%s, and this release serves over %%s to %%s', max(number), %(required)s::integer, %(latest)s::integer) AS detail
  FROM schema_migrations HAVING coalesce(max(number), 0) NOT BETWEEN %(required)s::integer AND %(latest)s::integer;

-- append_only --
-- over: database
-- holds: No service may change or delete messages, or act beyond row-level security.
-- do: REVOKE the right, or ALTER ROLE … NOSUPERUSER NOBYPASSRLS, and find out who gave it.
SELECT r.rolname AS id, right_ || ' on messages' AS detail
  FROM pg_roles r CROSS JOIN (VALUES ('UPDATE'), ('DELETE'), ('TRUNCATE')) AS rights (right_)
 WHERE r.rolname = ANY(%(roles)s) AND has_table_privilege(r.oid, 'messages', right_)
 UNION ALL
SELECT rolname, 'is a superuser, or bypasses row-level security' FROM pg_roles
 WHERE rolname = ANY(%(roles)s) AND (rolsuper OR rolbypassrls);

-- isolation --
-- over: database
-- holds: A service's role that may read a table of namespaces directly sees the rows of one namespace alone; scoped roles are no members of it.
-- do: ALTER TABLE … ENABLE ROW LEVEL SECURITY, or REVOKE the right or the membership; compare with schema.sql.
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
-- holds: Every index is complete, unless it is being made.
-- do: `everword migrate` makes again that of a migration, `everword models switch` that of a model generation which is built; of any
--     other, REINDEX INDEX CONCURRENTLY the one that is named.
SELECT i.indexrelid::regclass::text AS id, 'invalid' AS detail
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE c.relnamespace = 'everword'::regnamespace AND NOT i.indisvalid
   AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid);

-- numbers --
-- over: database
-- holds: Sequences are ahead of the ids that they gave out, and the server of the transactions that made model generations.
-- do: SELECT setval('everword.memory_ids', …) to more than the highest id, before anything is written;
--     UPDATE model_generations SET created_xid = pg_current_xact_id().
SELECT 'memory_ids' AS id, format('at %%s, and there is passage %%s', s.last_value, m.highest) AS detail
  FROM memory_ids s CROSS JOIN (SELECT max(id) AS highest FROM memories) AS m
 WHERE s.last_value < m.highest
 UNION ALL
SELECT 'model_generations', format('%%s was made by a transaction that is still to come: of another server', id)
  FROM model_generations WHERE created_xid >= pg_snapshot_xmax(pg_current_snapshot());

-- secrets --
-- over: database
-- holds: Consistency tokens are signed with a secret of the deployment.
-- do: Restore the row of the table deployment from a backup: without it, hashes of what was erased mean nothing.
SELECT 'deployment' AS id, 'no secret of at least 16 bytes' AS detail
 WHERE NOT EXISTS (SELECT FROM deployment WHERE octet_length(token_secret) >= 16);

-- generations --
-- over: database
-- holds: One model generation is searched, over an index, and each has its table of vectors.
-- do: `everword models list`; `everword models switch` to one that is complete. SELECT everword.index_vectors(…) makes an index.
SELECT 'model_generations' AS id, format('%%s are active', count(*)) AS detail
  FROM model_generations WHERE state = 'active' HAVING count(*) <> 1
 UNION ALL
SELECT id::text, 'has no table' FROM model_generations WHERE to_regclass('memory_vectors_' || id) IS NULL
 UNION ALL
SELECT id::text, 'is searched without an index' FROM model_generations
 WHERE state = 'active' AND storage = 'halfvec' AND to_regclass('memory_vectors_' || id || '_embedding_idx') IS NULL;

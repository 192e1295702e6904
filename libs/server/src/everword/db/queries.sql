-- Statements shared by all services.

-- begin_namespace --
-- Bind the transaction to one namespace and to the caller's deadline. Row level security policies read only settings,
-- so the conversations and authors being erased are set as well. The settings end with the transaction.
SELECT begin_namespace(%(namespace_id)s, %(statement_timeout)s);

-- begin_scope --
-- Bind the rest of the transaction to an agent, a subject, or both. The role's policies hide all other rows, and the
-- search path resolves tables to that role's views. The settings end with the transaction.
SELECT set_config('everword.agent', %(agent)s, true),
       set_config('everword.subject', %(subject)s, true),
       set_config('search_path', 'everword_scoped, everword, public', true),
       set_config('role', %(role)s, true);

-- send_settings --
-- Send the settings of the transaction to the nodes of a distributed database.
SELECT send_settings();

-- is_distributed --
-- Return whether the database may be distributed: Citus is installed in it.
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus');

-- commit_position --
-- Return the write-ahead log position, read after the commit. A replica that has replayed it has the write. Each server
-- of a distributed database has its own log, so the position is read where the namespace is.
SELECT pg_current_wal_insert_lsn()::text FROM tenants WHERE namespace_id = %(namespace_id)s;

-- schema_version --
-- Return the number of the newest applied migration.
SELECT max(number) FROM schema_migrations;

-- token_secret --
-- Return the secret that signs tokens. All processes of a deployment share it.
SELECT token_secret FROM deployment;

-- authenticate_key --
-- Return the namespace, role and scope of the key with this hash; no row if the key is unknown or revoked, or its
-- namespace was deleted.
SELECT k.api_key_id, k.role, k.namespace_id, k.namespace_name, k.agent, k.subject, coalesce(n.credentials, 0) AS credentials,
       coalesce(n.ranking_profile, '') AS ranking_profile
  FROM authenticate_key(%(key_hash)s) k LEFT JOIN namespaces n ON n.id = k.namespace_id;

-- spend_grant --
-- Return the namespace of the grant with this hash, and whether a call was left; with `spends`, the call is counted. No
-- row if the grant is unknown or has ended.
SELECT g.namespace_id, g.namespace_name, g.max_calls, g.allowed, n.credentials, n.ranking_profile
  FROM spend_grant(%(secret_hash)s, %(spends)s) g JOIN namespaces n ON n.id = g.namespace_id;

-- api_keys_exist --
-- Return whether a key was ever created.
SELECT api_keys_exist();

-- close_deployment --
-- Record that the operator's key was used: from then on every call needs a key.
SELECT close_deployment() WHERE NOT api_keys_exist();

-- find_namespace --
-- Return the namespace with a name, unless it is being deleted.
SELECT id, name, credentials, ranking_profile FROM namespaces WHERE name = %(name)s AND state = 'active';

-- get_namespace_settings --
-- Return the settings of a namespace that its writes and reads depend on.
SELECT time_zone, day_cutoff_minutes, text_search_config::text AS text_search_config, use_counting, channel_policies,
       credentials, sleep_atomicity, quarantine, shared_calendar, ranking_profile, recalled_turns, recall_similarity,
       earlier_turns
  FROM namespaces
 WHERE id = %(namespace_id)s AND state = 'active';

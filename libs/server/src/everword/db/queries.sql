-- Statements that every service needs.

-- begin_namespace --
-- Bind the transaction to one namespace and to the caller's deadline. Policies look nothing up, so it also sets what is being
-- erased in the namespace. The settings end with the transaction. Their number is returned, not the settings: they can be long.
SELECT num_nonnulls(
           set_config('everword.namespace_id', %(namespace_id)s, true),
           set_config('statement_timeout', %(statement_timeout)s, true),
           set_config('everword.hides', n.hides::text, true),
           set_config('everword.hidden_conversations', CASE WHEN n.hides > 0 THEN hidden_conversations() END, true),
           set_config('everword.hidden_authors', CASE WHEN n.hides > 0 THEN hidden_authors()::text END, true))
  FROM (VALUES (%(namespace_id)s::text::bigint)) AS bound (id) LEFT JOIN namespaces n ON n.id = bound.id;

-- begin_scope --
-- Bind the rest of the transaction to an agent, a subject, or both: its role is one that policies let see nothing else, and
-- tables are looked for where that role's views are. The settings end with the transaction.
SELECT set_config('everword.agent', %(agent)s, true),
       set_config('everword.subject', %(subject)s, true),
       set_config('search_path', 'everword_scoped, everword, public', true),
       set_config('role', %(role)s, true);

-- commit_position --
-- The write-ahead log position, read after the commit: a replica that has replayed it has the write.
SELECT pg_current_wal_insert_lsn()::text;

-- schema_version --
-- The number of the newest migration that was applied.
SELECT max(number) FROM schema_migrations;

-- token_secret --
-- The secret that signs tokens, the same for all processes of a deployment.
SELECT token_secret FROM deployment;

-- authenticate_key --
-- Whom the key with this hash belongs to, and what it is bound to; no row where it is unknown, revoked, or its namespace is gone.
SELECT k.api_key_id, k.role, k.namespace_id, k.namespace_name, k.agent, k.subject, coalesce(n.credentials, 0) AS credentials
  FROM authenticate_key(%(key_hash)s) k LEFT JOIN namespaces n ON n.id = k.namespace_id;

-- spend_grant --
-- Whose namespace the grant with this hash opens, and whether there was a call left, which it counts if it `spends`; no row
-- where it is unknown or has ended.
SELECT g.namespace_id, g.namespace_name, g.max_calls, g.allowed, n.credentials
  FROM spend_grant(%(secret_hash)s, %(spends)s) g JOIN namespaces n ON n.id = g.namespace_id;

-- api_keys_exist --
-- Whether a key was ever made.
SELECT api_keys_exist();

-- close_deployment --
-- Remember that an operator's key was used: from then on every call needs a key.
SELECT close_deployment() WHERE NOT api_keys_exist();

-- find_namespace --
-- The namespace with a name, unless it is being deleted.
SELECT id, name, credentials FROM namespaces WHERE name = %(name)s AND state = 'active';

-- get_namespace_settings --
-- What a namespace's writes and reads depend on.
SELECT time_zone, day_cutoff_minutes, text_search_config::text AS text_search_config, use_counting, channel_policies,
       credentials, sleep_atomicity, quarantine
  FROM namespaces
 WHERE id = %(namespace_id)s AND state = 'active';

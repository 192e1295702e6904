-- Statements of AdminService on namespaces. They work across namespaces, like their caller, and read no content.

-- list_text_search_configs --
-- Return the text search configurations of this database.
SELECT cfgname::text AS name FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY cfgname;

-- insert_namespace --
-- Insert a namespace if the name is free.
INSERT INTO namespaces (name, time_zone, day_cutoff_minutes, text_search_config, use_counting, channel_policies,
                        credentials, sleep_atomicity, quarantine, shared_calendar, ranking_profile,
       recalled_turns, recall_similarity, earlier_turns,
                        requests_per_minute, messages_per_minute, stored_bytes)
VALUES (%(name)s, %(time_zone)s, %(day_cutoff_minutes)s, %(text_search_config)s::regconfig,
        %(use_counting)s, %(channel_policies)s, %(credentials)s, %(sleep_atomicity)s, %(quarantine)s,
        %(shared_calendar)s, %(ranking_profile)s, %(recalled_turns)s, %(recall_similarity)s, %(earlier_turns)s,
        %(requests_per_minute)s, %(messages_per_minute)s, %(stored_bytes)s)
ON CONFLICT (name) DO NOTHING
RETURNING id;

-- insert_tenant --
-- Insert a new namespace's row of `tenants`.
INSERT INTO tenants (namespace_id) VALUES (%(namespace_id)s) ON CONFLICT DO NOTHING;

-- get_namespace --
-- Return a namespace, unless it is being deleted.
SELECT id, name, time_zone, day_cutoff_minutes, text_search_config::text AS text_search_config, use_counting,
       channel_policies, credentials, sleep_atomicity, quarantine, shared_calendar, ranking_profile,
       recalled_turns, recall_similarity, earlier_turns,
       requests_per_minute, messages_per_minute, stored_bytes, created_at
  FROM namespaces
 WHERE name = %(name)s AND state = 'active';

-- get_usage --
-- Return the usage that counts towards a namespace's limits; no row if nothing was counted.
SELECT CASE WHEN minute = date_trunc('minute', now()) THEN requests ELSE 0 END AS requests,
       CASE WHEN minute = date_trunc('minute', now()) THEN messages ELSE 0 END AS messages,
       stored_bytes, nullif(measured_at, '-infinity') AS measured_at
  FROM namespace_usage
 WHERE namespace_id = %(namespace_id)s;

-- lock_namespace --
-- Lock a namespace until the end of the transaction. Concurrent indexing waits, so that the index uses one text search
-- configuration.
SELECT id FROM namespaces WHERE id = %(id)s AND state = 'active' FOR UPDATE;

-- has_memories --
-- Return whether a namespace has indexed passages.
SELECT EXISTS (SELECT FROM visible_memories WHERE namespace_id = %(namespace_id)s);

-- update_namespace --
-- Update the settings and limits named in `fields`; the others keep their values. A time zone that replaces UTC also
-- sets its day cutoff, unless a cutoff is set already.
UPDATE namespaces
   SET time_zone = CASE WHEN 'time_zone' = ANY(%(fields)s) THEN %(time_zone)s ELSE time_zone END,
       day_cutoff_minutes = CASE WHEN 'day_cutoff_minutes' = ANY(%(fields)s) THEN %(day_cutoff_minutes)s
                                 WHEN 'time_zone' = ANY(%(fields)s) AND time_zone = 'UTC' AND day_cutoff_minutes = 0
                                 THEN %(day_cutoff_minutes)s
                                 ELSE day_cutoff_minutes END,
       text_search_config = CASE WHEN 'text_search_config' = ANY(%(fields)s)
                                 THEN %(text_search_config)s::regconfig ELSE text_search_config END,
       use_counting = CASE WHEN 'use_counting' = ANY(%(fields)s) THEN %(use_counting)s ELSE use_counting END,
       channel_policies = CASE WHEN 'channel_policies' = ANY(%(fields)s) THEN %(channel_policies)s
                               ELSE channel_policies END,
       credentials = CASE WHEN 'credentials' = ANY(%(fields)s) THEN %(credentials)s ELSE credentials END,
       sleep_atomicity = CASE WHEN 'sleep_atomicity' = ANY(%(fields)s) THEN %(sleep_atomicity)s ELSE sleep_atomicity END,
       requests_per_minute = CASE WHEN 'requests_per_minute' = ANY(%(fields)s) THEN %(requests_per_minute)s
                                  ELSE requests_per_minute END,
       messages_per_minute = CASE WHEN 'messages_per_minute' = ANY(%(fields)s) THEN %(messages_per_minute)s
                                  ELSE messages_per_minute END,
       stored_bytes = CASE WHEN 'stored_bytes' = ANY(%(fields)s) THEN %(stored_bytes)s ELSE stored_bytes END,
       quarantine = CASE WHEN 'quarantine' = ANY(%(fields)s) THEN %(quarantine)s ELSE quarantine END,
       shared_calendar = CASE WHEN 'shared_calendar' = ANY(%(fields)s) THEN %(shared_calendar)s ELSE shared_calendar END,
       ranking_profile = CASE WHEN 'ranking_profile' = ANY(%(fields)s) THEN %(ranking_profile)s ELSE ranking_profile END,
       recalled_turns = CASE WHEN 'recalled_turns' = ANY(%(fields)s) THEN %(recalled_turns)s ELSE recalled_turns END,
       recall_similarity = CASE WHEN 'recall_similarity' = ANY(%(fields)s) THEN %(recall_similarity)s
                                ELSE recall_similarity END,
       earlier_turns = CASE WHEN 'earlier_turns' = ANY(%(fields)s) THEN %(earlier_turns)s ELSE earlier_turns END
 WHERE id = %(id)s AND state = 'active'
RETURNING id;

-- unsettle_facts --
-- Set facts to suspected if only untrusted evidence supports them now.
UPDATE facts f
   SET state = 1
 WHERE f.namespace_id = %(namespace_id)s AND f.state IN (2, 3) AND f.ruling IS DISTINCT FROM 1
   AND NOT EXISTS (
       SELECT FROM fact_evidence e
         LEFT JOIN conversations c ON c.namespace_id = %(namespace_id)s AND c.id = e.conversation_id
         LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
        WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND NOT e.contradicts
          AND (e.source = 4 OR NOT coalesce(m.role = 4 OR m.tool_name <> '', false)
          AND NOT coalesce((channel_policy(%(policies)s, c.channel) ->> 'untrusted')::boolean, false)));

-- list_namespaces --
-- Return namespaces by name, after `after`.
SELECT id, name, time_zone, day_cutoff_minutes, text_search_config::text AS text_search_config, use_counting,
       channel_policies, credentials, sleep_atomicity, quarantine, shared_calendar, ranking_profile,
       recalled_turns, recall_similarity, earlier_turns,
       requests_per_minute, messages_per_minute, stored_bytes, created_at
  FROM namespaces
 WHERE name > %(after)s AND state = 'active'
 ORDER BY name
 LIMIT %(limit)s;

-- count_namespace_rows --
-- Count the rows of a namespace by table, also if it is being deleted; NULL if there is no such namespace.
SELECT count_namespace_rows(%(name)s);

-- find_legal_hold --
-- Return a legal hold in a namespace that can be used.
SELECT find_namespace_hold(%(name)s);

-- begin_namespace_deletion --
-- Hide a namespace and record its deletion; returns its id, also if the deletion has begun before.
SELECT begin_namespace_deletion(%(name)s, %(api_key_id)s, %(requested_by)s);

-- erase_namespace_rows --
-- Erase a batch of rows of a namespace that is being deleted; returns 0 once the namespace itself is gone.
SELECT erase_namespace_rows(%(id)s, %(batch)s);

-- get_namespace_deletion --
-- Return the record of a namespace's deletion, by the namespace's id.
SELECT id, name_hash, counts, api_key_id, requested_by, requested_at, finished_at
  FROM namespace_deletions
 WHERE deleted_id = %(id)s;

-- list_namespace_deletions --
-- Return deletions of namespaces with a name, latest first; namespace '' selects all.
SELECT id, name_hash, counts, api_key_id, requested_by, requested_at, finished_at
  FROM namespace_deletions
 WHERE (%(namespace)s = '' OR name_hash = namespace_name_hash(%(namespace)s))
   AND (%(before_id)s::uuid IS NULL OR id < %(before_id)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- get_voice --
-- Return the person or agent in whose voice summaries are written; no row if none was set.
SELECT identity, user_name, pronouns, channel_instructions, handles
  FROM summary_voices
 WHERE namespace_id = %(namespace_id)s;

-- set_voice --
-- Set the voice of summaries; an equal voice is not written again.
INSERT INTO summary_voices AS v (namespace_id, identity, user_name, pronouns, channel_instructions, handles)
VALUES (%(namespace_id)s, %(identity)s, %(user_name)s, %(pronouns)s, %(channel_instructions)s, %(handles)s)
ON CONFLICT (namespace_id) DO UPDATE
   SET identity = excluded.identity, user_name = excluded.user_name, pronouns = excluded.pronouns,
       channel_instructions = excluded.channel_instructions, handles = excluded.handles, updated_at = excluded.updated_at
 WHERE (v.identity, v.user_name, v.pronouns, v.channel_instructions, v.handles)
       IS DISTINCT FROM
       (excluded.identity, excluded.user_name, excluded.pronouns, excluded.channel_instructions, excluded.handles);

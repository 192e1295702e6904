-- Statements of ExportNamespace and ImportNamespace. The table `transfer_rules` defines the content of records.

-- list_records --
-- Return the kinds of records, in the order of the file.
SELECT record AS name FROM transfer_rules WHERE record IS NOT NULL ORDER BY place;

-- fix_forms --
-- Make the text form of values the same in every database, until the end of the transaction.
SELECT fix_forms();

-- export_settings --
-- Return the line of a namespace's settings; no row once it is being deleted.
SELECT '{"namespace":' || row_to_json((SELECT s FROM (SELECT
           n.time_zone, n.day_cutoff_minutes, n.text_search_config::text AS text_search_config, n.use_counting,
           n.channel_policies, n.credentials, n.sleep_atomicity, n.quarantine, n.shared_calendar, n.ranking_profile,
           n.recalled_turns,
           n.recall_similarity, n.earlier_turns, n.erasure_salt, n.created_at) AS s))::text || '}'
  FROM namespaces n
 WHERE n.id = %(namespace_id)s AND n.state = 'active';

-- is_erasing --
-- Return whether an erasure is in progress in the transaction's namespace.
SELECT is_erasing();

-- export_rows --
-- Return lines of the next records of a kind, in the transaction's namespace.
SELECT line, key FROM export_rows(%(record)s, %(after)s::jsonb);

-- find_target --
-- Return the namespace of a name in any state.
SELECT id, state FROM namespaces WHERE name = %(name)s;

-- insert_target --
-- Insert a namespace that callers cannot use yet; no row if the name is taken.
INSERT INTO namespaces (name, state, time_zone, day_cutoff_minutes, text_search_config, use_counting, channel_policies,
                        credentials, sleep_atomicity, quarantine, shared_calendar, ranking_profile,
                        recalled_turns, recall_similarity, earlier_turns,
                        erasure_salt, created_at)
SELECT %(name)s, 'importing', s.time_zone, s.day_cutoff_minutes, s.text_search_config, s.use_counting, s.channel_policies,
       s.credentials, s.sleep_atomicity, s.quarantine, s.shared_calendar, coalesce(s.ranking_profile, ''), s.recalled_turns, s.recall_similarity, s.earlier_turns,
       s.erasure_salt, s.created_at
  FROM jsonb_populate_record(NULL::namespaces, %(settings)s::jsonb) AS s
ON CONFLICT (name) DO NOTHING
RETURNING id, state;

-- begin_import --
-- Store that an import has begun.
INSERT INTO namespace_imports (namespace_id, lines, digest) VALUES (%(namespace_id)s, %(lines)s, %(digest)s)
ON CONFLICT (namespace_id) DO NOTHING;

-- lock_import --
-- Lock and return the progress of an import.
SELECT lines, digest, finished_at IS NOT NULL AS finished
  FROM namespace_imports
 WHERE namespace_id = %(namespace_id)s
   FOR UPDATE;

-- import_rows --
-- Store records of a kind in the transaction's namespace, and return the first record with a time in another form, such
-- as 'infinity', which PostgreSQL would accept.
WITH given AS MATERIALIZED (SELECT %(rows)s::jsonb AS rows),
     times AS MATERIALIZED (
         SELECT a.attname::text AS name
           FROM transfer_rules r JOIN pg_attribute a ON a.attrelid = r.relation::regclass
          WHERE r.record = %(record)s AND a.attnum > 0 AND a.atttypid IN ('timestamptz'::regtype, 'date'::regtype))
SELECT import_rows(%(record)s, given.rows) AS rows,
       (SELECT min(e.place) FROM jsonb_array_elements(given.rows) WITH ORDINALITY AS e (value, place), times
         WHERE e.value->>times.name !~ %(time)s) AS odd
  FROM given;

-- import_jobs --
-- Store background jobs in the transaction's namespace, with their delays.
SELECT import_jobs(%(tasks)s::text[], %(subjects)s::text[], %(delays_s)s::float8[]);

-- newer_erasure --
-- Return the name of a copy of the transaction's namespace that has an erasure missing here.
SELECT newer_erasure();

-- advance_import --
-- Lock and store the progress of the import into the transaction's namespace; false if not `stored` lines are stored.
SELECT advance_import(%(stored)s, %(lines)s, %(digest)s);

-- read_now --
-- Return the time of the transaction.
SELECT now();

-- list_jobs --
-- Return the background jobs that an import file contained, with their delays from `now`, without the import's own
-- postponement. The time is a parameter, because the transaction begins later on another node.
SELECT task, subject,
       extract(epoch FROM not_before - make_interval(secs => %(quiet_seconds)s::float8) - %(now)s::timestamptz)::float8 AS delay_s
  FROM jobs
 WHERE namespace_id = %(namespace_id)s AND task <> 'embed'
 ORDER BY task, subject;

-- open_namespace --
-- Activate a namespace whose import is complete.
UPDATE namespaces SET state = 'active' WHERE id = %(namespace_id)s AND state = 'importing';

-- end_import --
-- Store that an import is complete.
UPDATE namespace_imports SET finished_at = now() WHERE namespace_id = %(namespace_id)s;

-- highest_passage --
-- Return the highest id of a passage; 0 if there are none.
SELECT coalesce(max(id), 0) FROM visible_memories WHERE namespace_id = %(namespace_id)s;

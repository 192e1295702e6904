-- Statements of ingest's periodic work across all namespaces.

-- find_crowded --
-- Return namespaces with many rows of counts. Scans the counts of all namespaces, about one second for five million
-- rows.
SELECT namespace_id FROM corpus_counts GROUP BY namespace_id HAVING count(*) >= %(rows)s LIMIT %(limit)s;

-- list_unmeasured --
-- Return namespaces with a storage limit whose stored bytes were not measured recently.
SELECT t.namespace_id
  FROM tenants t JOIN namespaces n ON n.id = t.namespace_id
 WHERE n.stored_bytes > 0 AND n.state = 'active'
   AND NOT EXISTS (SELECT 1 FROM namespace_usage u
                    WHERE u.namespace_id = t.namespace_id
                      AND u.measured_at > now() - make_interval(secs => %(measured_s)s::float8));

-- measure_stored --
-- Measure and store the bytes of text in a namespace: messages, and all versions of notes and documents.
INSERT INTO namespace_usage AS u (namespace_id, minute, stored_bytes, measured_at)
SELECT t.namespace_id, date_trunc('minute', now()),
       (SELECT coalesce(sum(c.content_bytes), 0) FROM corpus_counts c WHERE c.namespace_id = %(namespace_id)s)
       + (SELECT coalesce(sum(octet_length(v.content)), 0) FROM note_versions v WHERE v.namespace_id = %(namespace_id)s)
       + (SELECT coalesce(sum(octet_length(v.content)), 0) FROM document_versions v WHERE v.namespace_id = %(namespace_id)s),
       now()
  FROM tenants t WHERE t.namespace_id = %(namespace_id)s
    ON CONFLICT (namespace_id) DO UPDATE SET stored_bytes = excluded.stored_bytes, measured_at = excluded.measured_at
RETURNING stored_bytes;

-- fold_corpus_counts --
-- Fold the counts of a namespace into one row; returns the number of folded rows, at most `limit`. Rows locked by
-- another process are skipped.
WITH picked AS (
    SELECT id FROM corpus_counts
     WHERE namespace_id = %(namespace_id)s
     ORDER BY id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), folded AS (
    DELETE FROM corpus_counts c USING picked p
     WHERE c.namespace_id = %(namespace_id)s AND c.id = p.id AND (SELECT count(*) > 1 FROM picked)
    RETURNING c.*
), kept AS (
    INSERT INTO corpus_counts (namespace_id, conversations, messages, turns, passages, dropped, lexemes, content_bytes)
    SELECT %(namespace_id)s, sum(conversations), sum(messages), sum(turns), sum(passages), sum(dropped), sum(lexemes),
           sum(content_bytes)
      FROM folded HAVING count(*) > 0
)
SELECT count(*) FROM folded;

-- unnumbered_namespaces --
-- Return the namespaces with changes that have no number yet.
SELECT unnumbered_namespaces();

-- number_changes --
-- Number the committed changes of a namespace.
SELECT number_changes(%(namespace_id)s);

-- old_append_requests --
-- Return request ids older than the documented retention, by namespace.
SELECT namespace_id, request_ids AS ids FROM old_append_requests(%(keep)s::interval, %(batch)s);

-- prune_append_requests --
-- Delete request ids of a namespace.
SELECT prune_append_requests(%(namespace_id)s, %(ids)s::text[], %(keep)s::interval);

-- old_memory_changes --
-- Return memory changes that are too old for any watcher, by namespace.
SELECT namespace_id, change_ids AS ids FROM old_memory_changes(%(keep)s::interval, %(batch)s);

-- prune_memory_changes --
-- Delete memory changes of a namespace.
SELECT prune_memory_changes(%(namespace_id)s, %(ids)s::bigint[], %(keep)s::interval);

-- Statements of ErasureService. Deletions are functions of the tables' owner, which only this service may call.

-- begin_erasure --
-- Record an erasure, hide its target, and delete data that was derived from several messages.
SELECT begin_erasure(%(namespace_id)s, %(erasure_id)s, %(kind)s::smallint, %(target_id)s, %(target_name)s, %(requested_by)s,
                     %(last_passage)s);

-- last_passage --
-- Return the id of the newest passage; passages with higher ids are newer than the erasure.
SELECT last_value FROM memory_ids;

-- lock_job_starts --
-- Wait for the creation of a legal hold, and let none be created until the end of the transaction.
SELECT 1 AS locked FROM tenants WHERE namespace_id = %(namespace_id)s FOR UPDATE;

-- find_erasure_hold --
-- Return a legal hold on the target or a part of it.
SELECT find_erasure_hold(%(namespace_id)s, %(kind)s::smallint, %(target_id)s, %(target_name)s);

-- erase_batch --
-- Delete the next messages of an erasure with all data derived from them.
SELECT erase_batch(%(namespace_id)s, %(erasure_id)s, %(batch)s);

-- retire --
-- Delete items that a retention policy has expired.
SELECT retire(%(namespace_id)s, %(kind)s::smallint, %(ids)s::uuid[], %(keep_quotes)s);

-- preview_erasure --
-- Return the counts of rows that an erasure would delete.
SELECT preview_erasure(%(namespace_id)s, %(kind)s::smallint, %(target_id)s, %(target_name)s);

-- forget_author_names --
-- Delete indexed name words that no author's name contains any more.
SELECT forget_author_names(%(namespace_id)s, %(names)s::text[]);

-- find_target --
-- Resolve an id to its ErasureKind and the id to erase; kind 0 searches all kinds. The id of a fact's interval, of a
-- node's version, of a chunk, or of the latest version of a note or document resolves to the whole fact, node, note or
-- document.
SELECT kind, id
  FROM ({erasure_targets_of_kinds}
         UNION ALL
        SELECT 2, id FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 6, id FROM facts WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 7, id FROM people WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 7, id FROM events WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 7, id FROM user_models WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 7, id FROM trajectories WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 7, id FROM strategies WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 8, id FROM graph_nodes WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 9, id FROM patterns WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 10, id FROM documents WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 12, edge_id FROM graph_edges WHERE namespace_id = %(namespace_id)s AND edge_id = %(target_id)s
         UNION ALL
        SELECT 13, id FROM lore_books WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 15, id FROM checkpoints WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT 17, id FROM themes WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s
         UNION ALL
        SELECT CASE WHEN n.version = v.version THEN 5 ELSE 18 END, CASE WHEN n.version = v.version THEN n.id ELSE v.id END
          FROM note_versions v
          JOIN notes n ON n.namespace_id = %(namespace_id)s AND n.id = v.note_id
         WHERE v.namespace_id = %(namespace_id)s AND v.id = %(target_id)s
         UNION ALL
        SELECT CASE WHEN d.version = v.version THEN 10 ELSE 19 END, CASE WHEN d.version = v.version THEN d.id ELSE v.id END
          FROM document_versions v
          JOIN documents d ON d.namespace_id = %(namespace_id)s AND d.id = v.document_id
         WHERE v.namespace_id = %(namespace_id)s AND v.id = %(target_id)s
         UNION ALL
        SELECT 20, id FROM pattern_decisions WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s) AS found
 WHERE %(kind)s::smallint IN (0, kind)
 LIMIT 1;

-- similar_subjects --
-- Return subjects of conversations, facts and other memories whose names are most similar to a name.
SELECT name
  FROM (SELECT subject AS name FROM conversations WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM facts WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM people WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM events WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM graph_nodes WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM notes WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM documents WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM lore_books WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT subject FROM summaries WHERE namespace_id = %(namespace_id)s AND level = 8) AS named
 WHERE name NOT IN ('', %(name)s) AND similarity(name, %(name)s) >= %(least)s
 ORDER BY similarity(name, %(name)s) DESC, name
 LIMIT %(limit)s;

-- similar_authors --
-- Return authors of messages, notes and documents whose names are most similar to a name. Skips from author to author
-- in the index of messages, so that the cost does not grow with the number of messages.
WITH RECURSIVE speaker (name) AS (
    (SELECT author FROM messages WHERE namespace_id = %(namespace_id)s AND author > '' ORDER BY author LIMIT 1)
     UNION ALL
    SELECT next.author
      FROM speaker
     CROSS JOIN LATERAL (SELECT author FROM messages
                          WHERE namespace_id = %(namespace_id)s AND author > speaker.name AND author <> ''
                          ORDER BY author LIMIT 1) AS next
)
SELECT name
  FROM (SELECT name FROM speaker
         UNION
        SELECT author FROM note_versions WHERE namespace_id = %(namespace_id)s
         UNION
        SELECT author FROM document_versions WHERE namespace_id = %(namespace_id)s) AS named
 WHERE name NOT IN ('', %(name)s) AND similarity(name, %(name)s) >= %(least)s
 ORDER BY similarity(name, %(name)s) DESC, name
 LIMIT %(limit)s;

-- get_erasure --
-- Return an erasure.
SELECT id, kind, state, counts, matched_rows, target_hash, requested_by, requested_at, finished_at, coalesce(error, '') AS error
  FROM erasures
 WHERE namespace_id = %(namespace_id)s AND id = %(erasure_id)s;

-- list_erasures --
-- Return erasures, latest first.
SELECT id, kind, state, counts, matched_rows, target_hash, requested_by, requested_at, finished_at, coalesce(error, '') AS error
  FROM erasures
 WHERE namespace_id = %(namespace_id)s AND (%(before_id)s::uuid IS NULL OR id < %(before_id)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- fail_erasure --
-- Record why a step failed. It is retried.
UPDATE erasures
   SET attempts = attempts + 1, error = %(error)s, updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(erasure_id)s AND state = 1;

-- running_erasures --
-- Return unfinished erasures of all namespaces.
SELECT namespace_id, id FROM running_erasures(%(limit)s);

-- find_erased_ids --
-- Return the external ids of a conversation that were erased.
SELECT wanted.id
  FROM namespaces n CROSS JOIN unnest(%(external_ids)s::text[]) AS wanted (id)
  JOIN erased_external_ids e ON e.namespace_id = %(namespace_id)s
   AND e.hash = sha256(salted_hash(n.erasure_salt, %(channel)s, %(agent)s, %(session_key)s) || convert_to(wanted.id, 'UTF8'))
 WHERE n.id = %(namespace_id)s;

-- Statements of EraseService. What deletes are functions of the owner, which this service alone may call.

-- begin_erasure --
-- Write down an erasure, hide its target, and take away what was derived across messages.
SELECT begin_erasure(%(erasure_id)s, %(kind)s::smallint, %(target_id)s, %(target_name)s, %(requested_by)s);

-- erase_batch --
-- Delete the next messages of an erasure with all that was derived from them.
SELECT erase_batch(%(erasure_id)s, %(batch)s);

-- retire --
-- Remove what a policy lets go.
SELECT retire(%(kind)s::smallint, %(ids)s::uuid[], %(keep_quotes)s);

-- preview_erasure --
-- What an erasure would take.
SELECT preview_erasure(%(kind)s::smallint, %(target_id)s, %(target_name)s);

-- forget_author_names --
-- Forget words that name nobody any more.
SELECT forget_author_names(%(names)s::text[]);

-- target_exists --
-- Whether there is a target of this kind and id.
SELECT CASE %(kind)s::smallint
       WHEN 1 THEN EXISTS (SELECT FROM messages WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 2 THEN EXISTS (SELECT FROM conversations WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 5 THEN EXISTS (SELECT FROM notes WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 6 THEN EXISTS (SELECT FROM facts WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 7 THEN EXISTS (SELECT FROM people WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
                OR EXISTS (SELECT FROM events WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
                OR EXISTS (SELECT FROM user_models WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
                OR EXISTS (SELECT FROM trajectories WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
                OR EXISTS (SELECT FROM strategies WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 8 THEN EXISTS (SELECT FROM graph_nodes WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 9 THEN EXISTS (SELECT FROM patterns WHERE namespace_id = %(namespace_id)s AND id = %(target_id)s)
       WHEN 10 THEN document_exists(%(target_id)s)
       ELSE true END;

-- get_erasure --
-- An erasure.
SELECT id, kind, state, counts, target_hash, requested_by, requested_at, finished_at, coalesce(error, '') AS error
  FROM erasures
 WHERE namespace_id = %(namespace_id)s AND id = %(erasure_id)s;

-- list_erasures --
-- Erasures, latest first.
SELECT id, kind, state, counts, target_hash, requested_by, requested_at, finished_at, coalesce(error, '') AS error
  FROM erasures
 WHERE namespace_id = %(namespace_id)s AND (%(before_id)s::uuid IS NULL OR id < %(before_id)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- fail_erasure --
-- Write down why a step was not done. It is tried again.
UPDATE erasures
   SET attempts = attempts + 1, error = %(error)s, updated_at = now()
 WHERE namespace_id = %(namespace_id)s AND id = %(erasure_id)s AND state = 1;

-- running_erasures --
-- Erasures that are not done, of all namespaces.
SELECT namespace_id, id FROM running_erasures(%(limit)s);

-- find_erased_ids --
-- Which external ids of a conversation were erased.
SELECT id FROM find_erased_ids(%(channel)s, %(agent)s, %(session_key)s, %(external_ids)s::text[]) AS id;

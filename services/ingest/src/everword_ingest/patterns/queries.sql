-- Statements of PatternService. Each is limited to one namespace.

-- fragment columns --
-- A pattern.
id, entity, entity_key, type, category, data, data_hash, agent, occurrences, disagreements, confidence, created_at, last_seen_at

-- lock_patterns --
-- Lock the patterns of an entity and type until the end of the transaction, so that the second of two writers adds to
-- the first one's counts.
SELECT hold_lock(%(namespace_id)s, lock_part('patterns', %(entity_key)s || E'\n' || %(type)s));

-- moment --
-- Return the time of this write. It is later than all writes of earlier lock holders.
SELECT clock_timestamp() AS now;

-- find_patterns --
-- Return the patterns of an entity and type, the highest confidence first.
SELECT :columns
  FROM patterns
 WHERE namespace_id = %(namespace_id)s AND entity_key = %(entity_key)s AND type = %(type)s
 ORDER BY confidence DESC, last_seen_at DESC, id
 LIMIT %(limit)s;

-- get_pattern --
-- Return a pattern.
SELECT :columns
  FROM patterns
 WHERE namespace_id = %(namespace_id)s AND id = %(pattern_id)s;

-- list_patterns --
-- Return patterns, the highest confidence first.
SELECT :columns
  FROM patterns
 WHERE namespace_id = %(namespace_id)s
   AND (%(entity_key)s::text IS NULL OR entity_key = %(entity_key)s)
   AND (%(type)s::text IS NULL OR type = %(type)s)
   AND (%(category)s::text IS NULL OR category = %(category)s)
   AND (%(after_confidence)s::double precision IS NULL OR confidence < %(after_confidence)s
        OR (confidence = %(after_confidence)s AND id > %(after_id)s))
 ORDER BY confidence DESC, id
 LIMIT %(limit)s;

-- insert_pattern --
-- Store a new pattern.
INSERT INTO patterns (namespace_id, id, entity, entity_key, type, category, data, data_hash, agent, created_at, last_seen_at)
VALUES (%(namespace_id)s, %(id)s, %(entity)s, %(entity_key)s, %(type)s, %(category)s, %(data)s, %(data_hash)s, %(agent)s,
        %(created_at)s, %(last_seen_at)s);

-- update_patterns --
-- Update the counts, confidence and category of patterns, which are computed from their outcomes.
UPDATE patterns
   SET occurrences = u.occurrences, disagreements = u.disagreements, confidence = u.confidence,
       category = u.category, last_seen_at = u.last_seen_at
  FROM unnest(%(ids)s::uuid[], %(occurrences)s::integer[], %(disagreements)s::integer[], %(confidences)s::double precision[],
              %(categories)s::text[], %(last_seen_at)s::timestamptz[])
       AS u (id, occurrences, disagreements, confidence, category, last_seen_at)
 WHERE patterns.namespace_id = %(namespace_id)s AND patterns.id = u.id;

-- insert_outcomes --
-- Store outcomes of patterns.
INSERT INTO pattern_outcomes (namespace_id, id, pattern_id, agreed, recorded, reason, other_pattern_id, outcome_at)
SELECT t.namespace_id, o.id, o.pattern_id, o.agreed, %(recorded)s, %(reason)s, o.other_pattern_id, %(now)s
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(pattern_ids)s::uuid[], %(agreed)s::boolean[], %(other_pattern_ids)s::uuid[])
       AS o (id, pattern_id, agreed, other_pattern_id)
 WHERE t.namespace_id = %(namespace_id)s;

-- list_outcomes --
-- Return the outcomes of a pattern, newest first.
SELECT agreed, recorded, reason, other_pattern_id, outcome_at
  FROM pattern_outcomes
 WHERE namespace_id = %(namespace_id)s AND pattern_id = %(pattern_id)s
 ORDER BY outcome_at DESC, id DESC
 LIMIT %(limit)s;

-- insert_decision --
-- Store a decision.
INSERT INTO pattern_decisions (namespace_id, id, pattern_id, approved, confidence, threshold, threshold_source, occurrences,
                               disagreements, decided_at)
VALUES (%(namespace_id)s, %(id)s, %(pattern_id)s, %(approved)s, %(confidence)s, %(threshold)s, %(threshold_source)s,
        %(occurrences)s, %(disagreements)s, %(decided_at)s);

-- list_decisions --
-- Return the decisions made by a pattern, newest first.
SELECT id, pattern_id, approved, confidence, threshold, threshold_source, occurrences, disagreements, decided_at
  FROM pattern_decisions
 WHERE namespace_id = %(namespace_id)s AND pattern_id = %(pattern_id)s
 ORDER BY decided_at DESC, id DESC
 LIMIT %(limit)s;

-- get_threshold --
-- Return the confidence that patterns of a type need.
SELECT threshold
  FROM pattern_thresholds
 WHERE namespace_id = %(namespace_id)s AND type = %(type)s;

-- set_threshold --
-- Set the confidence that patterns of a type need.
INSERT INTO pattern_thresholds (namespace_id, type, threshold)
VALUES (%(namespace_id)s, %(type)s, %(threshold)s)
ON CONFLICT (namespace_id, type) DO UPDATE SET threshold = excluded.threshold, updated_at = excluded.updated_at
    WHERE pattern_thresholds.threshold <> excluded.threshold;

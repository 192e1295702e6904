-- Statements that make themes. Each is limited to one namespace.

-- newest_passages --
-- Return the newest passages.
SELECT id
  FROM visible_memories
 WHERE namespace_id = %(namespace_id)s
 ORDER BY id DESC
 LIMIT %(limit)s;

-- passages_between --
-- Return a sample of passages: the next passage at each of several ids spread evenly up to an id. The cost does not
-- depend on the number of passages.
SELECT DISTINCT found.id
  FROM generate_series(0, %(steps)s - 1) AS step,
       LATERAL (
        SELECT id
          FROM visible_memories
         WHERE namespace_id = %(namespace_id)s AND id >= (%(before)s::bigint * step / %(steps)s)
           AND id < %(before)s
         ORDER BY id
         LIMIT 1) AS found
 ORDER BY found.id;

-- read_sample --
-- Return sampled passages of current memories that are not automated, with texts and vectors, and with the text before
-- each, which may show that the passage contains a credential.
SELECT m.source_id, m.content, v.embedding::text AS embedding,
       coalesce((SELECT string_agg(before.content, '' ORDER BY before.part)
                   FROM visible_memories before
                  WHERE before.namespace_id = %(namespace_id)s AND before.source_id = m.source_id
                    AND before.part BETWEEN greatest(m.part - %(before)s, 0) AND m.part - 1), '') AS before
  FROM visible_memories m
  JOIN visible_vectors_:generation v ON v.namespace_id = m.namespace_id AND v.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND m.id = ANY(%(ids)s) AND m.kind IN {themed_kinds} AND NOT m.automated
   AND m.part >= 0 AND coalesce(m.valid_until, 'infinity') > now() AND coalesce(m.known_until, 'infinity') > now()
 ORDER BY m.id;

-- delete_themes --
-- Delete the themes of a namespace; new ones are stored in the same transaction.
DELETE FROM themes WHERE namespace_id = %(namespace_id)s;

-- insert_themes --
-- Store the themes of a namespace.
INSERT INTO themes (namespace_id, id, place, label, words, size, sampled, source_ids, generation_id, model)
SELECT t.namespace_id, m.id, m.place, m.label, string_to_array(m.words, ' '), m.size, %(sampled)s,
       string_to_array(m.source_ids, ' ')::uuid[], %(generation_id)s, m.model
  FROM tenants t
 CROSS JOIN unnest(%(ids)s::uuid[], %(places)s::smallint[], %(labels)s::text[], %(words)s::text[], %(sizes)s::integer[],
              %(source_ids)s::text[], %(models)s::text[])
       AS m (id, place, label, words, size, source_ids, model)
 WHERE t.namespace_id = %(namespace_id)s;

-- active_generation --
-- Return the active model generation, which searches use.
SELECT id FROM model_generations WHERE state = 'active';

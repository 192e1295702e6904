-- Statements that read passages for the cache.

-- fragment last_change --
-- The highest number of a change; 0 if none has a number.
coalesce((SELECT max(number) FROM index_changes WHERE namespace_id = %(namespace_id)s), 0)

-- read_passages --
-- Passages after an id, except for some, in order of their ids; changes after a number, and those without a number,
-- which may be read again; and the namespace's number of passages, all at the same moment. One column per field. Words are three columns: the passage's index from
-- 0, the word's hash, and its occurrences; tags are two. Limited intervals of validity and knowledge are listed
-- separately.
WITH passages AS MATERIALIZED (
    SELECT m.id, m.kind, m.source_id, m.part, m.conversation_id, m.seq, m.agent, m.subject, m.channel, m.instance,
           m.author, m.role, m.automated, m.tags,
           extract(epoch FROM m.occurred_at)::float8 AS moment, m.lexeme_count, m.lexemes, m.ranking,
           m.valid_from, m.valid_until, m.known_from, m.known_until,
           coalesce(s.message_count, 1) AS stands_for, coalesce(s.model = 'extractive', false) AS repeats,
           row_number() OVER (ORDER BY m.id) - 1 AS place
      FROM visible_memories m
      LEFT JOIN summaries s ON m.kind IN {summarizing_kinds} AND s.namespace_id = %(namespace_id)s AND s.id = m.source_id
     WHERE m.namespace_id = %(namespace_id)s AND m.id > %(after)s
       AND NOT EXISTS (SELECT FROM unnest(%(but)b::bigint[]) AS known (id) WHERE known.id = m.id)
     ORDER BY m.id
     LIMIT %(limit)s
), words AS (
    SELECT p.place, hashtextextended(w.lexeme, 0) AS word, cardinality(w.positions) AS occurrences
      FROM passages p CROSS JOIN LATERAL unnest(p.lexemes) AS w
), listed AS (
    SELECT array_send(array_agg(id)) AS ids, array_send(array_agg(kind)) AS kinds,
           array_send(array_agg(source_id)) AS source_ids, array_send(array_agg(part)) AS parts,
           array_send(array_agg(coalesce(conversation_id, '00000000-0000-0000-0000-000000000000'))) AS conversation_ids,
           array_send(array_agg(coalesce(seq, -1))) AS seqs, array_agg(agent) AS agents, array_agg(subject) AS subjects,
           array_agg(channel) AS channels, array_agg(instance) AS instances, array_agg(author) AS authors,
           array_send(array_agg(role)) AS roles, array_send(array_agg(automated)) AS automated,
           array_send(array_agg(moment)) AS moments, array_send(array_agg(lexeme_count)) AS lengths,
           array_agg(ranking) AS records, array_send(array_agg(stands_for::integer)) AS stands_for,
           array_send(array_agg(repeats)) AS repeats
      FROM passages
), indexed AS (
    SELECT array_send(array_agg(place)) AS places, array_send(array_agg(word)) AS words,
           array_send(array_agg(occurrences)) AS occurrences
      FROM words
), tagged AS (
    SELECT array_send(array_agg(p.place)) AS tag_places, array_agg(t.tag) AS tags
      FROM passages p CROSS JOIN LATERAL unnest(p.tags) AS t (tag)
), changes AS MATERIALIZED (
    SELECT removed, closed
      FROM index_changes
     WHERE namespace_id = %(namespace_id)s AND (number > %(since)s OR number IS NULL)
), taken_out AS (
    SELECT array_send(array_agg(id)) AS removed_ids FROM changes, unnest(removed) AS id
), limited AS (
    SELECT array_send(array_agg(id)) AS limited_ids,
           array_send(array_agg(coalesce(extract(epoch FROM valid_from)::float8, '-infinity'))) AS valid_from,
           array_send(array_agg(coalesce(extract(epoch FROM valid_until)::float8, 'infinity'))) AS valid_until,
           array_send(array_agg(coalesce(extract(epoch FROM known_from)::float8, '-infinity'))) AS known_from,
           array_send(array_agg(coalesce(extract(epoch FROM known_until)::float8, 'infinity'))) AS known_until
      FROM (SELECT id, valid_from, valid_until, known_from, known_until
              FROM passages
             WHERE num_nonnulls(valid_from, valid_until, known_from, known_until) > 0
             UNION
            SELECT id, valid_from, valid_until, known_from, known_until
              FROM visible_memories
             WHERE namespace_id = %(namespace_id)s AND id = ANY(ARRAY(SELECT unnest(closed) FROM changes))) AS found
), corpus AS (
    SELECT coalesce(sum(passages), 0)::bigint AS passages
      FROM corpus_counts
     WHERE namespace_id = %(namespace_id)s
)
SELECT listed.*, indexed.*, tagged.*, taken_out.*, limited.*, corpus.*, :last_change AS last_change,
       extract(epoch FROM now())::float8 AS now
  FROM listed, indexed, tagged, taken_out, limited, corpus;

-- read_vectors --
-- The vectors of passages, and the ids of passages that wait for one. A vector is stored and its passage dequeued in
-- the same transaction, so a passage in neither place, such as one without words, never gets a vector.
SELECT array_send(coalesce(array_agg(v.memory_id), '{}')) AS passage_ids,
       array_send(coalesce(array_agg(v.embedding), '{}')) AS vectors,
       (SELECT array_send(coalesce(array_agg(q.memory_id), '{}'))
          FROM embedding_queue q
         WHERE q.namespace_id = %(namespace_id)s AND q.memory_id = ANY(%(passage_ids)b)
           AND q.generation_id = :generation AND q.state = 'pending') AS pending_ids
  FROM visible_vectors_:generation v
 WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = ANY(%(passage_ids)b);

-- read_everything --
-- The ids of all passages, and the limited intervals of validity and knowledge.
WITH everything AS MATERIALIZED (
    SELECT id, valid_from, valid_until, known_from, known_until
      FROM visible_memories
     WHERE namespace_id = %(namespace_id)s
), limited AS (
    SELECT array_send(array_agg(id)) AS limited_ids,
           array_send(array_agg(coalesce(extract(epoch FROM valid_from)::float8, '-infinity'))) AS valid_from,
           array_send(array_agg(coalesce(extract(epoch FROM valid_until)::float8, 'infinity'))) AS valid_until,
           array_send(array_agg(coalesce(extract(epoch FROM known_from)::float8, '-infinity'))) AS known_from,
           array_send(array_agg(coalesce(extract(epoch FROM known_until)::float8, 'infinity'))) AS known_until
      FROM everything
     WHERE num_nonnulls(valid_from, valid_until, known_from, known_until) > 0
)
SELECT (SELECT array_send(coalesce(array_agg(id ORDER BY id), '{}')) FROM everything) AS ids, limited.*,
       :last_change AS last_change
  FROM limited;

-- active_namespaces --
-- The namespaces that exist and are not being erased.
SELECT id FROM namespaces WHERE id = ANY(%(namespace_ids)s::bigint[]) AND state = 'active';

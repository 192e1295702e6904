-- Statements of SearchService and ContextService. Every one names its namespace.
--
-- In all of them: scores are rounded to 1e-9, so that a score is the same whichever statement computed it and
-- pages can continue after one; `spare` is how many that stand for others may come on top of `limit` others.

-- fragment let_through --
-- Whether a filter lets a passage through: NULL lets everything. That there is a first tag is said because the index over tags
-- holds nothing else. Without `valid_at`, what does not hold any more is left out, and what is still to begin is not. A note
-- (kind 3) that has expired is gone, whatever moment is asked for.
(%(include_automated)s OR NOT m.automated)
AND (%(kinds)s::smallint[] IS NULL OR m.kind = ANY(%(kinds)s))
AND (%(conversation_ids)s::uuid[] IS NULL OR m.conversation_id = ANY(%(conversation_ids)s))
AND (%(agents)s::text[] IS NULL OR m.agent = ANY(%(agents)s))
AND (%(subjects)s::text[] IS NULL OR m.subject = ANY(%(subjects)s))
AND (%(channels)s::text[] IS NULL OR m.channel = ANY(%(channels)s))
AND (%(instances)s::text[] IS NULL OR m.instance = ANY(%(instances)s))
AND (%(authors)s::text[] IS NULL OR m.author = ANY(%(authors)s))
AND (%(roles)s::smallint[] IS NULL OR m.role = ANY(%(roles)s))
AND (%(tags)s::text[] IS NULL OR m.tags[1] IS NOT NULL AND m.tags && %(tags)s)
AND (%(since)s::timestamptz IS NULL OR m.occurred_at >= %(since)s)
AND (%(before)s::timestamptz IS NULL OR m.occurred_at < %(before)s)
AND (%(excluded_memory_ids)s::uuid[] IS NULL OR m.source_id <> ALL(%(excluded_memory_ids)s))
AND (%(excluded_conversation_ids)s::uuid[] IS NULL OR (m.conversation_id = ANY(%(excluded_conversation_ids)s)) IS NOT TRUE)
AND (%(excluded_authors)s::text[] IS NULL OR m.author <> ALL(%(excluded_authors)s))
AND (%(excluded_kinds)s::smallint[] IS NULL OR m.kind <> ALL(%(excluded_kinds)s))
AND (%(as_of_time)s::timestamptz IS NULL
     OR CASE WHEN m.seq IS NOT NULL AND m.conversation_id = %(as_of_conversation_id)s::uuid THEN m.seq <= %(as_of_seq)s::bigint
             ELSE m.occurred_at <= %(as_of_time)s END)
AND (m.valid_until IS NULL OR m.valid_until > coalesce(%(valid_at)s::timestamptz, now()))
AND (m.known_until IS NULL OR m.known_until > coalesce(%(known_at)s::timestamptz, now()))
AND (m.known_from IS NULL OR m.known_from <= coalesce(%(known_at)s, now()))
AND (%(valid_at)s IS NULL OR m.valid_from IS NULL OR m.valid_from <= %(valid_at)s)
AND (m.valid_until IS NULL OR m.kind <> 3 OR m.valid_until > now())

-- find_as_of --
-- Where a message stands: when it occurred, and its place in its conversation.
SELECT occurred_at AS as_of_time, conversation_id AS as_of_conversation_id, seq AS as_of_seq
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = %(message_id)s;

-- use_custom_plans --
-- Let each of the following statements of the transaction be planned for what it is asked, and have a time of its own: how
-- best to find something depends on the filter. With it comes what likeness of letters counts as a match.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('statement_timeout', %(statement_timeout)s, true),
       set_config('pg_trgm.word_similarity_threshold', %(similarity)s, true);

-- use_generic_plans --
-- Let each of the following statements of the transaction be planned once a connection, and have a time of its own: what
-- goes by words or ids always goes the same way, and planning it takes as long as running it.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('statement_timeout', %(statement_timeout)s, true);

-- analyse_texts --
-- What the namespace's text search makes of texts: lexemes with their hashes, and a query for the words in their order; all
-- empty for stop words.
SELECT text, lexemes, ARRAY(SELECT hashtextextended(lexeme, 0) FROM unnest(lexemes) AS lexeme) AS hashes,
       phraseto_tsquery(n.text_search_config, text)::text AS phrase
  FROM namespaces n, unnest(%(texts)s::text[]) AS text,
       tsvector_to_array(to_tsvector(n.text_search_config, text)) AS lexemes
 WHERE n.id = %(namespace_id)s;

-- describe_namespace --
-- What a search depends on in its namespace: settings, how many passages there are and how long they are together, which
-- of the words of the query, all in lower case, name authors, and which authors' names begin as names in the query do.
SELECT n.time_zone, n.day_cutoff_minutes, n.text_search_config::text AS text_search_config, n.use_counting,
       n.channel_policies, n.credentials,
       corpus.passages, corpus.lexemes,
       ARRAY(SELECT name FROM author_names
              WHERE namespace_id = %(namespace_id)s AND name = ANY(%(words)s::text[])) AS names,
       ARRAY(SELECT name FROM unnest(%(initials)s::text[]) AS initial
              CROSS JOIN LATERAL (
                    SELECT name FROM author_names
                     WHERE namespace_id = %(namespace_id)s AND left(name, 1) = initial
                     ORDER BY name LIMIT 200) AS beginning) AS like_names
  FROM namespaces n,
       (SELECT coalesce(sum(passages), 0)::bigint AS passages, coalesce(sum(lexemes), 0)::bigint AS lexemes
          FROM corpus_counts WHERE namespace_id = %(namespace_id)s) AS corpus
 WHERE n.id = %(namespace_id)s AND n.state = 'active';

-- list_generations --
-- How the vectors of each live model generation are kept, what a cosine of theirs means, and what the evidence for a result
-- says of its relevance, as somebody has measured it here, with the name of the model that a shipped calibration would be of:
-- vectors that were cut are another model's. One row is for what needs no model.
SELECT g.id, coalesce(g.state, '') AS state, coalesce(g.storage, '') AS storage, g.dimensions,
       g.background_mean, g.background_deviation, CASE WHEN NOT g.matryoshka THEN g.model END AS model, c.evidence, c.relevance, c.floor
  FROM model_generations g
  FULL JOIN (SELECT NULL::bigint AS id) AS nothing ON false
  LEFT JOIN calibrations c ON c.profile = %(profile)s AND (c.generation_id IS NULL OR c.generation_id = g.id)
 ORDER BY c.generation_id NULLS LAST;

-- find_lexical --
-- The best memories by BM25, each by its best passage, with the document frequencies that the scores rest on. Statistics
-- are the namespace's, whatever the filter. Term frequencies are read back from ts_rank, which for one lexeme is the
-- sum of 1/i² over its occurrences, divided by π²/6: much faster than unpacking the vectors, and exact. A prefix may
-- match several lexemes, so its vectors are unpacked. A page goes on after what the last hit of the page before scores
-- now: what was stored since changed every score.
WITH corpus AS MATERIALIZED (
    SELECT coalesce(sum(passages), 0)::float8 AS passages,
           coalesce(sum(lexemes)::float8 / nullif(sum(passages), 0)::float8, 1) AS mean_length
      FROM corpus_counts
     WHERE namespace_id = %(namespace_id)s
), postings AS MATERIALIZED (
    SELECT t.term, m.id, m.source_id, m.kind, m.lexeme_count::float8 AS length,
           CASE WHEN t.prefix IS NULL
                THEN round(1 / (pi() ^ 2 / 6 - ts_rank('{1,1,1,1}', m.lexemes, t.query)::float8 * 1.64493406685) - 0.5)
                ELSE (SELECT sum(cardinality(positions)) FROM unnest(m.lexemes)
                       WHERE lexeme ^@ t.prefix OR lexeme ^@ t.stem)
           END AS frequency,
           (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
           AND :let_through AS wanted
      FROM unnest(%(queries)s::tsquery[], %(prefixes)s::text[], %(stems)s::text[])
           WITH ORDINALITY AS t (query, prefix, stem, term)
     -- OFFSET 0: each word is looked up by itself. A plan for all namespaces would else expect an average one, and read
     -- the whole of a large one.
     CROSS JOIN LATERAL (
           SELECT * FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ t.query
           OFFSET 0) AS m
), terms AS MATERIALIZED (
    SELECT term, df, ln(1 + (passages - df + 0.5) / (df + 0.5)) AS idf
      FROM corpus,
           (SELECT t.term, count(p.id)::float8 AS df
              FROM generate_series(1, cardinality(%(queries)s::text[])) AS t (term) LEFT JOIN postings p USING (term)
             GROUP BY t.term) AS frequencies
), scored AS (
    SELECT p.id, p.source_id, p.kind,
           sum(t.idf * p.frequency * (%(k1)s + 1)
               / (p.frequency + %(k1)s * (1 - %(b)s + %(b)s * p.length / corpus.mean_length))) AS raw
      FROM postings p JOIN terms t USING (term), corpus
     WHERE p.wanted
     GROUP BY p.id, p.source_id, p.kind
), calibrated AS (
    SELECT id, source_id, kind, raw, round(raw / (SELECT sum(idf) * (%(k1)s + 1) FROM terms) * 1e9) / 1e9 AS score
      FROM scored
), best AS (
    SELECT DISTINCT ON (source_id) id, source_id, kind, raw, score
      FROM calibrated
     ORDER BY source_id, score DESC, id DESC
)
SELECT array_send(array_agg(id)) AS passage_ids, array_send(array_agg(source_id)) AS source_ids,
       array_send(array_agg(raw)) AS raws, array_send(array_agg(score)) AS scores, corpus.passages, corpus.mean_length,
       ARRAY(SELECT df::bigint FROM terms ORDER BY term) AS document_frequencies
  FROM (SELECT *, count(*) FILTER (WHERE NOT kind = ANY(%(standing_for_others)s::smallint[])) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s
                   AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                               %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found, corpus
 WHERE place <= %(limit)s
 GROUP BY corpus.passages, corpus.mean_length;

-- term_frequencies --
-- How often each term occurs in the matching passages of some memories, and how long those are; see find_lexical.
SELECT m.id AS passage_id, m.source_id, m.lexeme_count AS length,
       ARRAY(SELECT CASE WHEN t.prefix IS NULL
                         THEN round(1 / (pi() ^ 2 / 6 - ts_rank('{1,1,1,1}', m.lexemes, t.query)::float8 * 1.64493406685)
                                    - 0.5)
                         ELSE (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(m.lexemes)
                                WHERE lexeme ^@ t.prefix OR lexeme ^@ t.stem)
                    END::integer
               FROM unnest(%(queries)s::tsquery[], %(prefixes)s::text[], %(stems)s::text[])
                    WITH ORDINALITY AS t (query, prefix, stem, term)
              ORDER BY t.term) AS frequencies
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b)
   AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery);

-- find_trigram --
-- The best memories by the likeness of their literals to those asked for, each by its best passage.
WITH hits AS (
    SELECT m.id, m.source_id,
           (SELECT avg(word_similarity(token, m.literals)) FROM unnest(%(tokens)s::text[]) AS token) AS raw
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s
       AND m.literals IS NOT NULL AND m.literals %%> ANY(%(tokens)s::text[])
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :let_through
), best AS (
    SELECT DISTINCT ON (source_id) id, source_id, raw, round(raw * 1e9) / 1e9 AS score
      FROM hits
     ORDER BY source_id, score DESC, id DESC
)
SELECT id AS passage_id, source_id, raw, score
  FROM best
 WHERE score >= %(min_score)s AND (score, id) < (%(after_score)s, %(after_id)s)
 ORDER BY score DESC, id DESC
 LIMIT %(limit)s;

-- score_trigram --
-- The likeness of some memories' literals to those asked for, where they match at all.
SELECT DISTINCT ON (source_id) id AS passage_id, source_id, raw, score
  FROM (SELECT id, source_id, raw, round(raw * 1e9) / 1e9 AS score
          FROM visible_memories m
         CROSS JOIN LATERAL (SELECT avg(word_similarity(token, m.literals))
                               FROM unnest(%(tokens)s::text[]) AS token) AS likeness (raw)
         WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b)
           AND m.literals IS NOT NULL AND m.literals %%> ANY(%(tokens)s::text[])
           AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)) AS scored
 ORDER BY source_id, score DESC, id DESC;

-- find_regex --
-- The newest memories of which a passage matches a regular expression, each with the first such passage. Memories are
-- walked through in the order of time, so that a page ends as soon as it is full; the first begins at `before`.
SELECT p.id AS passage_id, m.source_id, m.occurred_at
  FROM visible_memories m
 CROSS JOIN LATERAL (
       SELECT id FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = m.source_id AND content ~* %(pattern)s
        ORDER BY part
        LIMIT 1) AS p
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) < (least(%(after_occurred_at)s::timestamptz, %(before)s), %(after_source_id)s::uuid)
   AND :let_through
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- browse_newest --
-- The ids of memories, newest first. The first page begins at `before`, not after.
SELECT m.source_id, m.occurred_at
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) < (least(%(after_occurred_at)s::timestamptz, %(before)s), %(after_source_id)s::uuid)
   AND :let_through
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- browse_oldest --
-- The ids of memories, oldest first. The first page begins at `since`, not before.
SELECT m.source_id, m.occurred_at
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) > (greatest(%(after_occurred_at)s::timestamptz, %(since)s), %(after_source_id)s::uuid)
   AND :let_through
 ORDER BY m.occurred_at, m.source_id
 LIMIT %(limit)s;

-- find_log_entries --
-- The ids of entries of daily logs from a day on, newest first.
SELECT m.source_id, m.occurred_at
  FROM notes n
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = n.id AND part = 0
       OFFSET 0) AS m
 WHERE n.namespace_id = %(namespace_id)s AND n.log_date >= %(first_day)s AND :let_through
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- read_candidates --
-- The passages of memories that were found, and of the turns around those that are turns: what comes before and after
-- belongs to what a turn says. Long texts are read by their first passages and those that were found. A passage whose
-- filter does not let it through is context alone. A column each, in the order of threads: a conversation's turns, or
-- something that stands by itself.
WITH found AS MATERIALIZED (
    SELECT m.source_id, m.conversation_id, m.seq, m.kind = %(turn)s AND m.seq IS NOT NULL AS is_turn
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b) AND m.part = 0
), stretches AS MATERIALIZED (
    -- What lies around turns that are close together is one stretch: each turn is read once, and each stretch at once.
    SELECT conversation_id, min(seq) - %(reach)s::bigint AS first, max(seq) + %(reach)s::bigint AS last
      FROM (SELECT conversation_id, seq, count(*) FILTER (WHERE is_apart) OVER (ORDER BY conversation_id, seq) AS stretch
              FROM (SELECT conversation_id, seq,
                           seq - lag(seq) OVER (PARTITION BY conversation_id ORDER BY seq) <= 2 * %(reach)s::bigint
                           IS NOT TRUE AS is_apart
                      FROM found
                     WHERE is_turn) AS turns) AS numbered
     GROUP BY conversation_id, stretch
), near AS (
    -- OFFSET 0: each stretch is looked up by itself, whatever the planner takes their number for.
    SELECT m.*, true AS is_turn, 1::bigint AS stands_for, false AS repeats
      FROM stretches s
     CROSS JOIN LATERAL (
           SELECT * FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = s.conversation_id
              AND m.seq BETWEEN s.first AND s.last
              AND m.kind = %(turn)s AND (m.part < %(max_parts)s OR m.id = ANY(%(passage_ids)b))
           OFFSET 0) AS m
     UNION ALL
    SELECT m.*, false AS is_turn, coalesce(s.message_count, 1) AS stands_for,
           coalesce(s.model = 'extractive', false) AS repeats
      FROM found f
     CROSS JOIN LATERAL (
           SELECT * FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.source_id = f.source_id
              AND (m.part < %(max_parts)s OR m.id = ANY(%(passage_ids)b))
           OFFSET 0) AS m
      LEFT JOIN LATERAL (
           SELECT * FROM summaries WHERE namespace_id = %(namespace_id)s AND id = f.source_id OFFSET 0) AS s ON true
     WHERE NOT f.is_turn
), told AS (
    SELECT m.id, m.source_id, m.part, CASE WHEN m.is_turn THEN m.conversation_id ELSE m.source_id END AS thread,
           m.conversation_id, m.seq, m.author, m.role, extract(epoch FROM m.occurred_at)::float8 AS moment,
           m.ranking, CASE WHEN m.ranking IS NULL THEN m.content END AS content,
           m.stands_for, m.repeats,
           (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
           AND :let_through AS wanted
      FROM near m
     ORDER BY thread, seq, source_id, part
)
SELECT array_send(array_agg(id)) AS passage_ids, array_send(array_agg(source_id)) AS source_ids,
       array_send(array_agg(thread)) AS threads,
       array_send(array_agg(coalesce(conversation_id, '00000000-0000-0000-0000-000000000000'))) AS conversation_ids,
       array_send(array_agg(coalesce(seq, 0))) AS seqs, array_agg(author) AS authors, array_send(array_agg(role)) AS roles,
       array_send(array_agg(moment)) AS moments, array_agg(ranking) AS records, array_agg(content) AS contents,
       array_send(array_agg(stands_for)) AS stands_for, array_send(array_agg(repeats)) AS repeats,
       array_send(array_agg(wanted)) AS wanted
  FROM told
HAVING count(*) > 0;

-- find_mentions --
-- In which of some conversations each word occurs, of all that is indexed there.
SELECT DISTINCT word.place - 1 AS word, m.conversation_id
  FROM unnest(%(words)s::text[]) WITH ORDINALITY AS word (text, place)
 CROSS JOIN LATERAL (
       SELECT conversation_id FROM visible_memories m
        WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ phraseto_tsquery(%(config)s::regconfig, word.text)
       OFFSET 0) AS m
 WHERE m.conversation_id = ANY(%(conversation_ids)s);

-- read_signals --
-- What memories are ranked by beside their words: their time, use and importance. A suggestion, and what a note was written
-- with, counts where no caller gave a class.
SELECT m.source_id, m.occurred_at, coalesce(nullif(m.importance_class, 0), s.importance_class, 0) AS importance_class,
       coalesce(n.importance, 0::smallint) AS note_importance, coalesce(u.use_count, 0) AS use_count, u.last_used_at
  FROM visible_memories m
  LEFT JOIN memory_use u ON u.namespace_id = %(namespace_id)s AND u.memory_id = m.source_id
  LEFT JOIN importance_suggestions s ON s.namespace_id = %(namespace_id)s AND s.memory_id = m.source_id
  LEFT JOIN notes n ON m.kind = 3 AND n.namespace_id = %(namespace_id)s AND n.id = m.source_id
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b) AND m.part = 0;

-- find_semantic_exact --
-- The best memories by cosine in a small scope, each by its best passage. Every vector of the scope is compared; of a
-- scope of more than `most` passages none is, and it is said to be large. So no passage is read twice.
WITH scope AS MATERIALIZED (
    SELECT m.id, m.source_id, m.kind
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :let_through
     LIMIT %(most)s::bigint + 1
), size AS MATERIALIZED (
    SELECT count(*) > %(most)s AS is_large FROM scope
), hits AS MATERIALIZED (
    SELECT m.id, m.source_id, m.kind, 1 - (v.embedding <=> %(vector)b::halfvec) AS raw
      FROM scope m
      JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
     WHERE NOT (SELECT is_large FROM size)
), calibrated AS (
    SELECT id, source_id, kind, raw, round(((raw - %(floor)s) / (1 - %(floor)s)) * 1e9) / 1e9 AS score
      FROM hits WHERE raw > %(floor)s
), best AS (
    SELECT DISTINCT ON (source_id) id, source_id, kind, raw, score
      FROM calibrated
     ORDER BY source_id, score DESC, id DESC
)
SELECT array_send(coalesce(array_agg(id), '{}')) AS passage_ids,
       array_send(coalesce(array_agg(source_id), '{}')) AS source_ids,
       array_send(coalesce(array_agg(raw), '{}')) AS raws, array_send(coalesce(array_agg(score), '{}')) AS scores,
       (SELECT is_large FROM size)
  FROM (SELECT *, count(*) FILTER (WHERE NOT kind = ANY(%(standing_for_others)s::smallint[])) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                                                     %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found
 WHERE place <= %(limit)s;

-- prepare_hnsw --
-- Let an index scan see somewhat more rows at once than are taken from it, and go on until enough have passed the filter;
-- else a filter would leave next to none.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(in_sight)s, true),
       set_config('hnsw.max_scan_tuples', '40000', true);

-- find_semantic_hnsw --
-- The best memories by cosine in a large scope, each by its best passage, through the index: a few may be missed. Several
-- passages may be of one memory, and rows that a filter lets through come in loose order where they are far: so more are
-- taken than asked for.
WITH hits AS MATERIALIZED (
    SELECT m.id, m.source_id, m.kind, 1 - (v.embedding <=> %(vector)b::halfvec) AS raw
      FROM visible_vectors_:generation v
      JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.id = v.memory_id
     WHERE v.namespace_id = %(namespace_id)s
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :let_through
     ORDER BY v.embedding <=> %(vector)b::halfvec
     LIMIT %(taken)s
), calibrated AS (
    SELECT id, source_id, kind, raw, round(((raw - %(floor)s) / (1 - %(floor)s)) * 1e9) / 1e9 AS score
      FROM hits WHERE raw > %(floor)s
), best AS (
    SELECT DISTINCT ON (source_id) id, source_id, kind, raw, score
      FROM calibrated
     ORDER BY source_id, score DESC, id DESC
)
SELECT array_send(array_agg(id)) AS passage_ids, array_send(array_agg(source_id)) AS source_ids,
       array_send(array_agg(raw)) AS raws, array_send(array_agg(score)) AS scores
  FROM (SELECT *, count(*) FILTER (WHERE NOT kind = ANY(%(standing_for_others)s::smallint[])) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                                                     %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found
 WHERE place <= %(limit)s
HAVING count(*) > 0;

-- score_semantic --
-- The cosine of some memories, each by its best passage; the score of those that do not match is below 0.
SELECT DISTINCT ON (source_id) id AS passage_id, source_id, raw,
       round(((raw - %(floor)s) / (1 - %(floor)s)) * 1e9) / 1e9 AS score
  FROM (SELECT m.id, m.source_id, 1 - (v.embedding <=> %(vector)b::halfvec) AS raw
          FROM visible_memories m
          JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
         WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b)
           AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)) AS compared
 ORDER BY source_id, score DESC, id DESC;

-- score_passages --
-- The cosine of some passages, as far as they have a vector.
SELECT array_send(coalesce(array_agg(v.memory_id), '{}')) AS passage_ids,
       array_send(coalesce(array_agg(1 - (v.embedding <=> %(vector)b::halfvec)), '{}')) AS cosines
  FROM visible_vectors_:generation v
 WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = ANY(%(passage_ids)b);

-- read_passage_arrays --
-- The vectors of some passages in a database without pgvector.
SELECT v.memory_id AS passage_id, array_send(v.embedding) AS embedding
  FROM visible_vectors_:generation v
 WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = ANY(%(passage_ids)b);

-- read_arrays --
-- The vectors of a scope, or of some memories in it, in a database without pgvector.
SELECT m.id AS passage_id, m.source_id, array_send(v.embedding) AS embedding
  FROM visible_memories m
  JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
 WHERE m.namespace_id = %(namespace_id)s AND (%(source_ids)s::uuid[] IS NULL OR m.source_id = ANY(%(source_ids)s))
   AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
   AND :let_through;

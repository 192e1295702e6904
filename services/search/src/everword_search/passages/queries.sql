-- Statements of SearchService and ContextService. Every one filters by namespace.
--
-- In all of them, scores are rounded to 1e-9, so that every statement computes the same score and pages can continue
-- after one. `spare` is the number of summaries that may be returned on top of `limit` other memories.

-- fragment allowed_rows --
-- The condition that a passage passes the filter; NULL admits everything. `tags[1] IS NOT NULL` is redundant, but
-- needed for the partial index over tags. Without `valid_at`, passages that become valid later pass. Passages that are
-- no longer valid pass only with `include_superseded`, and expired notes never. Chunks of documents attached to a
-- conversation pass only for `document_conversation_ids`, if given.
(%(include_automated)s OR NOT m.automated)
AND (%(kinds)s::smallint[] IS NULL OR m.kind = ANY(%(kinds)s))
AND (%(conversation_ids)s::uuid[] IS NULL OR m.conversation_id = ANY(%(conversation_ids)s))
AND (%(in_conversation)s::boolean IS NULL OR (m.conversation_id IS NOT NULL) = %(in_conversation)s)
AND (%(included_memory_ids)s::uuid[] IS NULL OR m.source_id = ANY(%(included_memory_ids)s))
AND (%(agents)s::text[] IS NULL OR m.agent = ANY(%(agents)s))
AND (%(subjects)s::text[] IS NULL OR m.subject = ANY(%(subjects)s)
     OR %(of_subjects_ids)s::uuid[] IS NOT NULL AND m.source_id = ANY(%(of_subjects_ids)s))
AND (%(channels)s::text[] IS NULL OR m.channel = ANY(%(channels)s))
AND (%(instances)s::text[] IS NULL OR m.instance = ANY(%(instances)s))
AND (%(authors)s::text[] IS NULL OR m.author = ANY(%(authors)s))
AND (%(roles)s::smallint[] IS NULL OR m.role = ANY(%(roles)s))
AND (%(tags)s::text[] IS NULL OR m.tags[1] IS NOT NULL AND m.tags && %(tags)s)
AND (%(document_tags)s::text[] IS NULL OR m.tags[1] IS NOT NULL AND m.tags && %(document_tags)s)
AND (%(document_conversation_ids)s::uuid[] IS NULL OR m.kind NOT IN {attached_kinds} OR m.conversation_id IS NULL
     OR m.conversation_id = ANY(%(document_conversation_ids)s))
AND (%(since)s::timestamptz IS NULL OR m.occurred_at >= %(since)s)
AND (%(before)s::timestamptz IS NULL OR m.occurred_at < %(before)s)
AND (%(excluded_memory_ids)s::uuid[] IS NULL OR m.source_id <> ALL(%(excluded_memory_ids)s))
AND (%(excluded_conversation_ids)s::uuid[] IS NULL OR (m.conversation_id = ANY(%(excluded_conversation_ids)s)) IS NOT TRUE)
AND (%(excluded_authors)s::text[] IS NULL OR m.author <> ALL(%(excluded_authors)s))
AND (%(excluded_kinds)s::smallint[] IS NULL OR m.kind <> ALL(%(excluded_kinds)s))
AND (%(as_of_time)s::timestamptz IS NULL
     OR CASE WHEN m.seq IS NOT NULL AND m.conversation_id = %(as_of_conversation_id)s::uuid THEN m.seq <= %(as_of_seq)s::bigint
             ELSE m.occurred_at <= %(as_of_time)s END)
AND (%(include_superseded)s OR m.valid_until IS NULL OR m.valid_until > coalesce(%(valid_at)s::timestamptz, now()))
AND (m.known_until IS NULL OR m.known_until > coalesce(%(known_at)s::timestamptz, now()))
AND (m.known_from IS NULL OR m.known_from <= coalesce(%(known_at)s, now()))
AND (%(valid_at)s IS NULL OR m.valid_from IS NULL OR m.valid_from <= %(valid_at)s)
AND (m.valid_until IS NULL OR m.kind NOT IN {expiring_kinds} OR m.valid_until > now())

-- fragment edge_counts --
-- The condition that a relation is valid and known at the filter's moments.
e.known_from <= coalesce(%(known_at)s::timestamptz, now())
AND (e.known_until IS NULL OR e.known_until > coalesce(%(known_at)s, now()))
AND (e.valid_from IS NULL OR e.valid_from <= coalesce(%(valid_at)s::timestamptz, now()))
AND (e.valid_until IS NULL OR e.valid_until > coalesce(%(valid_at)s, now()))

-- find_as_of --
-- The time of a message, and its position in its conversation.
SELECT occurred_at AS as_of_time, conversation_id AS as_of_conversation_id, seq AS as_of_seq
  FROM messages
 WHERE namespace_id = %(namespace_id)s AND id = %(message_id)s;

-- find_task_conversations --
-- The conversations of tasks, up to a limit.
SELECT id FROM conversations
 WHERE namespace_id = %(namespace_id)s AND task_id <> '' AND task_id = ANY(%(task_ids)s)
 LIMIT %(limit)s;

-- find_notes_by_key --
-- The notes whose keys begin alike, up to a limit. The operators compare bytes, as the index does, and policies allow them to use it.
SELECT id FROM notes
 WHERE namespace_id = %(namespace_id)s AND key <> '' AND key ~>=~ %(first_key)s AND key ~<~ %(end_key)s
 LIMIT %(limit)s;

-- find_later_memories --
-- The memories of facts that became valid before a message but were learned after it: no evidence up to the message
-- supports them. In the message's own conversation, evidence is compared by position, elsewhere by time.
SELECT i.id AS memory_id
  FROM facts f
  JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = f.id
 WHERE f.namespace_id = %(namespace_id)s AND f.last_seen_at >= %(as_of_time)s AND i.valid_from <= %(as_of_time)s
   AND NOT EXISTS (
       SELECT FROM fact_evidence e
         LEFT JOIN messages m ON m.namespace_id = %(namespace_id)s AND m.id = e.message_id
        WHERE e.namespace_id = %(namespace_id)s AND e.fact_id = f.id AND NOT e.contradicts
          AND CASE WHEN m.conversation_id = %(as_of_conversation_id)s THEN m.seq <= %(as_of_seq)s
                   ELSE e.said_at <= %(as_of_time)s END);

-- find_period_nodes --
-- The summaries of days and longer periods that begin within a range of days, except those that need review.
SELECT s.id, s.level, s.period, s.parent_id, m.id AS passage_id
  FROM summaries s
  JOIN visible_memories m ON m.namespace_id = %(namespace_id)s AND m.source_id = s.id AND m.part = 0
 WHERE s.namespace_id = %(namespace_id)s AND s.level IN (4, 5, 6, 7) AND s.period >= %(first)s AND s.period < %(end)s
   -- Redundant with the filter on passages, and needed for the index.
   AND (%(subjects)s::text[] IS NULL OR s.subject = ANY(%(subjects)s)) AND NOT s.needs_review
   AND :allowed_rows
 ORDER BY s.level DESC, s.period DESC
 LIMIT 100;

-- describe_namespace --
-- The namespace as needed for a query: settings, number and total length of passages, existence of facts, corrections and nodes, the
-- query's words (lower case) that name authors or subjects of facts, and authors' names with the same initials as
-- possible names in the query.
SELECT n.time_zone, n.day_cutoff_minutes, n.text_search_config::text AS text_search_config, n.use_counting,
       n.channel_policies, n.credentials, n.quarantine,
       corpus.passages, corpus.lexemes,
       EXISTS (SELECT FROM facts WHERE namespace_id = %(namespace_id)s)
       OR EXISTS (SELECT FROM message_corrections WHERE namespace_id = %(namespace_id)s) AS has_endings,
       ARRAY(SELECT name FROM author_names
              WHERE namespace_id = %(namespace_id)s AND name = ANY(%(words)s::text[])
              UNION
             SELECT word FROM unnest(%(words)s::text[]) AS word
              WHERE EXISTS (SELECT FROM facts
              WHERE namespace_id = %(namespace_id)s AND lower(translate(subject, U&'\0130\0131\0307', 'Ii')) = word)) AS names,
       ARRAY(SELECT name FROM unnest(%(initials)s::text[]) AS initial
              CROSS JOIN LATERAL (
                    SELECT name FROM author_names
                     WHERE namespace_id = %(namespace_id)s AND left(name, 1) = initial
                     ORDER BY name LIMIT 200) AS beginning) AS like_names,
       EXISTS (SELECT FROM graph_nodes WHERE namespace_id = %(namespace_id)s) AS has_graph
  FROM namespaces n,
       (SELECT coalesce(sum(passages), 0)::bigint AS passages, coalesce(sum(lexemes), 0)::bigint AS lexemes
          FROM corpus_counts WHERE namespace_id = %(namespace_id)s) AS corpus
 WHERE n.id = %(namespace_id)s AND n.state = 'active';

-- list_generations --
-- The live model generations: storage of vectors, background of cosines, and the calibration stored for the profile.
-- `model` is the name in shipped calibrations; it is NULL for truncated vectors, whose cosines differ. One row with id
-- NULL is for calibrations without a model.
SELECT g.id, coalesce(g.state, '') AS state, coalesce(g.storage, '') AS storage, g.dimensions,
       g.background_mean, g.background_deviation, CASE WHEN NOT g.matryoshka THEN g.model END AS model, c.evidence, c.relevance, c.floor
  FROM model_generations g
  FULL JOIN (SELECT NULL::bigint AS id) AS nothing ON false
  LEFT JOIN calibrations c ON c.profile = %(profile)s AND (c.generation_id IS NULL OR c.generation_id = g.id)
 ORDER BY c.generation_id NULLS LAST;

-- find_near_words --
-- The requested words and their variants that occur in passages, with the number of passages up to 100. With
-- `only_unknown`, only variants of words that do not occur. Each word is looked up separately; see find_lexical.
WITH asked AS MATERIALIZED (
    SELECT w.place - 1 AS place, w.word, said.passages
      FROM unnest(%(words)s::text[], %(word_queries)s::tsquery[]) WITH ORDINALITY AS w (word, query, place)
     CROSS JOIN LATERAL (
           SELECT count(*) AS passages
             FROM (SELECT FROM visible_memories m
                    WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ w.query
                    LIMIT 100) AS found) AS said
), near AS MATERIALIZED (
    SELECT a.place, n.word, said.passages
      FROM asked a
     CROSS JOIN LATERAL (
           SELECT word, query
             FROM unnest(%(places)s::integer[], %(near)s::text[], %(near_queries)s::tsquery[]) AS near (place, word, query)
            WHERE near.place = a.place AND NOT (%(only_unknown)s AND a.passages > 0)) AS n
     CROSS JOIN LATERAL (
           SELECT count(*) AS passages
             FROM (SELECT FROM visible_memories m
                    WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ n.query
                    LIMIT 100) AS found) AS said
     WHERE said.passages > 0
)
SELECT place::integer, word AS text, passages::integer AS said
  FROM (SELECT * FROM asked WHERE passages > 0 AND NOT %(only_unknown)s UNION ALL SELECT * FROM near) AS found;

-- find_lexical --
-- The best memories by BM25, each by its best passage, with the document frequencies. The statistics are those of the
-- whole namespace, regardless of the filter. Term frequencies are computed back from ts_rank, which for a single lexeme
-- is the sum of 1/i² over its occurrences divided by π²/6; this is exact, and much faster than unpacking the vectors. A
-- prefix may match several lexemes, so its vectors are unpacked. A page continues after the current score of the
-- previous page's last hit, because every write changes all scores.
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
           AND :allowed_rows AS wanted
      FROM unnest(%(queries)s::tsquery[], %(prefixes)s::text[], %(stems)s::text[])
           WITH ORDINALITY AS t (query, prefix, stem, term)
     -- OFFSET 0 looks up each word separately. Otherwise the plan, made for all namespaces, assumes an average one and
     -- reads all of a large one.
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
  FROM (SELECT *, count(*) FILTER (WHERE kind NOT IN {summarizing_kinds}) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s
                   AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                               %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found, corpus
 WHERE place <= %(limit)s
 GROUP BY corpus.passages, corpus.mean_length;

-- term_frequencies --
-- The frequency of each term in the matching passages of some memories, and the length of these; see find_lexical.
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
-- The best memories by similarity of their literals to the requested ones, each by its best passage.
WITH hits AS (
    SELECT m.id, m.source_id,
           (SELECT avg(word_similarity(token, m.literals)) FROM unnest(%(tokens)s::text[]) AS token) AS raw
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s
       AND m.literals IS NOT NULL AND m.literals %%> ANY(%(tokens)s::text[])
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :allowed_rows
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

-- find_similar_tokens --
-- The best memories by similarity of their literals and words to tokens, each by its best passage: the mean over all
-- tokens of the best match of each. `queries` match words similar to a token, and are looked up separately; see
-- find_lexical. Summaries are scaled by `retold`, so that they rank after the original messages.
WITH matched AS (
    SELECT m.id, m.source_id, m.kind, t.place, word_similarity(t.token, m.literals)::float8 AS likeness
      FROM visible_memories m
     CROSS JOIN unnest(%(tokens)s::text[]) WITH ORDINALITY AS t (token, place)
     WHERE m.namespace_id = %(namespace_id)s
       AND m.literals IS NOT NULL AND m.literals %%> ANY(%(tokens)s::text[])
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :allowed_rows
     UNION ALL
    SELECT m.id, m.source_id, m.kind, w.place + 1, w.likeness
      FROM unnest(%(queries)s::tsquery[], %(places)s::bigint[], %(likenesses)s::float8[]) AS w (query, place, likeness)
     CROSS JOIN LATERAL (
           SELECT * FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ w.query
           OFFSET 0) AS m
     WHERE (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :allowed_rows
), hits AS (
    SELECT id, source_id,
           sum(likeness) / cardinality(%(tokens)s::text[])
           * CASE WHEN kind IN {summarizing_kinds} THEN %(retold)s ELSE 1 END AS raw
      FROM (SELECT id, source_id, kind, place, max(likeness) AS likeness FROM matched GROUP BY id, source_id, kind, place) AS told
     GROUP BY id, source_id, kind
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
-- The similarity of some memories' literals to the requested ones, if they match at all.
SELECT DISTINCT ON (source_id) id AS passage_id, source_id, raw, score
  FROM (SELECT id, source_id, raw, round(raw * 1e9) / 1e9 AS score
          FROM visible_memories m
         CROSS JOIN LATERAL (SELECT avg(word_similarity(token, m.literals))
                               FROM unnest(%(tokens)s::text[]) AS token) AS likeness (raw)
         WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b)
           AND m.literals IS NOT NULL AND m.literals %%> ANY(%(tokens)s::text[])
           AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)) AS scored
 ORDER BY source_id, score DESC, id DESC;

-- find_related --
-- Memories related to those of some memories that are nodes: the related nodes, and the messages that state the
-- relations, most confident first. The filter is applied when these memories are read as candidates.
WITH begun AS (
    SELECT DISTINCT node_id FROM graph_node_versions WHERE namespace_id = %(namespace_id)s AND id = ANY(%(source_ids)b)
), led AS (
    SELECT e.*
      FROM begun b
     CROSS JOIN LATERAL (
           (SELECT e.to_id AS other_id, e.message_id, e.confidence
              FROM graph_edges e
             WHERE e.namespace_id = %(namespace_id)s AND e.from_id = b.node_id AND :edge_counts
             ORDER BY e.confidence DESC, e.id DESC
             LIMIT %(fan_out)s)
           UNION ALL
           (SELECT e.from_id AS other_id, e.message_id, e.confidence
              FROM graph_edges e
             WHERE e.namespace_id = %(namespace_id)s AND e.to_id = b.node_id AND :edge_counts
             ORDER BY e.confidence DESC, e.id DESC
             LIMIT %(fan_out)s)) AS e
), related AS (
    SELECT v.id AS source_id, led.confidence
      FROM led
     CROSS JOIN LATERAL (
           SELECT id FROM graph_node_versions v
            WHERE v.namespace_id = %(namespace_id)s AND v.node_id = led.other_id
              AND v.known_from <= coalesce(%(known_at)s::timestamptz, now())
              AND (v.known_until IS NULL OR v.known_until > coalesce(%(known_at)s, now()))
            LIMIT 1) AS v
     UNION ALL
    SELECT message_id, confidence FROM led WHERE message_id IS NOT NULL
), surest AS (
    SELECT source_id, max(confidence) AS raw FROM related GROUP BY source_id ORDER BY raw DESC, source_id LIMIT %(limit)s
)
SELECT m.id AS passage_id, s.source_id, s.raw
  FROM surest s
 CROSS JOIN LATERAL (
       SELECT id FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = s.source_id AND part = 0
       OFFSET 0) AS m
 ORDER BY s.raw DESC, m.id DESC;

-- find_regex --
-- The newest memories that match a regular expression, each with the first matching passage. Memories are scanned in
-- order of time, so that a page ends as soon as it is full; the first page begins at `before`.
SELECT p.id AS passage_id, m.source_id, m.occurred_at
  FROM visible_memories m
 CROSS JOIN LATERAL (
       SELECT id FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = m.source_id AND content ~* %(pattern)s
        ORDER BY part
        LIMIT 1) AS p
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) < (least(%(after_occurred_at)s::timestamptz, %(before)s), %(after_source_id)s::uuid)
   AND :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- browse_newest --
-- The ids of memories, newest first. The first page begins at `before`.
SELECT m.source_id, m.occurred_at
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) < (least(%(after_occurred_at)s::timestamptz, %(before)s), %(after_source_id)s::uuid)
   AND :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- browse_oldest --
-- The ids of memories, oldest first. The first page begins at `since`.
SELECT m.source_id, m.occurred_at
  FROM visible_memories m
 WHERE m.namespace_id = %(namespace_id)s AND m.part = 0
   AND (m.occurred_at, m.source_id) > (greatest(%(after_occurred_at)s::timestamptz, %(since)s), %(after_source_id)s::uuid)
   AND :allowed_rows
 ORDER BY m.occurred_at, m.source_id
 LIMIT %(limit)s;

-- find_log_entries --
-- The ids of daily log entries since a day, newest first.
SELECT m.source_id, m.occurred_at
  FROM notes n
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = n.id AND part = 0
       OFFSET 0) AS m
 WHERE n.namespace_id = %(namespace_id)s AND n.log_date >= %(first_day)s AND :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- find_earlier_conversations --
-- The conversations of agents and subjects with the latest messages, latest first, without one of them and without those
-- that are automated throughout.
SELECT c.id
  FROM unnest(%(agents)s::text[]) AS own (agent)
 CROSS JOIN unnest(%(subjects)s::text[]) AS of (subject)
 CROSS JOIN LATERAL (
       SELECT id, last_message_at FROM conversations
        WHERE namespace_id = %(namespace_id)s AND subject = of.subject AND agent = own.agent AND turn_count > 0
          AND id <> %(conversation_id)s
        ORDER BY last_message_at DESC
        LIMIT %(limit)s) AS c
 ORDER BY c.last_message_at DESC
 LIMIT %(limit)s;

-- find_earlier_turns --
-- The latest words of users and assistants in conversations, without automated messages and tool calls: conversation by
-- conversation, the one with the latest message first, each newest first.
SELECT source_id, occurred_at
  FROM (SELECT m.source_id, m.occurred_at, m.seq, m.conversation_id,
               max(m.occurred_at) OVER (PARTITION BY m.conversation_id) AS latest_at
          FROM unnest(%(earlier_ids)s::uuid[]) AS earlier (id)
         CROSS JOIN LATERAL (
               SELECT m.source_id, m.occurred_at, m.seq, m.conversation_id
                 FROM messages said
                CROSS JOIN LATERAL (
                      SELECT * FROM visible_memories
                       WHERE namespace_id = %(namespace_id)s AND source_id = said.id AND part = 0
                      OFFSET 0) AS m
                WHERE said.namespace_id = %(namespace_id)s AND said.conversation_id = earlier.id
                  AND said.role IN (2, 3) AND said.tool_name = '' AND NOT said.automated AND :allowed_rows
                ORDER BY said.seq DESC
                LIMIT %(limit)s) AS m) AS turns
 ORDER BY latest_at DESC, conversation_id, seq DESC
 LIMIT %(limit)s;

-- find_earlier_summaries --
-- The latest topmost summaries of conversations that need no review, latest first: at most two of each level and
-- conversation, read in index order.
SELECT m.source_id, m.occurred_at
  FROM unnest(%(earlier_ids)s::uuid[]) AS earlier (id)
 CROSS JOIN generate_series(1, 3) AS wanted (level)
 CROSS JOIN LATERAL (
       SELECT id FROM summaries
        WHERE namespace_id = %(namespace_id)s AND conversation_id = earlier.id AND level = wanted.level
          AND parent_id IS NULL AND NOT needs_review
        ORDER BY first_seq DESC
        LIMIT 2) AS s
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = s.id AND part = 0
       OFFSET 0) AS m
 WHERE :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id
 LIMIT %(limit)s;

-- find_latest_periods --
-- The latest day and week of the calendars of subjects that need no review, latest first.
SELECT m.source_id, m.occurred_at
  FROM unnest(%(subjects)s::text[]) AS of (subject)
 CROSS JOIN generate_series(4, 5) AS wanted (level)
 CROSS JOIN LATERAL (
       SELECT id FROM summaries
        WHERE namespace_id = %(namespace_id)s AND level = wanted.level AND subject = of.subject AND NOT needs_review
        ORDER BY latest_at DESC, id DESC
        LIMIT 1) AS s
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = s.id AND part = 0
       OFFSET 0) AS m
 WHERE :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id
 LIMIT %(limit)s;

-- find_open_tasks --
-- The latest notes of agents and subjects of kind `task` or `handoff`, latest first, without those of a conversation.
SELECT m.source_id, m.occurred_at
  FROM unnest(%(agents)s::text[]) AS own (agent)
 CROSS JOIN unnest(%(subjects)s::text[]) AS of (subject)
 CROSS JOIN LATERAL (
       SELECT id FROM notes
        WHERE namespace_id = %(namespace_id)s AND subject = of.subject AND agent = own.agent
          AND kind IN ('handoff', 'task') AND deleted_at IS NULL AND conversation_id IS NULL
        ORDER BY id DESC
        LIMIT %(limit)s) AS n
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = n.id AND part = 0
       OFFSET 0) AS m
 WHERE :allowed_rows
 ORDER BY m.occurred_at DESC, m.source_id DESC
 LIMIT %(limit)s;

-- find_workspace_chunks --
-- The ids of chunks of workspace files: file by file in the order of `names`, files without an owner first. A file
-- contributes its first chunks, but MEMORY, which grows at its end, its last ones. BOOT is left out once the assistant
-- has answered in the conversation.
SELECT m.source_id, m.occurred_at
  FROM documents d
  JOIN document_chunks c ON c.namespace_id = %(namespace_id)s AND c.document_id = d.id
 CROSS JOIN LATERAL (
       SELECT * FROM visible_memories
        WHERE namespace_id = %(namespace_id)s AND source_id = c.id AND part = 0
       OFFSET 0) AS m
 WHERE d.namespace_id = %(namespace_id)s AND d.kind = 2 AND d.deleted_at IS NULL AND d.title = ANY(%(names)s::text[])
   AND CASE d.title WHEN 'MEMORY' THEN d.chunks - c.place <= %(most)s ELSE c.place < %(most)s END
   AND (d.title <> 'BOOT' OR NOT EXISTS (
           SELECT FROM messages a
            WHERE a.namespace_id = %(namespace_id)s AND a.conversation_id = %(conversation_id)s::uuid
              AND a.role = %(assistant)s AND NOT a.automated))
   AND :allowed_rows
 ORDER BY array_position(%(names)s::text[], d.title), d.conversation_id IS NOT NULL, d.subject <> '', d.agent <> '', d.id, c.place;

-- read_candidates --
-- The passages of found memories, and of the turns around found turns, since neighbours belong to the meaning of a
-- turn. For a long text these are its first passages and the found ones. A passage that fails the filter serves as
-- context only. One column per field, ordered by thread: the turns of a conversation, or a single memory of another
-- kind.
WITH found AS MATERIALIZED (
    SELECT m.source_id, m.conversation_id, m.seq, m.kind = {message_kind} AND m.seq IS NOT NULL AS is_turn
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b) AND m.part = 0
), stretches AS MATERIALIZED (
    -- Neighbourhoods of nearby turns are merged into stretches, so that each turn is read once.
    SELECT conversation_id, min(seq) - %(reach)s::bigint AS first, max(seq) + %(reach)s::bigint AS last
      FROM (SELECT conversation_id, seq, count(*) FILTER (WHERE is_apart) OVER (ORDER BY conversation_id, seq) AS stretch
              FROM (SELECT conversation_id, seq,
                           seq - lag(seq) OVER (PARTITION BY conversation_id ORDER BY seq) <= 2 * %(reach)s::bigint
                           IS NOT TRUE AS is_apart
                      FROM found
                     WHERE is_turn) AS turns) AS numbered
     GROUP BY conversation_id, stretch
), near AS (
    -- OFFSET 0 looks up each stretch separately, whatever number of them the planner assumes.
    SELECT m.*, true AS is_turn, 1::bigint AS stands_for, false AS repeats
      FROM stretches s
     CROSS JOIN LATERAL (
           SELECT * FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.conversation_id = s.conversation_id
              AND m.seq BETWEEN s.first AND s.last
              AND m.kind = {message_kind} AND (m.part < %(max_parts)s OR m.id = ANY(%(passage_ids)b))
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
           AND :allowed_rows AS wanted
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
-- The conversations among the given ones in which each word occurs in an indexed passage.
SELECT DISTINCT word.place - 1 AS word, m.conversation_id
  FROM unnest(%(queries)s::tsquery[]) WITH ORDINALITY AS word (query, place)
 CROSS JOIN LATERAL (
       SELECT conversation_id FROM visible_memories m
        WHERE m.namespace_id = %(namespace_id)s AND m.lexemes @@ word.query
       OFFSET 0) AS m
 WHERE m.conversation_id = ANY(%(conversation_ids)s);

-- read_signals --
-- Ranking signals of memories other than words: time, use and importance. A suggested class and a note's own importance
-- apply if the caller gave no class. A short text without digits that ends as a question
-- only asks.
SELECT m.source_id, m.occurred_at, coalesce(nullif(m.importance_class, 0), s.importance_class, 0) AS importance_class,
       coalesce(n.importance, 0::smallint) AS note_importance, coalesce(u.use_count, 0) AS use_count, u.last_used_at,
       m.lexeme_count <= 12 AND m.content ~ '^\D*[?？؟]\s*$' AS only_asks
  FROM visible_memories m
  LEFT JOIN memory_use u ON u.namespace_id = %(namespace_id)s AND u.memory_id = m.source_id
  LEFT JOIN importance_suggestions s ON s.namespace_id = %(namespace_id)s AND s.memory_id = m.source_id
  LEFT JOIN notes n ON m.kind = {note_kind} AND n.namespace_id = %(namespace_id)s AND n.id = m.source_id
 WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b) AND m.part = 0;

-- find_semantic_exact --
-- The best memories by cosine in a small scope, each by its best passage. Every vector of the scope is compared. If the
-- scope has more than `most` passages, none is compared and `is_large` is true, so that no passage is read twice.
WITH scope AS MATERIALIZED (
    SELECT m.id, m.source_id, m.kind
      FROM visible_memories m
     WHERE m.namespace_id = %(namespace_id)s
       AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
       AND :allowed_rows
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
  FROM (SELECT *, count(*) FILTER (WHERE kind NOT IN {summarizing_kinds}) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                                                     %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found
 WHERE place <= %(limit)s;

-- prepare_hnsw --
-- Let an index scan keep more rows in sight than it returns, and continue until enough rows have passed the filter;
-- otherwise a filter would leave very few. The nodes of a distributed database need the settings, too.
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(in_sight)s, true),
       set_config('hnsw.max_scan_tuples', '40000', true),
       send_settings();

-- find_semantic_hnsw --
-- The best memories by cosine in a large scope, each by its best passage, through the index, which may miss a few. More
-- rows are taken than requested, because several passages may belong to one memory, and distant rows arrive in
-- approximate order. `is_complete` is false if fewer than `taken` of the `visited` nearest rows are in the scope. OFFSET
-- 0 looks up each row separately, in this order.
WITH hits AS MATERIALIZED (
    SELECT m.id, m.source_id, m.kind, 1 - near.distance AS raw
      FROM (SELECT v.memory_id, v.embedding <=> %(vector)b::halfvec AS distance
              FROM visible_vectors_:generation v
             WHERE v.namespace_id = %(namespace_id)s
             ORDER BY v.embedding <=> %(vector)b::halfvec
             LIMIT %(visited)s) AS near
     CROSS JOIN LATERAL (
           SELECT m.id, m.source_id, m.kind FROM visible_memories m
            WHERE m.namespace_id = %(namespace_id)s AND m.id = near.memory_id
              AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
              AND :allowed_rows
           OFFSET 0) AS m
     ORDER BY near.distance
     LIMIT %(taken)s
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
       (SELECT count(*) FROM hits) = %(taken)s AS is_complete
  FROM (SELECT *, count(*) FILTER (WHERE kind NOT IN {summarizing_kinds}) OVER (ORDER BY score DESC, id DESC) AS place
          FROM (SELECT * FROM best
                 WHERE score >= %(min_score)s AND (score, id) < (coalesce((SELECT score FROM calibrated WHERE id = %(after_id)s),
                                                                     %(after_score)s::float8), %(after_id)s)
                 ORDER BY score DESC, id DESC
                 LIMIT %(limit)s::integer + %(spare)s::integer) AS top) AS found
 WHERE place <= %(limit)s;

-- score_semantic --
-- The cosine of some memories, each by its best passage; the score of memories that do not match is below 0.
SELECT DISTINCT ON (source_id) id AS passage_id, source_id, raw,
       round(((raw - %(floor)s) / (1 - %(floor)s)) * 1e9) / 1e9 AS score
  FROM (SELECT m.id, m.source_id, 1 - (v.embedding <=> %(vector)b::halfvec) AS raw
          FROM visible_memories m
          JOIN visible_vectors_:generation v ON v.namespace_id = %(namespace_id)s AND v.memory_id = m.id
         WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b)
           AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)) AS compared
 ORDER BY source_id, score DESC, id DESC;

-- score_passages --
-- The cosine of passages that have a vector.
SELECT array_send(coalesce(array_agg(v.memory_id), '{}')) AS passage_ids,
       array_send(coalesce(array_agg(1 - (v.embedding <=> %(vector)b::halfvec)), '{}')) AS cosines
  FROM visible_vectors_:generation v
 WHERE v.namespace_id = %(namespace_id)s AND v.memory_id = ANY(%(passage_ids)b);

-- read_passage_arrays --
-- The vectors of passages, in a database without pgvector.
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
   AND :allowed_rows;

-- find_endings --
-- Facts stated by some memories that are not valid at one moment, as known at another, and the current values that
-- replace them. A message states a fact for the interval in which it was said; a fact that is valid again, such as a
-- residence someone returned to, is not outdated. A corrected fact ended at the time of the correction. A summary
-- states the facts of its messages if it contains their values. `current_sources` are the memories that pass the filter
-- and state the current value, the latest message first and the fact last, each with the passage that contains the
-- value. OFFSET 0 looks up each row separately.
WITH asked AS MATERIALIZED (
    SELECT coalesce(%(endings_at)s::timestamptz, now()) AS at, coalesce(%(known_at)s::timestamptz, now()) AS known,
           coalesce(%(endings_until)s::timestamptz, 'infinity') AS until
), said AS MATERIALIZED (
    SELECT s.id AS memory_id, e.fact_id, e.said_at, NULL::uuid AS interval_id, NULL::text AS words
      FROM asked a, unnest(%(source_ids)b::uuid[]) AS s (id)
     CROSS JOIN LATERAL (
           SELECT fact_id, said_at FROM fact_evidence
            WHERE namespace_id = %(namespace_id)s AND message_id = s.id AND NOT contradicts AND recorded_at <= a.known
           OFFSET 0) AS e
     UNION ALL
    SELECT s.id, i.fact_id, i.valid_from, s.id, NULL
      FROM unnest(%(source_ids)b::uuid[]) AS s (id)
     CROSS JOIN LATERAL (
           SELECT fact_id, valid_from FROM fact_intervals WHERE namespace_id = %(namespace_id)s AND id = s.id OFFSET 0) AS i
     UNION ALL
    SELECT s.id, e.fact_id, e.said_at, NULL, lower(n.content)
      FROM asked a, unnest(%(source_ids)b::uuid[]) AS s (id)
     CROSS JOIN LATERAL (
           SELECT content FROM summaries WHERE namespace_id = %(namespace_id)s AND id = s.id OFFSET 0) AS n
     CROSS JOIN LATERAL (
           SELECT message_id FROM summary_sources
            WHERE namespace_id = %(namespace_id)s AND summary_id = s.id AND message_id IS NOT NULL
            LIMIT %(summed_up)s) AS o
     CROSS JOIN LATERAL (
           SELECT fact_id, said_at FROM fact_evidence
            WHERE namespace_id = %(namespace_id)s AND message_id = o.message_id AND NOT contradicts AND recorded_at <= a.known
           OFFSET 0) AS e
), ended AS MATERIALIZED (
    -- For each fact, the interval that the memory states; for rejected facts, the time of rejection.
    SELECT DISTINCT ON (s.memory_id, s.fact_id) s.memory_id, s.fact_id, s.words, s.interval_id, i.believed, i.valid_until,
           i.successor_id, i.known_until
      FROM said s, asked a
     CROSS JOIN LATERAL (
           SELECT believed, valid_from, valid_until, known_until, successor_id,
                  bool_or(believed AND valid_from <= a.at AND (valid_until IS NULL OR valid_until > a.at)) OVER () AS holds
             FROM fact_intervals i, LATERAL (SELECT i.known_until IS NULL OR i.known_until > a.known) AS b (believed)
            WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = s.fact_id AND i.known_from <= a.known
              AND (s.interval_id IS NULL OR i.id = s.interval_id)
            ORDER BY believed DESC, valid_from <= s.said_at AND (valid_until IS NULL OR valid_until > s.said_at) DESC,
                     valid_from <= s.said_at DESC, CASE WHEN valid_from > s.said_at THEN valid_from END,
                     valid_from DESC, known_until DESC
            LIMIT 1) AS i
     WHERE NOT i.holds AND (NOT i.believed OR i.valid_until <= a.at)
     ORDER BY s.memory_id, s.fact_id, i.valid_until DESC
), replaced AS MATERIALIZED (
    SELECT e.*, f.subject, f.attribute, f.value, c.id AS current_id, c.value AS current_value, c.interval_id AS current_interval_id,
           c.since AS current_since,
           CASE WHEN e.believed THEN e.valid_until ELSE coalesce(c.corrected_at, d.corrected_at, e.known_until) END AS ended_at
      FROM asked a, ended e
     CROSS JOIN LATERAL (
           SELECT subject, attribute, value, several FROM facts WHERE namespace_id = %(namespace_id)s AND id = e.fact_id
           OFFSET 0) AS f
      LEFT JOIN LATERAL (
           -- For an attribute with several values, only the value of the correction replaces one, or a value from the
           -- message that ended it.
           SELECT c.id, c.value, i.id AS interval_id, i.since, w.corrected_at
             FROM facts c
            CROSS JOIN LATERAL (
                  SELECT id, valid_from AS since FROM fact_intervals i
                   WHERE i.namespace_id = %(namespace_id)s AND i.fact_id = c.id AND i.known_from <= a.known
                     AND (i.known_until IS NULL OR i.known_until > a.known)
                     AND i.valid_from <= a.at AND (i.valid_until IS NULL OR i.valid_until > a.at)
                  OFFSET 0) AS i
            CROSS JOIN LATERAL (
                  SELECT max(said_at) FILTER (WHERE recorded_at = e.known_until) AS corrected_at,
                         min(said_at) AS first_at
                    FROM fact_evidence
                   WHERE namespace_id = %(namespace_id)s AND fact_id = c.id AND NOT contradicts AND recorded_at <= a.known) AS w
            WHERE c.namespace_id = %(namespace_id)s AND c.subject = f.subject AND c.attribute = f.attribute AND NOT c.hypothesis
              AND w.first_at <= a.until
              AND (NOT f.several
                   OR NOT e.believed AND c.id = (
                      SELECT other_fact_id FROM fact_changes
                       WHERE namespace_id = %(namespace_id)s AND fact_id = e.fact_id AND action = 'corrected'
                         AND changed_at <= a.known
                       ORDER BY changed_at DESC LIMIT 1)
                   OR e.believed AND EXISTS (
                      SELECT FROM fact_evidence x
                        JOIN fact_evidence y ON y.namespace_id = %(namespace_id)s AND y.message_id = x.message_id
                       WHERE x.namespace_id = %(namespace_id)s AND x.fact_id = e.fact_id AND x.contradicts
                         AND x.recorded_at <= a.known AND y.fact_id = c.id AND NOT y.contradicts))
            ORDER BY c.id
            LIMIT 1) AS c ON true
      LEFT JOIN LATERAL (
           SELECT max(said_at) AS corrected_at FROM fact_evidence
            WHERE namespace_id = %(namespace_id)s AND fact_id = e.fact_id AND contradicts AND recorded_at = e.known_until) AS d
           ON NOT e.believed
     WHERE e.words IS NULL OR position(lower(f.value) IN e.words) > 0 AND position(lower(c.value) IN e.words) > 0 IS NOT TRUE
)
SELECT r.memory_id, r.fact_id, r.subject, r.attribute, r.value, r.ended_at, r.believed, r.successor_id, r.current_id,
       r.current_value, r.current_since, noted.source_id AS current_fact_memory_id, told.source_ids || noted.source_id AS current_sources, told.passage_ids || noted.id AS current_passages
  FROM asked a, replaced r
  LEFT JOIN LATERAL (
       SELECT array_agg(m.source_id ORDER BY e.said_at DESC, m.source_id DESC) AS source_ids,
              array_agg(m.id ORDER BY e.said_at DESC, m.source_id DESC) AS passage_ids
         FROM (SELECT message_id, said_at FROM fact_evidence
                WHERE namespace_id = %(namespace_id)s AND fact_id = r.current_id AND message_id IS NOT NULL
                  AND NOT contradicts AND NOT hypothesis AND recorded_at <= a.known
                ORDER BY said_at DESC
                LIMIT %(current_messages)s) AS e
        CROSS JOIN LATERAL (
              SELECT m.source_id, m.id FROM visible_memories m
               WHERE m.namespace_id = %(namespace_id)s AND m.source_id = e.message_id AND m.part >= 0
                 AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
                 AND :allowed_rows
               ORDER BY position(lower(r.current_value) IN lower(m.content)) > 0 DESC, m.part
               LIMIT 1) AS m) AS told ON true
  LEFT JOIN LATERAL (
       SELECT m.source_id, m.id FROM visible_memories m
        WHERE m.namespace_id = %(namespace_id)s AND m.source_id = r.current_interval_id AND m.part = 0
          AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
          AND :allowed_rows
       OFFSET 0) AS noted ON true
 WHERE r.ended_at <= a.until
   AND NOT EXISTS (SELECT FROM fact_evidence
                    WHERE namespace_id = %(namespace_id)s AND fact_id = r.current_id AND message_id = r.memory_id
                      AND NOT contradicts)
 ORDER BY r.memory_id, r.ended_at DESC, r.fact_id;

-- find_corrections --
-- For messages that a later message corrects, and summaries with the outdated words of such messages: the latest
-- correction up to a moment, unless the value is current again, with the passage of the correcting message that has the
-- current value, if it passes the filter.
WITH asked AS MATERIALIZED (
    SELECT least(coalesce(%(endings_at)s::timestamptz, now()), coalesce(%(endings_until)s::timestamptz, 'infinity')) AS at,
           coalesce(%(known_at)s::timestamptz, now()) AS known
), said AS MATERIALIZED (
    SELECT s.id AS memory_id, s.id AS message_id, NULL::text AS words FROM unnest(%(source_ids)b::uuid[]) AS s (id)
     UNION ALL
    SELECT s.id, o.message_id, lower(n.content)
      FROM unnest(%(source_ids)b::uuid[]) AS s (id)
     CROSS JOIN LATERAL (
           SELECT content FROM summaries WHERE namespace_id = %(namespace_id)s AND id = s.id OFFSET 0) AS n
     CROSS JOIN LATERAL (
           SELECT message_id FROM summary_sources
            WHERE namespace_id = %(namespace_id)s AND summary_id = s.id AND message_id IS NOT NULL
            LIMIT %(summed_up)s) AS o
)
SELECT s.memory_id, c.message_id, c.value, c.current_value, c.kind, c.corrected_at, m.id AS passage_id, m.content
  FROM asked a, said s
 CROSS JOIN LATERAL (
       SELECT message_id, value, current_value, kind, corrected_at FROM message_corrections
        WHERE namespace_id = %(namespace_id)s AND corrected_id = s.message_id AND corrected_at <= a.at AND recorded_at <= a.known
        ORDER BY corrected_at DESC, message_id DESC
        LIMIT 1) AS c
  LEFT JOIN LATERAL (
       SELECT m.id, m.content FROM visible_memories m
        WHERE m.namespace_id = %(namespace_id)s AND m.source_id = c.message_id AND m.part >= 0
          AND (%(constraint)s::tsquery IS NULL OR m.lexemes @@ %(constraint)s::tsquery)
          AND :allowed_rows
        ORDER BY position(lower(c.current_value) IN lower(m.content)) > 0 DESC, m.part
        LIMIT 1) AS m ON true
 WHERE c.kind < 3
   AND (s.words IS NULL
        OR c.value <> '' AND position(lower(c.value) IN s.words) > 0
           AND (c.current_value = '' OR position(lower(c.current_value) IN s.words) = 0))
 ORDER BY s.memory_id, c.corrected_at DESC, c.message_id;

-- find_outdated --
-- Memories that may state something outdated: a fact that they state has ended or is no longer believed, or a message
-- corrects them. They are few, and the expensive statements find_endings and find_corrections run only for them.
SELECT s.id AS memory_id
  FROM unnest(%(source_ids)b::uuid[]) AS s (id)
 WHERE EXISTS (SELECT FROM fact_evidence e
                 JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = e.fact_id
                WHERE e.namespace_id = %(namespace_id)s AND e.message_id = s.id AND NOT e.contradicts
                  AND num_nonnulls(i.valid_until, i.known_until) > 0)
    OR EXISTS (SELECT FROM fact_intervals i
                WHERE i.namespace_id = %(namespace_id)s AND i.id = s.id AND i.valid_until IS NOT NULL)
    OR EXISTS (SELECT FROM message_corrections WHERE namespace_id = %(namespace_id)s AND corrected_id = s.id)
    OR EXISTS (SELECT FROM summary_sources o
                 JOIN message_corrections c ON c.namespace_id = %(namespace_id)s AND c.corrected_id = o.message_id
                WHERE o.namespace_id = %(namespace_id)s AND o.summary_id = s.id)
    OR EXISTS (SELECT FROM summary_sources o
                 JOIN fact_evidence e ON e.namespace_id = %(namespace_id)s AND e.message_id = o.message_id
                 JOIN fact_intervals i ON i.namespace_id = %(namespace_id)s AND i.fact_id = e.fact_id
                WHERE o.namespace_id = %(namespace_id)s AND o.summary_id = s.id AND NOT e.contradicts
                  AND num_nonnulls(i.valid_until, i.known_until) > 0);

-- find_present --
-- The kinds of rows, among those that context blocks use, that a namespace has.
SELECT EXISTS (SELECT FROM facts WHERE namespace_id = %(namespace_id)s) AS facts,
       EXISTS (SELECT FROM message_corrections WHERE namespace_id = %(namespace_id)s) AS corrections,
       EXISTS (SELECT FROM people WHERE namespace_id = %(namespace_id)s)
       OR EXISTS (SELECT FROM events WHERE namespace_id = %(namespace_id)s)
       OR EXISTS (SELECT FROM user_models WHERE namespace_id = %(namespace_id)s) AS people,
       EXISTS (SELECT FROM strategies WHERE namespace_id = %(namespace_id)s) AS strategies,
       -- The index of days answers this quickly even among many notes without a day.
       (SELECT max(log_date) FROM notes WHERE namespace_id = %(namespace_id)s) IS NOT NULL AS logs,
       EXISTS (SELECT FROM graph_nodes WHERE namespace_id = %(namespace_id)s) AS graph,
       EXISTS (SELECT FROM lore_entries WHERE namespace_id = %(namespace_id)s) AS lore,
       EXISTS (SELECT FROM documents WHERE namespace_id = %(namespace_id)s AND kind = 1 AND deleted_at IS NULL) AS documents,
       EXISTS (SELECT FROM documents WHERE namespace_id = %(namespace_id)s AND kind = 2 AND deleted_at IS NULL) AS files,
       EXISTS (SELECT FROM documents
                WHERE namespace_id = %(namespace_id)s AND conversation_id IS NOT NULL AND deleted_at IS NULL)
       AS conversation_documents;

-- source_messages --
-- For each memory of a fact, the messages that state it with their quotes, the latest first.
SELECT i.id AS memory_id, array_agg(e.message_id ORDER BY e.said_at DESC, e.message_id DESC) AS message_ids,
       array_agg(e.quote ORDER BY e.said_at DESC, e.message_id DESC) AS quotes
  FROM fact_intervals i
  JOIN fact_evidence e ON e.namespace_id = %(namespace_id)s AND e.fact_id = i.fact_id
 WHERE i.namespace_id = %(namespace_id)s AND i.id = ANY(%(source_ids)b) AND e.message_id IS NOT NULL AND NOT e.contradicts
 GROUP BY i.id;

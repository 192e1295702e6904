-- The index over all kinds of memories. It can be rebuilt from the primary data, except memory_classes and memory_use,
-- which store callers' input.

CREATE SEQUENCE memory_ids AS bigint;
COMMENT ON SEQUENCE memory_ids IS 'Ids of passages, over all namespaces and partitions.';
GRANT USAGE ON SEQUENCE memory_ids TO everword_ingest, everword_compactor;
GRANT SELECT ON SEQUENCE memory_ids TO everword_ingest;

CREATE TABLE memories (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint NOT NULL DEFAULT nextval('memory_ids'),
    kind smallint NOT NULL,
    source_id uuid NOT NULL,
    part integer NOT NULL DEFAULT 0,
    conversation_id uuid,
    seq bigint,
    agent text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    channel text NOT NULL DEFAULT '',
    instance text NOT NULL DEFAULT '',
    author text NOT NULL DEFAULT '',
    role smallint NOT NULL DEFAULT 0,
    tags text[] NOT NULL DEFAULT '{}',
    importance_class smallint NOT NULL DEFAULT 0,
    automated boolean NOT NULL DEFAULT false,
    occurred_at timestamptz NOT NULL,
    content text NOT NULL,
    lexemes tsvector NOT NULL,
    lexeme_count integer NOT NULL,
    literals text,
    -- Hashes do not compress; trying to would slow every write.
    ranking bytea STORAGE EXTERNAL,
    valid_from timestamptz,
    valid_until timestamptz,
    known_from timestamptz,
    known_until timestamptz,
    PRIMARY KEY (namespace_id, id)
) PARTITION BY HASH (namespace_id);
COMMENT ON TABLE memories IS 'Passages. Services read visible_memories: under a row-level policy, text operators would use no index.';
COMMENT ON COLUMN memories.source_id IS 'The public id of the memory that the passage is of.';
COMMENT ON COLUMN memories.part IS 'Number of the passage in its source, from 0; -1 is the sentence about a tool call.';
COMMENT ON COLUMN memories.content IS 'The text of the passage, as it was sent.';
COMMENT ON COLUMN memories.lexemes IS 'The indexed words: of the text, the author and the time.';
COMMENT ON COLUMN memories.lexeme_count IS 'BM25''s document length: occurrences of lexemes, after stop words.';
COMMENT ON COLUMN memories.literals IS 'File names, versions, addresses and the like, for the trigram arm.';
COMMENT ON COLUMN memories.ranking IS 'Ranking record (everword.text.ranking_record); NULL if the passage is older than these.';
COMMENT ON COLUMN memories.valid_from IS 'Start of validity; NULL if unlimited.';
COMMENT ON COLUMN memories.valid_until IS 'End of validity, exclusive; NULL if unknown.';
COMMENT ON COLUMN memories.known_from IS 'Start of the time in which the service believes it; NULL if since it was stored.';
COMMENT ON COLUMN memories.known_until IS 'End of the time in which the service believed it, exclusive; NULL if it is current.';
-- A passage is indexed once.
CREATE UNIQUE INDEX memories_source ON memories (namespace_id, source_id, part);
CREATE INDEX memories_conversation ON memories (namespace_id, conversation_id, seq);
-- Every search reads the pending list of an index over words once for each word: at 1.2 MB that took 10 of 28 ms. With
-- a sixteenth of the default limit an append costs PostgreSQL about 7 % more; without a pending list, 23 %.
CREATE INDEX memories_lexemes ON memories USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit = 256);
CREATE INDEX memories_literals ON memories USING gin (namespace_id, literals gin_trgm_ops) WITH (gin_pending_list_limit = 256)
    WHERE literals IS NOT NULL;
-- Partial, so that an append without these values costs nothing. Agents, channels and instances have no index: each has a large
-- share of the passages.
CREATE INDEX memories_subject ON memories (namespace_id, subject) WHERE subject <> '';
CREATE INDEX memories_author ON memories (namespace_id, author) WHERE author <> '';
-- With `tags <> '{}'` as the condition, the planner multiplies its selectivity with that of the tag and expects far too few
-- rows. No pending list, as every search would read it.
CREATE INDEX memories_tags ON memories USING gin (namespace_id, tags) WITH (fastupdate = off) WHERE tags[1] IS NOT NULL;
-- Finds all passages of a time range. The first passage of a memory has the lowest `part`.
CREATE INDEX memories_time ON memories (namespace_id, occurred_at, source_id, part);
CREATE INDEX memories_ending ON memories (namespace_id, valid_until, source_id) WHERE part = 0 AND valid_until IS NOT NULL;
SELECT create_partitions('memories'), isolate_table('memories', 'in_scope(agent, subject)');
GRANT SELECT (namespace_id, id, kind, source_id, part, content, lexeme_count, valid_until, known_until), INSERT,
    UPDATE (valid_until, known_until), DELETE ON memories TO everword_ingest, everword_compactor;
GRANT UPDATE (importance_class) ON memories TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 2, 'memories', '', NULL, 'remove_passages removes them, with their vectors.');
INSERT INTO transfer_rules VALUES ('memories', 100, 'passage', '{id}', 'A row of the index, without its vectors.', '{id}');

-- Most subjects and authors belong to one namespace. Without these statistics the planner expects few passages for a
-- subject that has all of a namespace's, and reads all of them to return the newest. Statistics belong to a partition,
-- not to the partitioned table.
DO $$
DECLARE
    partition text;
BEGIN
    FOR partition IN
        SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
         WHERE inhparent = 'memories'::regclass ORDER BY relname
    LOOP
        EXECUTE format('CREATE STATISTICS %I (dependencies) ON namespace_id, subject FROM %I',
                       partition || '_subject', partition);
        EXECUTE format('CREATE STATISTICS %I (dependencies) ON namespace_id, author FROM %I',
                       partition || '_author', partition);
    END LOOP;
END $$;

CREATE FUNCTION is_passage_shown(conversation uuid, speaker text, passage bigint) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT conversation IS NULL
        OR strpos(nullif(current_setting('everword.hidden_conversations', true), ''), conversation::text) = 0
           AND coalesce((nullif(current_setting('everword.hidden_authors', true), '')::jsonb -> speaker ->> 1)::bigint < passage, true)
$$;
COMMENT ON FUNCTION is_passage_shown IS
    'Return whether a passage is visible: false if an erasure of its conversation or speaker was in progress when the transaction '
    'began. Reads only settings.';

-- The view has its owner's rights and no security barrier, so that the planner can use text operators in index scans.
-- The settings for hidden rows are set once per transaction, and read once per statement.
CREATE VIEW visible_memories AS
SELECT namespace_id, id, kind, source_id, part, conversation_id, seq, agent, subject, channel, instance, author, role, tags,
       importance_class, automated, occurred_at, content, lexemes, lexeme_count, literals, ranking,
       valid_from, valid_until, known_from, known_until
  FROM memories
 WHERE namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint
   AND ((SELECT coalesce(current_setting('everword.hides', true), '') IN ('', '0'))
        OR is_passage_shown(conversation_id, author, id))
  WITH LOCAL CHECK OPTION;
COMMENT ON VIEW visible_memories IS 'Memories of the current namespace, without those being erased.';
GRANT SELECT ON visible_memories TO everword_ingest, everword_search, everword_compactor, everword_embedder;

CREATE VIEW everword_scoped.visible_memories AS
SELECT * FROM everword.visible_memories WHERE everword.in_scope(agent, subject)
  WITH CASCADED CHECK OPTION;
COMMENT ON VIEW everword_scoped.visible_memories IS 'Memories in the agent or subject scope of the transaction.';
GRANT SELECT ON everword_scoped.visible_memories TO everword_ingest_scoped, everword_search_scoped;

CREATE TABLE memory_classes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id)
);
COMMENT ON TABLE memory_classes IS 'Importance classes that callers gave to memories after they were stored.';
SELECT isolate_table('memory_classes', NULL);
GRANT SELECT, INSERT, UPDATE ON memory_classes TO everword_ingest;
GRANT SELECT ON memory_classes TO everword_search, everword_compactor;
INSERT INTO erasure_rules VALUES ('source', 11, 'memory_classes', 'memory_id');
INSERT INTO transfer_rules VALUES ('memory_classes', 97, 'memory_class', '{memory_id}', 'Importance of a memory, set by a caller.');

CREATE TABLE memory_use (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    use_count bigint NOT NULL DEFAULT 0,
    last_used_at timestamptz NOT NULL,
    PRIMARY KEY (namespace_id, memory_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE memory_use IS 'Number of uses of a memory. A narrow table with free space, so that an update stays on its page.';
SELECT isolate_table('memory_use', NULL);
GRANT SELECT, INSERT, UPDATE ON memory_use TO everword_ingest, everword_search;
INSERT INTO erasure_rules VALUES ('source', 10, 'memory_use', 'memory_id');
INSERT INTO transfer_rules VALUES ('memory_use', 96, 'memory_use', '{memory_id}');

CREATE TABLE importance_suggestions (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL CHECK (importance_class BETWEEN 1 AND 4),
    model text NOT NULL,
    prompt_version text NOT NULL,
    suggested_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, memory_id)
);
COMMENT ON TABLE importance_suggestions IS 'Importance classes suggested by background work, used if no caller set one. Derived.';
SELECT isolate_table('importance_suggestions', NULL);
GRANT SELECT ON importance_suggestions TO everword_search;
GRANT SELECT, INSERT, UPDATE, DELETE ON importance_suggestions TO everword_compactor;
INSERT INTO erasure_rules VALUES ('source', 12, 'importance_suggestions', 'memory_id');
INSERT INTO transfer_rules VALUES ('importance_suggestions', 98, 'importance_suggestion', '{memory_id}');

CREATE TABLE author_names (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    name text NOT NULL,
    PRIMARY KEY (namespace_id, name)
);
COMMENT ON TABLE author_names IS 'Lower-case words of authors'' names, by which queries are matched with authors.';
SELECT isolate_table('author_names', NULL);
GRANT INSERT ON author_names TO everword_ingest, everword_compactor;
GRANT SELECT ON author_names TO everword_search;
INSERT INTO erasure_rules VALUES ('kept', 5, 'author_names', '', NULL, 'finish_erasure removes names that nobody has any more.');
INSERT INTO transfer_rules VALUES ('author_names', 99, 'author_name', '{name}', 'Word of the name of an author.');

CREATE TABLE corpus_counts (
    id bigint GENERATED ALWAYS AS IDENTITY,
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    conversations bigint NOT NULL DEFAULT 0,
    messages bigint NOT NULL DEFAULT 0,
    turns bigint NOT NULL DEFAULT 0,
    passages bigint NOT NULL DEFAULT 0,
    lexemes bigint NOT NULL DEFAULT 0,
    content_bytes bigint NOT NULL DEFAULT 0,
    dropped bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE corpus_counts IS 'Counts and BM25 statistics: the sum of a namespace''s rows. Each write adds a row; a task merges rows.';
COMMENT ON COLUMN corpus_counts.dropped IS 'Deleted passages. Two equal sums of `passages` and `dropped` mean the same passages.';
GRANT SELECT, INSERT, UPDATE (id), DELETE ON corpus_counts TO everword_ingest;
GRANT SELECT ON corpus_counts TO everword_search, everword_embedder;
GRANT SELECT, INSERT ON corpus_counts TO everword_compactor;
INSERT INTO transfer_rules VALUES
    ('corpus_counts', 101, 'count', '{messages}', 'Sums for ranking and statistics.', '{id}', 'true', 'transferred_counts');

CREATE TABLE change_numbers (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces,
    last_number bigint NOT NULL
);
COMMENT ON TABLE change_numbers IS 'The last number that `number_changes` gave to a change of a namespace.';
SELECT isolate_table('change_numbers');
GRANT SELECT, INSERT, UPDATE (last_number) ON change_numbers TO everword_ingest, everword_search;
INSERT INTO transfer_rules VALUES ('change_numbers', 207, NULL, '{}', 'Numbers of changes that are not transferred.');

CREATE TABLE index_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces,
    id bigint GENERATED ALWAYS AS IDENTITY,
    number bigint,
    removed bigint[] NOT NULL DEFAULT '{}',
    closed bigint[] NOT NULL DEFAULT '{}',
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE index_changes IS 'Changes of the index in the last day, except added passages. Readers request rows after a number.';
COMMENT ON COLUMN index_changes.number IS 'Position among the changes of the namespace; NULL until `number_changes` sets it.';
CREATE INDEX index_changes_by_number ON index_changes (namespace_id, number) WHERE number IS NOT NULL;
CREATE INDEX index_changes_unnumbered ON index_changes (namespace_id) WHERE number IS NULL;
COMMENT ON COLUMN index_changes.removed IS 'Deleted passages.';
COMMENT ON COLUMN index_changes.closed IS 'Passages with changed validity or belief times.';
CREATE INDEX index_changes_by_age ON index_changes (namespace_id, changed_at);
SELECT isolate_table('index_changes', NULL);
GRANT SELECT, UPDATE (number) ON index_changes TO everword_search;
GRANT SELECT, INSERT, UPDATE (number), DELETE ON index_changes TO everword_ingest, everword_compactor;
INSERT INTO transfer_rules VALUES ('index_changes', 202, NULL, '{}', 'Changes for the caches of another deployment.');

CREATE FUNCTION log_index_change(removed bigint[], closed bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
BEGIN
    INSERT INTO index_changes (namespace_id, removed, closed) VALUES (namespace, removed, closed);
    DELETE FROM index_changes
     WHERE namespace_id = namespace AND id IN (
           SELECT c.id FROM index_changes c
            WHERE c.namespace_id = namespace AND c.changed_at < now() - interval '1 day'
            ORDER BY c.changed_at LIMIT 100 FOR UPDATE SKIP LOCKED);
END $$;
COMMENT ON FUNCTION log_index_change IS 'Log a change of the index of the current namespace, and delete entries older than a day.';

CREATE TABLE memory_changes (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    number bigint,
    memory_ids uuid[] NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE memory_changes IS
    'Memories added, changed or removed in the last day. Each statement that writes `memories` adds a row. Readers request rows '
    'after a number.';
COMMENT ON COLUMN memory_changes.number IS 'Position among the changes of the namespace; NULL until `number_changes` sets it.';
CREATE INDEX memory_changes_by_number ON memory_changes (namespace_id, number) WHERE number IS NOT NULL;
CREATE INDEX memory_changes_unnumbered ON memory_changes (namespace_id) WHERE number IS NULL;
CREATE INDEX memory_changes_by_age ON memory_changes (changed_at);
SELECT isolate_table('memory_changes');
-- Scoped calls add rows for their own changes, but read none.
CREATE POLICY scope ON memory_changes FOR INSERT TO everword_scoped
    WITH CHECK (namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint);
GRANT SELECT, UPDATE (number) ON memory_changes TO everword_ingest, everword_search;
GRANT INSERT ON memory_changes TO everword_ingest, everword_compactor;
INSERT INTO transfer_rules VALUES ('memory_changes', 203, NULL, '{}', 'Changes for watchers, kept for a day.');

CREATE FUNCTION log_memory_changes(sources uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    changed constant uuid[] := ARRAY(SELECT DISTINCT source FROM unnest(sources) AS source);
BEGIN
    IF cardinality(changed) > 0 THEN
        INSERT INTO memory_changes (namespace_id, memory_ids) VALUES (namespace, changed);
    END IF;
END $$;
COMMENT ON FUNCTION log_memory_changes IS 'Log memories whose passages were added, changed or removed; every function that does so calls it.';

CREATE FUNCTION update_memory_class(namespace bigint, memory uuid, class smallint) RETURNS boolean
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    UPDATE memories SET importance_class = class WHERE namespace_id = namespace AND source_id = memory;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM log_memory_changes(ARRAY[memory]);
    RETURN true;
END $$;
COMMENT ON FUNCTION update_memory_class IS 'Set the importance class of a memory''s passages; return whether it has any.';

CREATE FUNCTION number_changes(namespace bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    last bigint;
    numbered bigint;
BEGIN
    SELECT c.last_number INTO last FROM change_numbers c WHERE c.namespace_id = namespace;
    IF pg_is_in_recovery()
       OR NOT EXISTS (SELECT FROM memory_changes c WHERE c.namespace_id = namespace AND c.number IS NULL)
       AND NOT EXISTS (SELECT FROM index_changes c WHERE c.namespace_id = namespace AND c.number IS NULL) THEN
        RETURN coalesce(last, 0);
    END IF;
    -- Locks the row. The following statements see all changes that were committed before. So a change with a lower
    -- number is visible whenever one with a higher number is.
    INSERT INTO change_numbers AS c (namespace_id, last_number) VALUES (namespace, 0)
        ON CONFLICT (namespace_id) DO UPDATE SET last_number = c.last_number
    RETURNING last_number INTO last;
    WITH due AS (
        SELECT c.id, last + row_number() OVER (ORDER BY c.id) AS number
          FROM memory_changes c WHERE c.namespace_id = namespace AND c.number IS NULL
    )
    UPDATE memory_changes c SET number = due.number FROM due WHERE c.namespace_id = namespace AND c.id = due.id;
    GET DIAGNOSTICS numbered = ROW_COUNT;
    last := last + numbered;
    WITH due AS (
        SELECT c.id, last + row_number() OVER (ORDER BY c.id) AS number
          FROM index_changes c WHERE c.namespace_id = namespace AND c.number IS NULL
    )
    UPDATE index_changes c SET number = due.number FROM due WHERE c.namespace_id = namespace AND c.id = due.id;
    GET DIAGNOSTICS numbered = ROW_COUNT;
    last := last + numbered;
    UPDATE change_numbers c SET last_number = last WHERE c.namespace_id = namespace;
    RETURN last;
END $$;
COMMENT ON FUNCTION number_changes IS
    'Number the committed changes of a namespace, and return the last number. Writers do not number their changes, '
    'because they would have to wait for each other. A standby only returns the last number.';

CREATE FUNCTION unnumbered_namespaces() RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT namespace_id FROM memory_changes WHERE number IS NULL
    UNION SELECT namespace_id FROM index_changes WHERE number IS NULL
$$;
COMMENT ON FUNCTION unnumbered_namespaces IS 'Return the namespaces with changes that have no number yet.';

CREATE FUNCTION old_memory_changes(keep interval, batch integer) RETURNS TABLE(namespace_id bigint, change_ids bigint[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT o.namespace_id, array_agg(o.id)
      FROM (SELECT c.namespace_id, c.id FROM memory_changes c
             WHERE c.changed_at < now() - keep ORDER BY c.changed_at LIMIT batch) AS o
     GROUP BY 1
$$;
COMMENT ON FUNCTION old_memory_changes IS 'Return at most `batch` changes older than `keep`, by namespace.';

CREATE FUNCTION prune_memory_changes(namespace bigint, change_ids bigint[], keep interval) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    pruned bigint;
BEGIN
    DELETE FROM memory_changes c
     WHERE c.namespace_id = namespace AND c.changed_at < now() - keep
       AND c.id IN (SELECT o.id FROM memory_changes o
                     WHERE o.namespace_id = namespace AND o.id = ANY(change_ids) FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS pruned = ROW_COUNT;
    RETURN pruned;
END $$;
COMMENT ON FUNCTION prune_memory_changes IS 'Delete those of these changes that are older than `keep` and not locked; return how many.';

CREATE FUNCTION drop_derived_passages(namespace bigint, sources uuid[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    dropped bigint[];
    changed uuid[];
    words bigint;
    generation bigint;
BEGIN
    -- Passages of messages (kind 1) are never deleted, except sentences about tool calls (part -1).
    WITH gone AS (
        DELETE FROM memories
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind <> 1 OR part = -1)
        RETURNING id, lexeme_count, source_id
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), coalesce(sum(lexeme_count), 0), array_agg(source_id)
      INTO dropped, words, changed FROM gone;
    IF cardinality(dropped) = 0 THEN
        RETURN 0;
    END IF;
    PERFORM log_memory_changes(changed);
    DELETE FROM embedding_queue WHERE namespace_id = namespace AND memory_id = ANY(dropped);
    FOR generation IN SELECT id FROM model_generations ORDER BY id LOOP
        EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND memory_id = ANY($2)', 'memory_vectors_' || generation)
          USING namespace, dropped;
    END LOOP;
    INSERT INTO corpus_counts (namespace_id, passages, dropped, lexemes)
    VALUES (namespace, -cardinality(dropped), cardinality(dropped), -words);
    PERFORM log_index_change(dropped, '{}');
    RETURN cardinality(dropped);
END $$;
COMMENT ON FUNCTION drop_derived_passages IS
    'Delete passages, except of messages, of these memories; return how many.';

CREATE FUNCTION close_derived_passages(namespace bigint, sources uuid[], until timestamptz, disbelieved timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    changed bigint[];
    changed_sources uuid[];
BEGIN
    -- Every writer locks in the order of ids. Passages of messages are never closed; see drop_derived_passages.
    PERFORM id FROM memories
      WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind IN (2, 4, 6) OR part = -1)
      ORDER BY id FOR UPDATE;
    WITH closed AS (
        UPDATE memories SET valid_until = coalesce(until, valid_until), known_until = coalesce(disbelieved, known_until)
         WHERE namespace_id = namespace AND source_id = ANY(sources) AND (kind IN (2, 4, 6) OR part = -1)
        RETURNING id, source_id
    )
    SELECT coalesce(array_agg(id ORDER BY id), '{}'), array_agg(source_id) INTO changed, changed_sources FROM closed;
    IF cardinality(changed) > 0 THEN
        PERFORM log_memory_changes(changed_sources);
        PERFORM log_index_change('{}', changed);
    END IF;
    RETURN cardinality(changed);
END $$;
COMMENT ON FUNCTION close_derived_passages IS 'Set valid_until and known_until of passages of these memories, unless NULL; return how many.';

GRANT EXECUTE ON FUNCTION is_passage_shown TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT EXECUTE ON FUNCTION old_memory_changes, prune_memory_changes, unnumbered_namespaces TO everword_ingest;
GRANT EXECUTE ON FUNCTION update_memory_class TO everword_ingest;
GRANT EXECUTE ON FUNCTION number_changes TO everword_ingest, everword_search;
GRANT EXECUTE ON FUNCTION log_memory_changes, log_index_change TO everword_ingest, everword_compactor;
GRANT EXECUTE ON FUNCTION drop_derived_passages, close_derived_passages TO everword_ingest, everword_compactor;

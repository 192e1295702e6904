-- Export and import of a namespace: one record per row, in a fixed order, with its ids.

CREATE TABLE namespace_imports (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    lines bigint NOT NULL CHECK (lines >= 0),
    digest bytea NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (namespace_id)
);
COMMENT ON TABLE namespace_imports IS 'Progress of the import that created a namespace.';
COMMENT ON COLUMN namespace_imports.lines IS 'Lines of the file that are stored.';
COMMENT ON COLUMN namespace_imports.digest IS 'SHA-256 of these lines: an import resumes only with the same file.';
SELECT isolate_table('namespace_imports');
GRANT SELECT, INSERT, UPDATE ON namespace_imports TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 19, 'namespace_imports', '', NULL, 'A count and a hash.');
INSERT INTO transfer_rules VALUES ('namespace_imports', 206, NULL, '{}', 'Origin of a namespace.');

-- Rows of corpus_counts are merged at any time, so an export contains their sum.
CREATE VIEW transferred_counts AS
SELECT namespace_id, sum(conversations)::bigint AS conversations, sum(messages)::bigint AS messages, sum(turns)::bigint AS turns,
       sum(passages)::bigint AS passages, sum(lexemes)::bigint AS lexemes, sum(content_bytes)::bigint AS content_bytes,
       sum(dropped)::bigint AS dropped
  FROM corpus_counts
 GROUP BY namespace_id;

CREATE FUNCTION transferred_columns(rule transfer_rules) RETURNS text[]
LANGUAGE sql STABLE SET search_path = everword, pg_temp AS $$
    SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
     WHERE attrelid = to_regclass(rule.relation) AND attnum > 0 AND NOT attisdropped
       AND attname <> 'namespace_id' AND attname <> ALL(rule.omitted)
$$;
COMMENT ON FUNCTION transferred_columns IS 'Return the fields of a record in order.';

CREATE FUNCTION fix_forms() RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
BEGIN
    -- SET LOCAL and not set_config(), which would change the coordinator of a distributed database only.
    SET LOCAL timezone = 'UTC';
    SET LOCAL bytea_output = 'hex';
    SET LOCAL extra_float_digits = 1;
END $$;
COMMENT ON FUNCTION fix_forms IS 'Make the text form of values the same in every database, until the end of the transaction.';

CREATE FUNCTION is_erasing() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := erasing_namespace();
BEGIN
    RETURN EXISTS (SELECT 1 FROM erasures WHERE namespace_id = namespace AND state = 1);
END $$;
COMMENT ON FUNCTION is_erasing IS
    'Return whether an erasure is in progress. A node has a snapshot for each role, so this runs as the role of export_rows.';

CREATE FUNCTION export_rows(record_ text, after_ jsonb) RETURNS TABLE(line text, key jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    rule transfer_rules;
    keys text;
    ordered text;
    later text := '';
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    -- The collation C sorts the same in every database.
    SELECT string_agg(format('t.%I', k.name), ', ' ORDER BY k.place),
           string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
           format(' AND (%s) > (%s)', string_agg(format('t.%I', k.name) || k.collated, ', ' ORDER BY k.place),
                  string_agg(format('($2->>%s)::%s', k.place - 1, k.type), ', ' ORDER BY k.place))
           -- This condition allows an index scan on the first key column.
           || coalesce(max(format(' AND t.%I >= ($2->>0)::%s', k.name, k.type)) FILTER (WHERE k.place = 1 AND k.collated = ''), '')
      INTO keys, ordered, later
      FROM (SELECT name, place, format_type(a.atttypid, a.atttypmod) AS type,
                   CASE WHEN a.atttypid = 'text'::regtype THEN ' COLLATE "C"' ELSE '' END AS collated
              FROM unnest(rule.keys) WITH ORDINALITY AS k (name, place)
              JOIN pg_attribute a ON a.attrelid = to_regclass(coalesce(rule.source, rule.relation)) AND a.attname = k.name) AS k;
    RETURN QUERY EXECUTE format(
        'SELECT %1$L || row_to_json((SELECT c FROM (SELECT %2$s) AS c))::text || ''}'', jsonb_build_array(%3$s)'
        '  FROM %4$I t WHERE t.namespace_id = $1 AND (%5$s)%6$s ORDER BY %7$s LIMIT %8$s',
        format('{"%s":', record_), (SELECT string_agg(format('t.%I', c), ', ') FROM unnest(transferred_columns(rule)) AS c),
        keys, coalesce(rule.source, rule.relation), rule.only_where, CASE WHEN after_ IS NULL THEN '' ELSE later END, ordered,
        rule.page)
    USING erasing_namespace(), after_;
END $$;
COMMENT ON FUNCTION export_rows IS 'Return the next records of a kind after a key, in the current namespace.';

CREATE FUNCTION import_rows(record_ text, rows_ jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := erasing_namespace();
    rule transfer_rules;
    sources uuid[];
    parts integer[];
    fields text[];
    columns text;
    broken bigint;
    unknown text;
BEGIN
    SELECT * INTO STRICT rule FROM transfer_rules WHERE record = record_;
    PERFORM FROM namespaces WHERE id = namespace AND state = 'importing' FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the namespace is not being imported' USING ERRCODE = 'serialization_failure';
    END IF;
    -- Fields that an older file lacks get their defaults.
    SELECT coalesce(array_agg(c ORDER BY place), '{}') INTO fields
      FROM unnest(transferred_columns(rule)) WITH ORDINALITY AS t (c, place)
     WHERE rows_ #> ARRAY['0', c] IS NOT NULL;
    SELECT e.place, (SELECT k FROM jsonb_object_keys(e.value) AS k WHERE k <> ALL(transferred_columns(rule)) LIMIT 1)
      INTO broken, unknown
      FROM jsonb_array_elements(rows_) WITH ORDINALITY AS e (value, place)
     WHERE NOT e.value ?& fields OR (SELECT count(*) FROM jsonb_object_keys(e.value)) <> cardinality(fields)
     ORDER BY e.place LIMIT 1;
    IF broken IS NOT NULL OR fields = '{}' THEN
        RAISE EXCEPTION '%', coalesce('this version of Everword does not know its field ' || unknown,
                                      'it does not have the fields ' || array_to_string(transferred_columns(rule), ', '))
              USING ERRCODE = 'invalid_parameter_value', DETAIL = coalesce(broken, 1);
    END IF;
    SELECT string_agg(format('%I', c), ', ') INTO columns FROM unnest(fields) AS c;
    -- Identity columns number the rows in the order of the file.
    BEGIN
        EXECUTE format(
            'INSERT INTO %1$I (namespace_id, %2$s) SELECT $1, %2$s '
            '  FROM jsonb_populate_recordset(NULL::%1$I, $2) WITH ORDINALITY AS r ORDER BY r.ordinality', rule.relation, columns)
        USING namespace, rows_;
    EXCEPTION WHEN internal_error THEN
        -- Citus copies the rows to their node, and omits the SQLSTATE and the column of its error.
        RAISE EXCEPTION '%', SQLERRM USING
            COLUMN = coalesce(substring(SQLERRM FROM '^null value in column "([^"]+)"'), ''),
            ERRCODE = CASE WHEN SQLERRM LIKE '%foreign key constraint%' THEN 'foreign_key_violation'
                           WHEN SQLERRM LIKE '%unique constraint%' THEN 'unique_violation'
                           WHEN SQLERRM LIKE '%check constraint%' THEN 'check_violation'
                           WHEN SQLERRM LIKE '%not-null constraint%' THEN 'not_null_violation'
                           ELSE 'internal_error' END;
    END;
    IF record_ = 'passage' THEN
        -- A record of another version, or a truncated one, would be misread.
        IF EXISTS (SELECT FROM jsonb_to_recordset(rows_) AS r (ranking bytea)
                    WHERE r.ranking IS NOT NULL
                      AND (octet_length(r.ranking) < 8 OR octet_length(r.ranking) % 4 <> 0 OR get_byte(r.ranking, 0) <> 1)) THEN
            RAISE EXCEPTION 'ranking is no ranking record of version 1' USING ERRCODE = 'invalid_parameter_value';
        END IF;
        PERFORM log_memory_changes(ARRAY(SELECT r.source_id FROM jsonb_to_recordset(rows_) AS r (source_id uuid)));
        SELECT array_agg(r.source_id), array_agg(r.part) INTO sources, parts
          FROM jsonb_to_recordset(rows_) AS r (kind smallint, source_id uuid, part integer, content text)
         WHERE needs_vector(namespace, r.kind, r.source_id, r.part, r.content);
        INSERT INTO embedding_queue (namespace_id, memory_id, generation_id)
        SELECT m.namespace_id, m.id, g.id
          FROM memories m
          JOIN unnest(sources, parts) AS wanted (source_id, part) ON wanted.source_id = m.source_id AND wanted.part = m.part
         CROSS JOIN model_generations g
         WHERE m.namespace_id = namespace AND g.state IN ('building', 'active')
         ORDER BY m.id;
    END IF;
    RETURN jsonb_array_length(rows_);
END $$;
COMMENT ON FUNCTION import_rows IS 'Store records in the current namespace, which is importing, enqueue their vectors, and return how many.';

CREATE FUNCTION import_jobs(tasks text[], subjects text[], delays_s double precision[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    PERFORM enqueue_jobs(erasing_namespace(), tasks, subjects, delays_s, '{}', false, false, NULL);
END $$;
COMMENT ON FUNCTION import_jobs IS 'Store jobs in the current namespace.';

CREATE FUNCTION advance_import(stored bigint, lines_ bigint, digest_ bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := erasing_namespace();
BEGIN
    UPDATE namespace_imports SET lines = lines_, digest = digest_ WHERE namespace_id = namespace AND lines = stored;
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION advance_import IS
    'Lock and store the progress of an import; false if not `stored` lines are stored. It has the role of import_rows, because a '
    'node refuses the writes of two roles in one transaction.';

CREATE FUNCTION newer_erasure() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := erasing_namespace();
    here constant uuid[] := ARRAY(SELECT id FROM erasures WHERE namespace_id = namespace);
    copy record;
BEGIN
    -- Copies of a namespace have the same salt and creation time.
    FOR copy IN SELECT n.id, n.name
                  FROM namespaces own
                  JOIN namespaces n ON n.erasure_salt IS NOT DISTINCT FROM own.erasure_salt AND n.created_at = own.created_at
                                   AND n.id <> own.id AND n.state <> 'deleting'
                 WHERE own.id = namespace ORDER BY n.id LOOP
        IF EXISTS (SELECT 1 FROM erasures WHERE namespace_id = copy.id AND id <> ALL(here)) THEN
            RETURN copy.name;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION newer_erasure IS 'Return the name of a copy of the current namespace with an erasure that is missing here.';

GRANT EXECUTE ON FUNCTION transferred_columns, fix_forms, is_erasing, export_rows, import_rows, import_jobs, advance_import,
    newer_erasure TO everword_ingest;

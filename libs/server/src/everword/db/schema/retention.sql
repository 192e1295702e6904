-- Retention policies. Without a policy, rows of a kind are kept for ever.

CREATE TABLE retention_policies (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 7),
    keep_days integer NOT NULL CHECK (keep_days > 0),
    keep_importance smallint NOT NULL DEFAULT 0 CHECK (keep_importance BETWEEN 0 AND 5),
    max_per_run bigint NOT NULL DEFAULT 0 CHECK (max_per_run >= 0),
    keep_quotes boolean NOT NULL DEFAULT false,
    whole_conversations boolean NOT NULL DEFAULT false,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, kind)
);
COMMENT ON TABLE retention_policies IS 'Retention of items of a kind in a namespace; without a row, they are kept for ever.';
COMMENT ON COLUMN retention_policies.kind IS 'Values equal proto RetentionKind.';
COMMENT ON COLUMN retention_policies.keep_days IS 'Days since a message was sent, or since the last activity of an item of another kind.';
COMMENT ON COLUMN retention_policies.keep_importance IS 'Items of at least this importance are kept; 0 keeps none.';
COMMENT ON COLUMN retention_policies.max_per_run IS 'Limit of removals per run; 0 disables it.';
COMMENT ON COLUMN retention_policies.whole_conversations IS
    'For messages: a conversation is removed as a whole, by its last activity.';
SELECT isolate_table('retention_policies');
GRANT SELECT, INSERT, UPDATE, DELETE ON retention_policies TO everword_ingest;
INSERT INTO transfer_rules VALUES ('retention_policies', 11, 'retention_policy', '{kind}');

CREATE TABLE retention_runs (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    night date,
    state smallint NOT NULL DEFAULT 1 CHECK (state BETWEEN 1 AND 2),
    kind smallint NOT NULL DEFAULT 1,
    importance smallint NOT NULL DEFAULT 1,
    after_time timestamptz,
    after_id uuid,
    removed jsonb NOT NULL DEFAULT '{}',
    row_counts jsonb NOT NULL DEFAULT '{}',
    error text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (namespace_id, id),
    CHECK ((state = 2) = (finished_at IS NOT NULL))
);
COMMENT ON TABLE retention_runs IS 'Runs of policies with counts by kind and no content. Unfinished ones are continued by ingest.';
COMMENT ON COLUMN retention_runs.night IS 'The day after whose end it ran; NULL if a caller started it.';
COMMENT ON COLUMN retention_runs.state IS '1 running, 2 done.';
COMMENT ON COLUMN retention_runs.kind IS 'Progress: the kind, the lowest importance, and the time and id of the last item.';
COMMENT ON COLUMN retention_runs.removed IS 'Removed items by kind.';
COMMENT ON COLUMN retention_runs.row_counts IS 'Deleted rows by table.';
CREATE UNIQUE INDEX retention_runs_running ON retention_runs (namespace_id) WHERE state = 1;
CREATE UNIQUE INDEX retention_runs_night ON retention_runs (namespace_id, night) WHERE night IS NOT NULL;
SELECT isolate_table('retention_runs');
GRANT SELECT, INSERT, UPDATE ON retention_runs TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 16, 'retention_runs', '', NULL, 'Counts of rows that policies removed.');
INSERT INTO transfer_rules VALUES ('retention_runs', 12, 'retention_run', '{id}', 'Results of retention policies.');

-- One view per kind of expirable rows, with importance from 1 to 5 and the last activity. Each column is named in the query
-- itself: Citus loses the names of a list of columns after the view's name.
CREATE VIEW retained_messages WITH (security_invoker = true) AS
SELECT m.namespace_id, m.id,
       (CASE coalesce(k.importance_class, m.importance_class) WHEN 4 THEN 5 WHEN 3 THEN 4 ELSE 3 END)::smallint AS importance,
       coalesce(m.metadata ->> 'protected' = 'true', false) AS pinned, m.subject, m.conversation_id, m.occurred_at AS active_at,
       coalesce(c.last_message_at, c.created_at) AS conversation_active_at
  FROM messages m
  JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
  LEFT JOIN memory_classes k ON k.namespace_id = m.namespace_id AND k.memory_id = m.id;
CREATE VIEW retained_notes WITH (security_invoker = true) AS
SELECT n.namespace_id, n.id,
       (CASE k.importance_class WHEN 4 THEN 5 WHEN 3 THEN 4 WHEN 2 THEN 3 WHEN 1 THEN 3 ELSE n.importance END)::smallint AS importance,
       false AS pinned, n.subject, n.conversation_id, v.written_at AS active_at
  FROM notes n
  JOIN note_versions v ON v.namespace_id = n.namespace_id AND v.note_id = n.id AND v.version = n.version
  LEFT JOIN memory_classes k ON k.namespace_id = n.namespace_id AND k.memory_id = n.id
 WHERE n.deleted_at IS NULL;
CREATE VIEW retained_note_versions WITH (security_invoker = true) AS
SELECT v.namespace_id, v.id, v.importance, false AS pinned, v.subject, n.conversation_id,
       v.superseded_at AS active_at
  FROM (SELECT namespace_id, note_id, id, importance, subject,
               lead(written_at) OVER (PARTITION BY namespace_id, note_id ORDER BY version) AS superseded_at
          FROM note_versions) AS v
  JOIN notes n ON n.namespace_id = v.namespace_id AND n.id = v.note_id
 WHERE v.superseded_at IS NOT NULL;
CREATE VIEW retained_document_versions WITH (security_invoker = true) AS
SELECT v.namespace_id, v.id, 3::smallint AS importance, false AS pinned, v.subject, d.conversation_id,
       v.superseded_at AS active_at
  FROM (SELECT namespace_id, document_id, id, subject,
               lead(written_at) OVER (PARTITION BY namespace_id, document_id ORDER BY version) AS superseded_at
          FROM document_versions) AS v
  JOIN documents d ON d.namespace_id = v.namespace_id AND d.id = v.document_id
 WHERE v.superseded_at IS NOT NULL;
CREATE VIEW retained_facts WITH (security_invoker = true) AS
SELECT f.namespace_id, f.id,
       (CASE WHEN f.is_anchor OR f.ruled_at IS NOT NULL THEN 5 WHEN f.hypothesis THEN 2 WHEN f.supporting > 1 THEN 4 ELSE 3 END)::smallint
           AS importance,
       false AS pinned, f.subject, NULL::uuid AS conversation_id, greatest(f.last_seen_at, f.ruled_at, f.verdict_at) AS active_at
  FROM facts f;
CREATE VIEW retained_patterns WITH (security_invoker = true) AS
SELECT p.namespace_id, p.id, least(5, 1 + floor(p.confidence * 5))::smallint AS importance, false AS pinned,
       ''::text AS subject, NULL::uuid AS conversation_id, p.last_seen_at AS active_at
  FROM patterns p;
CREATE VIEW retained_history WITH (security_invoker = true) AS
SELECT h.namespace_id, h.id, 1::smallint AS importance, false AS pinned, h.subject,
       NULL::uuid AS conversation_id, h.changed_at AS active_at
  FROM fact_changes h
 UNION ALL
SELECT h.namespace_id, h.id, 1::smallint AS importance, false AS pinned,
       coalesce(p.subject, e.subject, u.subject, s.subject, t.subject) AS subject, NULL::uuid AS conversation_id,
       h.changed_at AS active_at
  FROM learned_changes h
  LEFT JOIN people p ON p.namespace_id = h.namespace_id AND p.id = h.about_id
  LEFT JOIN events e ON e.namespace_id = h.namespace_id AND e.id = h.about_id
  LEFT JOIN user_models u ON u.namespace_id = h.namespace_id AND u.id = h.about_id
  LEFT JOIN strategies s ON s.namespace_id = h.namespace_id AND s.id = h.about_id
  LEFT JOIN trajectories t ON t.namespace_id = h.namespace_id AND t.id = h.about_id
 UNION ALL
SELECT h.namespace_id, h.id, 1::smallint AS importance, false AS pinned, ''::text AS subject,
       NULL::uuid AS conversation_id, h.decided_at AS active_at
  FROM pattern_decisions h;
COMMENT ON VIEW retained_messages IS 'Messages that retention policies may remove, with importance (1-5). The other views are alike.';
COMMENT ON COLUMN retained_messages.pinned IS 'No policy removes it.';
COMMENT ON COLUMN retained_messages.active_at IS 'When a message was sent; for other kinds, the last activity.';
COMMENT ON COLUMN retained_messages.conversation_active_at IS 'When the latest message of the conversation was sent.';
GRANT SELECT ON retained_messages, retained_notes, retained_note_versions, retained_document_versions, retained_facts, retained_patterns,
    retained_history TO everword_ingest;

CREATE FUNCTION preview_retained(
    namespace bigint, of_kind smallint, highest smallint, until timestamptz, whole_conversations boolean, everything boolean,
    subjects text[], conversations uuid[], sampled integer)
RETURNS TABLE(count bigint, pinned bigint, on_hold bigint, samples uuid[])
LANGUAGE plpgsql STABLE SET search_path = everword, pg_temp AS $$
DECLARE
    expired constant text := format(
        'SELECT id, importance, pinned, $4 OR (subject = ANY($5) OR conversation_id = ANY($6)) IS TRUE AS held FROM %I '
        'WHERE namespace_id = $1 AND importance <= $2 AND %I < $3',
        (ARRAY['retained_messages', 'retained_notes', 'retained_note_versions', 'retained_document_versions', 'retained_facts',
               'retained_patterns', 'retained_history'])[of_kind],
        CASE WHEN of_kind = 1 AND whole_conversations THEN 'conversation_active_at' ELSE 'active_at' END);
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE NOT e.pinned AND NOT e.held), count(*) FILTER (WHERE e.pinned), '
                   'count(*) FILTER (WHERE NOT e.pinned AND e.held) FROM (%s) AS e', expired)
       INTO count, pinned, on_hold USING namespace, highest, until, everything, subjects, conversations;
    EXECUTE format('SELECT array_agg(id ORDER BY importance, id) FROM (SELECT e.id, e.importance FROM (%s) AS e '
                   'WHERE NOT e.pinned AND NOT e.held ORDER BY e.importance, e.id LIMIT $7) AS first', expired)
       INTO samples USING namespace, highest, until, everything, subjects, conversations, sampled;
    RETURN NEXT;
END $$;
COMMENT ON FUNCTION preview_retained IS
    'Count the expired items of a kind that a run would delete, and the kept ones: pinned, or on legal hold. Return the first ids.';

CREATE FUNCTION retire(namespace bigint, of_kind smallint, gone uuid[], keep_quotes boolean) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    theirs uuid[];
    nodes uuid[];
    counts jsonb := '{}';
    old text;
    lost bigint;
    -- Without a pause, each step of a run would interrupt the same jobs again.
    pause constant interval := '30 seconds';
BEGIN
    IF cardinality(gone) > 5000 THEN
        RAISE EXCEPTION 'at most 5000 at once';
    END IF;
    IF cardinality(gone) = 0 THEN
        RETURN '{}';
    END IF;
    CASE of_kind
    WHEN 1 THEN
        SELECT array_agg(DISTINCT conversation_id) INTO theirs FROM messages WHERE namespace_id = namespace AND id = ANY(gone);
        PERFORM fence_jobs(namespace, theirs, pause);
        PERFORM forget_errors(namespace, theirs);
        UPDATE fact_evidence
           SET quote = CASE WHEN keep_quotes THEN quote ELSE '' END, conversation_agent = '', conversation_subject = ''
         WHERE namespace_id = namespace AND message_id = ANY(gone);
        IF NOT keep_quotes THEN
            UPDATE graph_edges SET quote = '' WHERE namespace_id = namespace AND message_id = ANY(gone) AND quote <> '';
            UPDATE learned_evidence SET quote = '…' WHERE namespace_id = namespace AND message_id = ANY(gone);
        END IF;
        counts := remove_messages(namespace, gone, true);
        RETURN merge_erased(counts, retire_conversations(namespace, theirs));
    WHEN 2 THEN
        PERFORM fence_jobs(namespace, NULL, pause);
        RETURN erase_rows(namespace, 'note', gone, '{}');
    WHEN 5 THEN
        PERFORM fence_jobs(namespace, NULL, pause);
        PERFORM withdraw_pages(namespace, gone);
        -- Facts that the deleted facts had superseded stay ended.
        UPDATE fact_intervals SET successor_id = NULL
         WHERE namespace_id = namespace AND successor_id = ANY(gone) AND NOT fact_id = ANY(gone);
        nodes := fact_nodes(namespace, gone);
        counts := erase_rows(namespace, 'fact', gone, '{}');
        RETURN merge_erased(counts, remove_loose_nodes(namespace, nodes));
    WHEN 6 THEN
        RETURN erase_rows(namespace, 'pattern', gone, '{}');
    ELSE
        IF of_kind = 3 THEN
            PERFORM forget_requests(namespace, gone);
        END IF;
        FOREACH old IN ARRAY CASE of_kind WHEN 3 THEN ARRAY['note_versions'] WHEN 4 THEN ARRAY['document_versions']
                                          ELSE ARRAY['fact_changes', 'learned_changes', 'pattern_decisions'] END LOOP
            EXECUTE format('DELETE FROM %I WHERE namespace_id = $1 AND id = ANY($2)', old) USING namespace, gone;
            GET DIAGNOSTICS lost = ROW_COUNT;
            counts := merge_erased(counts, jsonb_build_object(old, lost));
        END LOOP;
        RETURN counts;
    END CASE;
END $$;
COMMENT ON FUNCTION retire IS 'Remove at most 5,000 items of a kind with derived rows; return counts, and ids to recompute.';

CREATE FUNCTION retire_conversations(namespace bigint, ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    each uuid;
    removed uuid[];
    counts jsonb := '{}';
BEGIN
    FOREACH each IN ARRAY coalesce(ids, '{}') LOOP
        CONTINUE WHEN EXISTS (SELECT FROM messages WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM notes WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM documents WHERE namespace_id = namespace AND conversation_id = each)
                   OR EXISTS (SELECT FROM summaries WHERE namespace_id = namespace AND conversation_id = each);
        BEGIN
            counts := merge_erased(counts, erase_rows(namespace, 'conversation', ARRAY[each], '{}'));
            DELETE FROM conversations WHERE namespace_id = namespace AND id = each;
            removed := removed || each;
        EXCEPTION WHEN foreign_key_violation THEN
            NULL; -- something else belongs to it: it stays, without its messages
        END;
    END LOOP;
    IF removed IS NOT NULL THEN
        UPDATE append_requests SET body_hash = '', message_ids = '{}', conversation_id = NULL
         WHERE namespace_id = namespace AND conversation_id = ANY(removed);
        DELETE FROM jobs WHERE namespace_id = namespace AND subject = ANY(removed::text[]);
        INSERT INTO corpus_counts (namespace_id, conversations) VALUES (namespace, -cardinality(removed));
        counts := merge_erased(counts, jsonb_build_object('conversations', cardinality(removed)));
    END IF;
    RETURN counts;
END $$;
COMMENT ON FUNCTION retire_conversations IS 'Delete conversations that have no rows left.';

CREATE FUNCTION running_retention(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT r.namespace_id, r.id FROM retention_runs r JOIN namespaces n ON n.id = r.namespace_id AND n.state = 'active'
     WHERE r.state = 1 ORDER BY r.updated_at LIMIT batch
$$;
COMMENT ON FUNCTION running_retention IS 'Return unfinished runs of all namespaces: ids only.';

CREATE FUNCTION idle_retention()
RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, set_at timestamptz, night date)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT n.id, n.time_zone, n.day_cutoff_minutes, p.set_at, last.night
      FROM (SELECT p.namespace_id, min(p.set_at) AS set_at FROM retention_policies p GROUP BY 1) AS p
      JOIN namespaces n ON n.id = p.namespace_id AND n.state = 'active'
      LEFT JOIN retention_runs running ON running.namespace_id = p.namespace_id AND running.state = 1
      LEFT JOIN LATERAL (SELECT max(r.night) AS night FROM retention_runs r WHERE r.namespace_id = p.namespace_id) AS last ON true
     WHERE running.id IS NULL
$$;
COMMENT ON FUNCTION idle_retention IS 'Return namespaces with policies and no unfinished run, with the settings that determine their next night.';

GRANT EXECUTE ON FUNCTION preview_retained, retire, running_retention, idle_retention TO everword_ingest;

-- Legal holds: data that neither retention nor an erasure removes.

CREATE TABLE legal_holds (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    subject text CHECK (subject <> ''),
    conversation_id uuid,
    reason text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, conversation_id) REFERENCES conversations (namespace_id, id),
    CHECK (num_nonnulls(subject, conversation_id) <= 1)
);
COMMENT ON TABLE legal_holds IS 'Holds on the data of a subject or a conversation; with neither, on the whole namespace.';
CREATE INDEX legal_holds_conversation ON legal_holds (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;
SELECT isolate_table('legal_holds');
GRANT SELECT, INSERT, DELETE ON legal_holds TO everword_ingest;
INSERT INTO erasure_rules VALUES ('kept', 17, 'legal_holds', '', NULL, 'While a hold exists, its data cannot be erased.');
INSERT INTO transfer_rules VALUES ('legal_holds', 93, 'legal_hold', '{id}');

CREATE FUNCTION find_erasure_hold(namespace bigint, of_kind smallint, id_ uuid, name_ text) RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
DECLARE
    rule erasure_rules;
    found uuid;
BEGIN
    SELECT h.id INTO found
      FROM legal_holds h
      LEFT JOIN conversations c ON c.namespace_id = namespace AND c.id = h.conversation_id
     WHERE h.namespace_id = namespace
       AND (num_nonnulls(h.subject, h.conversation_id) = 0
            OR of_kind = 3 AND name_ IN (h.subject, c.subject)
            OR of_kind = 4 AND (
               EXISTS (SELECT FROM messages m WHERE m.namespace_id = namespace AND m.author = name_ AND m.author <> ''
                          AND (m.subject = h.subject OR m.conversation_id = h.conversation_id))
               OR EXISTS (SELECT FROM notes n JOIN note_versions v ON v.namespace_id = namespace AND v.note_id = n.id
                           WHERE n.namespace_id = namespace AND v.author = name_
                             AND (n.subject = h.subject OR n.conversation_id = h.conversation_id))
               OR EXISTS (SELECT FROM documents d JOIN document_versions v ON v.namespace_id = namespace AND v.document_id = d.id
                           WHERE d.namespace_id = namespace AND v.author = name_
                             AND (d.subject = h.subject OR d.conversation_id = h.conversation_id))))
     ORDER BY h.id LIMIT 1;
    IF found IS NOT NULL OR id_ IS NULL THEN
        RETURN found;
    END IF;
    -- A version belongs to the conversation of its note or document.
    IF of_kind = 18 THEN
        SELECT 5, note_id INTO of_kind, id_ FROM note_versions WHERE namespace_id = namespace AND id = id_;
    ELSIF of_kind = 19 THEN
        SELECT 10, document_id INTO of_kind, id_ FROM document_versions WHERE namespace_id = namespace AND id = id_;
    END IF;
    -- Tables without a subject or a conversation have no such keys in jsonb.
    FOR rule IN SELECT r.* FROM erasure_targets t JOIN erasure_rules r ON r.target = t.name AND r.key_column IN ('id', 'edge_id')
                 WHERE t.kind = of_kind
                 UNION ALL
                SELECT 'message', 0, 'messages', 'id', NULL, '', 'true', false WHERE of_kind = 1
                 UNION ALL
                SELECT 'conversation', 0, 'conversations', 'id', NULL, '', 'true', false WHERE of_kind = 2 LOOP
        EXECUTE format($query$
            SELECT h.id
              FROM (SELECT to_jsonb(t) AS data FROM %I t WHERE namespace_id = $1 AND %I = $2) AS item
              LEFT JOIN conversations c ON c.namespace_id = $1
                    AND c.id = CASE WHEN $3 = 2 THEN $2 ELSE (item.data ->> 'conversation_id')::uuid END
              JOIN legal_holds h ON h.namespace_id = $1
                    AND (h.conversation_id = c.id OR h.subject IN (c.subject, item.data ->> 'subject'))
             ORDER BY h.id LIMIT 1
        $query$, rule.relation, rule.key_column) INTO found USING namespace, id_, of_kind;
        IF found IS NOT NULL THEN
            RETURN found;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION find_erasure_hold IS 'Return a legal hold on the target of an erasure or a part of it; NULL if there is none.';

GRANT EXECUTE ON FUNCTION find_erasure_hold TO everword_ingest;

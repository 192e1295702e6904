-- Erasures find the requests that stored what they take by an index; ingest deletes through erasures and policies alone.

CREATE INDEX append_requests_stored ON append_requests USING gin (namespace_id, message_ids) WITH (fastupdate = off);
CREATE INDEX append_requests_conversation ON append_requests (namespace_id, conversation_id) WHERE conversation_id IS NOT NULL;

CREATE OR REPLACE FUNCTION forget_requests(gone uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace bigint := erasing_namespace();
    about_them text[];
BEGIN
    IF cardinality(gone) <= 5000 THEN
        SELECT array_agg(DISTINCT q.request_id) INTO about_them
          FROM unnest(gone) AS erased (id)
          JOIN append_requests q ON q.namespace_id = namespace AND q.message_ids @> ARRAY[erased.id];
    ELSE
        -- So many are compared with all requests sooner than each is looked up.
        SELECT array_agg(DISTINCT q.request_id) INTO about_them
          FROM append_requests q
         CROSS JOIN LATERAL unnest(q.message_ids) AS stored (id)
          JOIN unnest(gone) AS erased (id) ON erased.id = stored.id
         WHERE q.namespace_id = namespace;
    END IF;
    UPDATE append_requests SET body_hash = '', message_ids = '{}'
     WHERE namespace_id = namespace AND request_id = ANY(about_them);
END $$;

REVOKE EXECUTE ON FUNCTION erase_messages(uuid[]), erase_memories(text, uuid[]) FROM everword_ingest;

-- When Sleep is due: as nobody talks any more, and every night.

CREATE TABLE sleep_nights (
    namespace_id bigint PRIMARY KEY REFERENCES namespaces (id),
    night date NOT NULL
);
COMMENT ON TABLE sleep_nights IS 'The latest day of a namespace after whose end its nightly Sleep was done.';
SELECT isolate_table('sleep_nights');
GRANT SELECT, INSERT, UPDATE ON sleep_nights TO everword_compactor;

-- Conversations whose session may have ended, those first that were talked in last.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX jobs_sleeping ON jobs (namespace_id, not_before) WHERE task = 'sleep' AND state = 'pending';

CREATE FUNCTION nightless_namespaces(batch integer, parked interval) RETURNS TABLE (namespace_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT n.id
      FROM namespaces n
     WHERE n.state = 'active'
       AND NOT EXISTS (SELECT FROM jobs j
                        WHERE j.namespace_id = n.id AND j.task = 'sleep' AND j.subject = 'namespace'
                          AND (j.state IN ('pending', 'running') OR j.state = 'failed' AND j.updated_at > now() - parked))
       AND EXISTS (SELECT FROM facts f WHERE f.namespace_id = n.id)
     ORDER BY n.id
     LIMIT batch
$$;
COMMENT ON FUNCTION nightless_namespaces IS
    'Namespaces with facts whose nightly Sleep nobody is to do: ids only. One that was given up for less than `parked` is left out.';
REVOKE ALL ON FUNCTION nightless_namespaces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION nightless_namespaces TO everword_compactor;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('erase_namespace_rows'::regproc), '''sleep_sessions'', ',
                    '''sleep_sessions'', ''sleep_nights'', ');
END $$;

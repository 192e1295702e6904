-- A job is found by its namespace and its id: a database that is spread by namespace has it on one node. The id
-- comes first. Jobs are also looked up by namespace, task and subject. With statistics from before a bulk import, the planner
-- would take an index that begins with the namespace for that, and read all jobs of the namespace.

-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX jobs_by_id_and_namespace ON jobs (id, namespace_id);
-- squawk-ignore ban-drop-constraint
ALTER TABLE jobs DROP CONSTRAINT jobs_pkey;
ALTER TABLE jobs ADD CONSTRAINT jobs_pkey PRIMARY KEY USING INDEX jobs_by_id_and_namespace;

DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('fence_jobs'::regproc),
                    'WHERE id IN (SELECT id FROM jobs WHERE namespace_id',
                    'WHERE namespace_id = erasing_namespace()' || E'\n       AND id IN (SELECT id FROM jobs WHERE namespace_id');
END $$;

-- What a narrow filter lets through is found without reading the rest of a large namespace. A partitioned table has no
-- concurrent way to any of this; appends wait for some seconds where there are millions of passages.

-- Partial: an append that says nothing of these pays nothing for them. Agents, channels and instances have no index: there
-- are few of each, so that each has a large share of the passages.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX memories_subject ON memories (namespace_id, subject) WHERE subject <> '';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX memories_author ON memories (namespace_id, author) WHERE author <> '';
-- The first tag, for `tags <> '{}'` would be taken for a second condition, as if tagged passages were rare among those with
-- a tag: plans would expect far too few. Nothing is left to be merged later, for every search would read that too.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX memories_tags ON memories USING gin (namespace_id, tags) WITH (fastupdate = off) WHERE tags[1] IS NOT NULL;

-- All passages of a time, not the first of each memory alone; which are first still shows in the index.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX memories_time ON memories (namespace_id, occurred_at, source_id, part);

-- Users and authors mostly belong to one namespace. Unless plans know that, they expect few passages where one user has all
-- of a namespace, and read those all to show the newest. Statistics are of a partition, and known once it is analysed.
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
ANALYZE memories;

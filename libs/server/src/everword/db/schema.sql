-- The schema after all migrations, for reading. Made by `make schema`; never edited, never applied.
-- Partitions are left out, and the bodies of functions, of which it has a hash.

CREATE SCHEMA everword;

CREATE SCHEMA everword_scoped;

CREATE TYPE everword.erasure_item AS (
	target text,
	id uuid
);
COMMENT ON TYPE everword.erasure_item IS 'An id that an erasure deletes, with its target in erasure_rules.';

CREATE FUNCTION everword.add_budget_events(reached jsonb, batch uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'c66e708a348b';
COMMENT ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) IS 'Record that budgets of the current namespace reached a threshold.';

CREATE FUNCTION everword.advance_import(stored bigint, lines_ bigint, digest_ bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'ae55899f9da5';
COMMENT ON FUNCTION everword.advance_import(stored bigint, lines_ bigint, digest_ bytea) IS 'Lock and store the progress of an import; false if not `stored` lines are stored. It has the role of import_rows, because a node refuses the writes of two roles in one transaction.';

CREATE FUNCTION everword.api_keys_exist() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '9a4f5688eaa3';
COMMENT ON FUNCTION everword.api_keys_exist() IS 'Return whether a key was ever created: from then on every call needs one.';

CREATE FUNCTION everword.authenticate_key(hash bytea) RETURNS TABLE(api_key_id uuid, role smallint, namespace_id bigint, namespace_name text, agent text, subject text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '74eebb633e78';
COMMENT ON FUNCTION everword.authenticate_key(hash bytea) IS 'Return role and scope of the key with this hash; no row if unknown or ended. Nothing else reads keys.';

CREATE FUNCTION everword.backfill_generation(generation bigint, batch bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'a7974418225a';
COMMENT ON FUNCTION everword.backfill_generation(generation bigint, batch bigint) IS 'Enqueue vectors of older passages of a building generation; return how many passages and namespaces it read, about `batch`.';

CREATE FUNCTION everword.begin_erasure(namespace bigint, erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text, last_passage bigint) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '11d004fa25fe';
COMMENT ON FUNCTION everword.begin_erasure(namespace bigint, erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text, last_passage bigint) IS 'Record an erasure, hide its target, and delete derived data; erase_batch deletes the messages.';

CREATE FUNCTION everword.begin_namespace(namespace bigint, timeout text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '41a6148415ac';
COMMENT ON FUNCTION everword.begin_namespace(namespace bigint, timeout text) IS 'Bind the transaction to a namespace, and set the conversations and authors that are being erased. The settings end with it.';

CREATE FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '04339b10c67b';
COMMENT ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) IS 'Hide a namespace, record its deletion, and return its id; NULL if there is no such namespace.';

CREATE FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS '540ef7c6d489';
COMMENT ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) IS 'Return whether this percentage of one of the limits is used.';

CREATE FUNCTION everword.changed_topics(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '3604b253cef3';
COMMENT ON FUNCTION everword.changed_topics(batch integer, parked interval) IS 'Return namespaces with changes and no job scheduled, or failed for less than `parked`: ids only.';

CREATE FUNCTION everword.channel_policy(policies jsonb, channel text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS 'd136fbc5197d';
COMMENT ON FUNCTION everword.channel_policy(policies jsonb, channel text) IS 'Return the policy of a channel: by exact name, else by the longest prefix before a `*`, else empty.';

CREATE FUNCTION everword.close_deployment() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'a9ce744f631b';
COMMENT ON FUNCTION everword.close_deployment() IS 'Require a key for every call from now on; statements that add keys call it. Only the owner of the schema can undo it.';

CREATE FUNCTION everword.close_derived_passages(namespace bigint, sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'a1ef55f96a64';
COMMENT ON FUNCTION everword.close_derived_passages(namespace bigint, sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) IS 'Set valid_until and known_until of passages of these memories, unless NULL; return how many.';

CREATE FUNCTION everword.copy_privileges(source text, target text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '12a025e91c1d';
COMMENT ON FUNCTION everword.copy_privileges(source text, target text) IS 'Grant a role the privileges of another role in the schema. Migrations call it after their own grants.';

CREATE FUNCTION everword.count_erased(namespace bigint, erasure_id uuid, did jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '354de50701a4';
COMMENT ON FUNCTION everword.count_erased(namespace bigint, erasure_id uuid, did jsonb) IS 'Add to the counts of an erasure.';

CREATE FUNCTION everword.count_items(namespace bigint, items everword.erasure_item[], message_ids uuid[], named text, names text[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'f3b08b48cfc9';
COMMENT ON FUNCTION everword.count_items(namespace bigint, items everword.erasure_item[], message_ids uuid[], named text, names text[]) IS 'Return the rows of items and messages by table, each row once.';

CREATE FUNCTION everword.count_namespace_rows(name_ text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '0b94fa5dc99b';
COMMENT ON FUNCTION everword.count_namespace_rows(name_ text) IS 'Return the number of rows of a namespace by table, in one snapshot, or NULL if there is no such namespace. Takes no locks.';

CREATE FUNCTION everword.count_passages(namespace bigint, sources uuid[]) RETURNS jsonb
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'fb71cad98692';
COMMENT ON FUNCTION everword.count_passages(namespace bigint, sources uuid[]) IS 'Return the rows that remove_passages would delete, by table.';

CREATE FUNCTION everword.create_partitions(parent text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'd1afee1ef3d5';
COMMENT ON FUNCTION everword.create_partitions(parent text) IS 'Create the hash partitions (by namespace_id) of a new table.';

CREATE FUNCTION everword.create_vector_table(generation bigint, indexed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS 'af7aadfc3413';
COMMENT ON FUNCTION everword.create_vector_table(generation bigint, indexed boolean) IS 'Create the table and view of a generation''s vectors, and the index if it is `indexed`.';

CREATE FUNCTION everword.divide_batch(generation bigint, after bigint, batch bigint, few bigint, only_few boolean, early boolean) RETURNS TABLE(namespace_id bigint, share bigint)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '1fa9f4ddc76a';
COMMENT ON FUNCTION everword.divide_batch(generation bigint, after bigint, batch bigint, few bigint, only_few boolean, early boolean) IS 'Return namespaces with pending vectors of a generation, and each one''s share of the next batch. Namespaces take turns, starting after `after`. Each gets at most `few` vectors; if few namespaces have pending vectors, they share the rest. With `only_few`, larger namespaces are skipped. With `early`, derived text is included before its minute has passed.';

CREATE FUNCTION everword.drop_derived_passages(namespace bigint, sources uuid[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '715d057381c8';
COMMENT ON FUNCTION everword.drop_derived_passages(namespace bigint, sources uuid[]) IS 'Delete passages, except of messages, of these memories; return how many.';

CREATE FUNCTION everword.drop_vector_table(generation bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'f48243de5aa8';
COMMENT ON FUNCTION everword.drop_vector_table(generation bigint) IS 'Delete a generation with its vectors.';

CREATE FUNCTION everword.earliest_pending() RETURNS TABLE(generation_id bigint, namespace_id bigint, not_before timestamp with time zone, enqueued_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'bedfcb407927';
COMMENT ON FUNCTION everword.earliest_pending() IS 'Return the next pending vector of each namespace and live generation.';

CREATE FUNCTION everword.enqueue_days(namespace bigint, days date[], subject_list text[], instances text[], conversations uuid[], seq_list bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'a553e13fcef1';
COMMENT ON FUNCTION everword.enqueue_days(namespace bigint, days date[], subject_list text[], instances text[], conversations uuid[], seq_list bigint[]) IS 'Enqueue messages for their days: a row for each day, subject, instance and conversation, with the messages'' sequence numbers.';

CREATE FUNCTION everword.enqueue_jobs(namespace bigint, tasks text[], subjects text[], delays_s double precision[], context jsonb, postpone boolean, only_idle boolean, retry_failed_after_s double precision) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '882db99821d4';
COMMENT ON FUNCTION everword.enqueue_jobs(namespace bigint, tasks text[], subjects text[], delays_s double precision[], context jsonb, postpone boolean, only_idle boolean, retry_failed_after_s double precision) IS 'Make jobs due, in the given order, and return how many were changed. A running job''s worker sees from `dirty_seq` that there is more work; new work gives a parked job another chance. A scheduled job becomes due earlier, or later with `postpone`; a pause after a failure stays. With `only_idle`, jobs that run, failed, or wait for a dependency are not changed, except jobs parked for longer than `retry_failed_after_s`.';

CREATE FUNCTION everword.enqueue_lost_periods(namespace bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '052ef414a91b';
COMMENT ON FUNCTION everword.enqueue_lost_periods(namespace bigint) IS 'Enqueue weeks, months and years that are missing above a node, or stale, although nothing is pending for them.';

CREATE FUNCTION everword.erase_batch(namespace bigint, erasure_id uuid, batch integer) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'a3fbf6d2957b';
COMMENT ON FUNCTION everword.erase_batch(namespace bigint, erasure_id uuid, batch integer) IS 'Delete up to `batch` messages of an erasure with derived data; `done` is true at the end. Can be repeated.';

CREATE FUNCTION everword.erase_facts(namespace bigint, ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '89fef72741ff';
COMMENT ON FUNCTION everword.erase_facts(namespace bigint, ids uuid[]) IS 'Delete facts. Intervals that they ended become open again.';

CREATE FUNCTION everword.erase_memories(namespace bigint, of_target text, gone uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '69690babdd47';
COMMENT ON FUNCTION everword.erase_memories(namespace bigint, of_target text, gone uuid[]) IS 'Delete memories of a kind by id. Summaries with sources are hidden until they are rewritten.';

CREATE FUNCTION everword.erase_namespace_rows(target bigint, batch integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '2775b59d7abb';
COMMENT ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) IS 'Delete up to `batch` rows of a namespace in deletion; return 0 when the namespace is gone.';

CREATE FUNCTION everword.erase_rows(namespace bigint, of_target text, ids uuid[], names text[], spared text[] DEFAULT '{}'::text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'b1eea1788fcf';
COMMENT ON FUNCTION everword.erase_rows(namespace bigint, of_target text, ids uuid[], names text[], spared text[]) IS 'Delete the rows that erasure_rules name for targets with these ids or names; return counts by table.';

CREATE FUNCTION everword.erasing_namespace() RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'bbb778e13f8a';
COMMENT ON FUNCTION everword.erasing_namespace() IS 'Return the namespace that the transaction is set to, the current namespace.';

CREATE FUNCTION everword.erasure_salt(namespace bigint) RETURNS bytea
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'a6fd4263c3af';
COMMENT ON FUNCTION everword.erasure_salt(namespace bigint) IS 'Return the salt of the hashes of a namespace.';

CREATE FUNCTION everword.erasure_target(of_kind smallint) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '4d02c4462844';
COMMENT ON FUNCTION everword.erasure_target(of_kind smallint) IS 'Return the name in erasure_rules of a proto ErasureKind.';

CREATE FUNCTION everword.expand_items(namespace bigint, roots everword.erasure_item[], named text, names text[]) RETURNS everword.erasure_item[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '9160dbe8dc40';
COMMENT ON FUNCTION everword.expand_items(namespace bigint, roots everword.erasure_item[], named text, names text[]) IS 'Return items with all items that erase_rows would reach from them.';

CREATE FUNCTION everword.export_rows(record_ text, after_ jsonb) RETURNS TABLE(line text, key jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '0500a852c896';
COMMENT ON FUNCTION everword.export_rows(record_ text, after_ jsonb) IS 'Return the next records of a kind after a key, in the current namespace.';

CREATE FUNCTION everword.fact_nodes(namespace bigint, facts uuid[]) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '81e1f1d366d9';
COMMENT ON FUNCTION everword.fact_nodes(namespace bigint, facts uuid[]) IS 'Return the nodes that edges of these facts connect.';

CREATE FUNCTION everword.fence_jobs(namespace bigint, conversations uuid[] DEFAULT NULL::uuid[], pause interval DEFAULT '00:00:00'::interval) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'e49061481e71';
COMMENT ON FUNCTION everword.fence_jobs(namespace bigint, conversations uuid[], pause interval) IS 'Reschedule running jobs that may have read erased messages, and let no job start before the commit.';

CREATE FUNCTION everword.find_erasure_hold(namespace bigint, of_kind smallint, id_ uuid, name_ text) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '80cf7030edfe';
COMMENT ON FUNCTION everword.find_erasure_hold(namespace bigint, of_kind smallint, id_ uuid, name_ text) IS 'Return a legal hold on the target of an erasure or a part of it; NULL if there is none.';

CREATE FUNCTION everword.find_namespace_hold(name_ text) RETURNS uuid
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'fba3fdb318c5';
COMMENT ON FUNCTION everword.find_namespace_hold(name_ text) IS 'Return a legal hold of an active namespace; unfinished imports and deletions can be deleted whatever they contain.';

CREATE TABLE everword.erasures (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    kind smallint NOT NULL,
    state smallint DEFAULT 1 NOT NULL,
    target_id uuid,
    target_name text,
    target_hash bytea NOT NULL,
    requested_by text DEFAULT ''::text NOT NULL,
    through_passage bigint DEFAULT 0 NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    matched_rows bigint DEFAULT 0 NOT NULL,
    CONSTRAINT erasures_check CHECK (((state = 2) = (finished_at IS NOT NULL))),
    CONSTRAINT erasures_check1 CHECK (((state = 1) OR (target_name IS NULL))),
    CONSTRAINT erasures_state_check CHECK (((state >= 1) AND (state <= 2)))
);
COMMENT ON TABLE everword.erasures IS 'Erasures with time, requester and row counts, and no content. Unfinished ones are continued by ingest.';
COMMENT ON COLUMN everword.erasures.kind IS 'Values equal proto ErasureKind.';
COMMENT ON COLUMN everword.erasures.state IS '1 running, 2 done.';
COMMENT ON COLUMN everword.erasures.target_name IS 'The subject or author; NULL once the erasure is done.';
COMMENT ON COLUMN everword.erasures.target_hash IS 'Salted SHA-256 of the target. It can be compared with a given target.';
COMMENT ON COLUMN everword.erasures.through_passage IS 'Passages with higher ids are newer than the erasure and stay.';
COMMENT ON COLUMN everword.erasures.counts IS 'Deleted rows by table.';
COMMENT ON COLUMN everword.erasures.matched_rows IS 'Rows that matched the target, with messages; exact once it is done, 0 if nothing matched.';

CREATE FUNCTION everword.finish_erasure(namespace bigint, erasure everword.erasures) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '7c56aca4c023';
COMMENT ON FUNCTION everword.finish_erasure(namespace bigint, erasure everword.erasures) IS 'Delete the rest of a target, and its name in the record.';

CREATE FUNCTION everword.fix_forms() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'db5f95c6d5c4';
COMMENT ON FUNCTION everword.fix_forms() IS 'Make the text form of values the same in every database, until the end of the transaction.';

CREATE FUNCTION everword.forget_author_names(namespace bigint, names text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'f5a6efa5db0f';
COMMENT ON FUNCTION everword.forget_author_names(namespace bigint, names text[]) IS 'Delete words that no author''s name contains any more.';

CREATE FUNCTION everword.forget_errors(namespace bigint, conversations uuid[] DEFAULT NULL::uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '899460ebe7bc';
COMMENT ON FUNCTION everword.forget_errors(namespace bigint, conversations uuid[]) IS 'Blank errors of jobs that may have read erased text: an error may repeat it.';

CREATE FUNCTION everword.forget_requests(namespace bigint, gone uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '96f98fe64ea3';
COMMENT ON FUNCTION everword.forget_requests(namespace bigint, gone uuid[]) IS 'Blank the requests that stored these ids. The request ids stay, so that a repeated call stores nothing.';

CREATE FUNCTION everword.forget_sessions(namespace bigint, conversations uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '4c24afb2e7a0';
COMMENT ON FUNCTION everword.forget_sessions(namespace bigint, conversations uuid[]) IS 'Blank conversation and session key in the ledger; call it while the conversations have their keys.';

CREATE FUNCTION everword.forgotten_namespaces(max_wait_s double precision) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'f6b5ffaf9934';
COMMENT ON FUNCTION everword.forgotten_namespaces(max_wait_s double precision) IS 'Return namespaces with vectors that have been due for `max_wait_s` seconds, and no open embedding job, because nothing scheduled one or because a pause has ended.';

CREATE FUNCTION everword.generation_is_complete(generation bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'f6e497e41bae';
COMMENT ON FUNCTION everword.generation_is_complete(generation bigint) IS 'Return whether no vector from before the generation was built is pending.';

CREATE FUNCTION everword.has_pgvector() RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'ab4c2d8d9b87';
COMMENT ON FUNCTION everword.has_pgvector() IS 'Return whether this database has the extension vector.';

CREATE FUNCTION everword.hidden_authors(namespace bigint) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'f6c9e4a035c8';
COMMENT ON FUNCTION everword.hidden_authors(namespace bigint) IS 'Return authors whose messages are being erased, each with the time of the latest request and the last passage before it.';

CREATE FUNCTION everword.hidden_conversations(namespace bigint) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '7c68a0bf5f87';
COMMENT ON FUNCTION everword.hidden_conversations(namespace bigint) IS 'Return the ids of conversations that are being erased.';

CREATE FUNCTION everword.hold_lock(namespace bigint, lock_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'f1718602b6b9';
COMMENT ON FUNCTION everword.hold_lock(namespace bigint, lock_name text) IS 'Hold a lock of the namespace until the end of the transaction; create it if it is missing.';

CREATE FUNCTION everword.idle_retention() RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, set_at timestamp with time zone, night date)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '0be8c975f5b2';
COMMENT ON FUNCTION everword.idle_retention() IS 'Return namespaces with policies and no unfinished run, with the settings that determine their next night.';

CREATE FUNCTION everword.ids_of(items everword.erasure_item[], of_target text) RETURNS uuid[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '3617052a871c';
COMMENT ON FUNCTION everword.ids_of(items everword.erasure_item[], of_target text) IS 'Return the ids of the items with one target.';

CREATE FUNCTION everword.import_jobs(tasks text[], subjects text[], delays_s double precision[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '18ac31327105';
COMMENT ON FUNCTION everword.import_jobs(tasks text[], subjects text[], delays_s double precision[]) IS 'Store jobs in the current namespace.';

CREATE FUNCTION everword.import_rows(record_ text, rows_ jsonb) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '81eb0c11363b';
COMMENT ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) IS 'Store records in the current namespace, which is importing, enqueue their vectors, and return how many.';

CREATE FUNCTION everword.in_scope(agent text, subject text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS '6c8badc98d3a';
COMMENT ON FUNCTION everword.in_scope(agent text, subject text) IS 'Return whether an agent and subject are in the scope of the transaction; false if it has no scope.';

CREATE FUNCTION everword.index_vectors(generation bigint) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS 'e05d25ff8e32';
COMMENT ON FUNCTION everword.index_vectors(generation bigint) IS 'Create the index over a generation''s vectors; indexes that partitions have already become its parts.';

CREATE FUNCTION everword.insert_passages(namespace bigint, kinds smallint[], source_ids uuid[], parts integer[], conversation_ids uuid[], seqs bigint[], agents text[], subjects text[], channels text[], instances text[], authors text[], roles smallint[], tag_literals text[], importance_classes smallint[], automated_flags boolean[], occurred timestamp with time zone[], contents text[], lexeme_texts text[], literal_texts text[], rankings bytea[], valid_after timestamp with time zone, valid_before timestamp with time zone, known_after timestamp with time zone, message_count bigint, turn_count bigint, bytes bigint, author_name_list text[], vector_delay_s double precision) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS '1ca26bd05ae3';
COMMENT ON FUNCTION everword.insert_passages(namespace bigint, kinds smallint[], source_ids uuid[], parts integer[], conversation_ids uuid[], seqs bigint[], agents text[], subjects text[], channels text[], instances text[], authors text[], roles smallint[], tag_literals text[], importance_classes smallint[], automated_flags boolean[], occurred timestamp with time zone[], contents text[], lexeme_texts text[], literal_texts text[], rankings bytea[], valid_after timestamp with time zone, valid_before timestamp with time zone, known_after timestamp with time zone, message_count bigint, turn_count bigint, bytes bigint, author_name_list text[], vector_delay_s double precision) IS 'Index passages, enqueue their vectors for every live model generation, count them, and store their authors'' names; return the highest id. Tags are literals of arrays.';

CREATE FUNCTION everword.install_pgvector() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '83598f1b68c6';
COMMENT ON FUNCTION everword.install_pgvector() IS 'Create the extension vector if the server has it; return whether it exists.';

CREATE FUNCTION everword.is_erasing() RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '01985a9f5e34';
COMMENT ON FUNCTION everword.is_erasing() IS 'Return whether an erasure is in progress. A node has a snapshot for each role, so this runs as the role of export_rows.';

CREATE FUNCTION everword.is_passage_shown(conversation uuid, speaker text, passage bigint) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS 'd8bb0c75f01e';
COMMENT ON FUNCTION everword.is_passage_shown(conversation uuid, speaker text, passage bigint) IS 'Return whether a passage is visible: false if an erasure of its conversation or speaker was in progress when the transaction began. Reads only settings.';

CREATE FUNCTION everword.is_shown(conversation uuid, speaker text DEFAULT ''::text, recorded timestamp with time zone DEFAULT '-infinity'::timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS '729c5a910d50';
COMMENT ON FUNCTION everword.is_shown(conversation uuid, speaker text, recorded timestamp with time zone) IS 'Return whether rows of a conversation or speaker are visible: false if an erasure of it was in progress when the transaction began. Reads only settings, so that policies can call it.';

CREATE FUNCTION everword.isolate_table(isolated text, scope text DEFAULT 'false'::text, shown text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'aefcdde6469f';
COMMENT ON FUNCTION everword.isolate_table(isolated text, scope text, shown text) IS 'Show rows of the current namespace that are `shown`; to scoped calls, those that meet `scope` (NULL: all, false: none).';

CREATE FUNCTION everword.items_of(of_target text, ids uuid[]) RETURNS everword.erasure_item[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '4bbb8689576f';
COMMENT ON FUNCTION everword.items_of(of_target text, ids uuid[]) IS 'Return items of a target for these ids.';

CREATE FUNCTION everword.lock_part(kind text, key text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'fedcdc623444';
COMMENT ON FUNCTION everword.lock_part(kind text, key text) IS 'Return the name of the lock for a key: one of 64 of a kind.';

CREATE FUNCTION everword.lock_sources(namespace bigint, sources uuid[], may_be_gone boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '02e0eef4ede7';
COMMENT ON FUNCTION everword.lock_sources(namespace bigint, sources uuid[], may_be_gone boolean) IS 'Lock messages until the commit, or fail if one is being erased. Transactions that store rows derived from messages call it. With `may_be_gone`, messages may be missing: copied rows can outlive messages that a retention policy deleted.';

CREATE FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '144d0e64367c';
COMMENT ON FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) IS 'Log a change of the index of the current namespace, and delete entries older than a day.';

CREATE FUNCTION everword.log_memory_changes(sources uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '86d8194ea737';
COMMENT ON FUNCTION everword.log_memory_changes(sources uuid[]) IS 'Log memories whose passages were added, changed or removed; every function that does so calls it.';

CREATE FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '663c0d0c6f59';
COMMENT ON FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) IS 'Return whether a job on this subject may have read messages of the conversations; NULL means any.';

CREATE FUNCTION everword.merge_erased(one jsonb, other jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '6c409b50f122';
COMMENT ON FUNCTION everword.merge_erased(one jsonb, other jsonb) IS 'Return the merged counts and ids of two steps.';

CREATE FUNCTION everword.merged_node(namespace bigint, node_id uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '3e9b2c00d353';
COMMENT ON FUNCTION everword.merged_node(namespace bigint, node_id uuid) IS 'Return the node that a node was merged into. Nodes of the agent and the user are not followed.';

CREATE FUNCTION everword.missing_vectors(namespace bigint, generation bigint, after bigint, last bigint) RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'e43337dcff38';
COMMENT ON FUNCTION everword.missing_vectors(namespace bigint, generation bigint, after bigint, last bigint) IS 'Return the passages of the transaction''s namespace after `after` and up to `last` that need a vector of a generation and have none, stored or pending. Parked ones are among them.';

CREATE FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) RETURNS text
    LANGUAGE sql STABLE
    AS '6f8751188640';
COMMENT ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) IS 'Return the calendar month of a moment in a time zone, such as 2026-03.';

CREATE FUNCTION everword.namespace_name_hash(name_ text) RETURNS bytea
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'fac8bf39f468';
COMMENT ON FUNCTION everword.namespace_name_hash(name_ text) IS 'Return the hash that the record of a deletion keeps instead of the name.';

CREATE FUNCTION everword.namespaces_with_old_usage(keep interval) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '6b5b8634d667';
COMMENT ON FUNCTION everword.namespaces_with_old_usage(keep interval) IS 'Return the namespaces that have calls, budget charges or budget events older than `keep`.';

CREATE FUNCTION everword.needs_vector(namespace bigint, kind smallint, source uuid, part integer, content text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'def45b386a81';
COMMENT ON FUNCTION everword.needs_vector(namespace bigint, kind smallint, source uuid, part integer, content text) IS 'Return whether a passage gets vectors. A passage without text gets none. If all sources of an extractive summary are in the index, only the first passage of a leaf gets one. `source` is the memory of the passage.';

CREATE FUNCTION everword.newer_erasure() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '0e186f7964a8';
COMMENT ON FUNCTION everword.newer_erasure() IS 'Return the name of a copy of the current namespace with an erasure that is missing here.';

CREATE FUNCTION everword.next_turn(due_task text, after bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '006f2c7f7425';
COMMENT ON FUNCTION everword.next_turn(due_task text, after bigint) IS 'Return the next namespace, in a circular order after `after`, that has published due jobs of a task; NULL if none has.';

CREATE FUNCTION everword.nightless_namespaces(batch integer, parked interval) RETURNS TABLE(namespace_id bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '671d7bd39741';
COMMENT ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) IS 'Return namespaces with facts and no nightly Sleep scheduled, or failed for less than `parked`: ids only.';

CREATE FUNCTION everword.number_changes(namespace bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '7e063b0e63a9';
COMMENT ON FUNCTION everword.number_changes(namespace bigint) IS 'Number the committed changes of a namespace, and return the last number. Writers do not number their changes, because they would have to wait for each other. A standby only returns the last number.';

CREATE FUNCTION everword.old_append_requests(keep interval, batch integer) RETURNS TABLE(namespace_id bigint, request_ids text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'd4e5c0172496';
COMMENT ON FUNCTION everword.old_append_requests(keep interval, batch integer) IS 'Return at most `batch` request ids older than `keep`, by namespace.';

CREATE FUNCTION everword.old_memory_changes(keep interval, batch integer) RETURNS TABLE(namespace_id bigint, change_ids bigint[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '521ff451d8c8';
COMMENT ON FUNCTION everword.old_memory_changes(keep interval, batch integer) IS 'Return at most `batch` changes older than `keep`, by namespace.';

CREATE FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) RETURNS TABLE(namespace_id bigint, conversation_id uuid, period date, subject text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'b798194731d1';
COMMENT ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) IS 'Return nodes of a level by another model or older prompt, not parked: ids and dates. At most `batch` for each such model and prompt, shared by their namespaces.';

CREATE FUNCTION everword.pages_made_of(namespace bigint, sources uuid[]) RETURNS TABLE(id uuid, node_id uuid)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '59634f8a97e7';
COMMENT ON FUNCTION everword.pages_made_of(namespace bigint, sources uuid[]) IS 'Return the pages that cite these facts or leaves, or whose topic has one of them as a source.';

CREATE FUNCTION everword.passage_writers() RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '16b465a174f5';
COMMENT ON FUNCTION everword.passage_writers() IS 'Return the virtual ids of the open transactions that write passages. In a distributed database they lock the table on the coordinator, where services connect.';

CREATE FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval, moment timestamp with time zone) RETURNS TABLE(namespace_id bigint, time_zone text, day_cutoff_minutes integer, level smallint, period date, subject text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '4aad4ebf7dd2';
COMMENT ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval, moment timestamp with time zone) IS 'Return the earliest pending periods, `batch` per namespace and level; written ones after `quiet`, at most `longest`.';

CREATE FUNCTION everword.plan_facts(namespace bigint, message_ids uuid[], asked uuid[], OUT touched uuid[], OUT dead uuid[], OUT loose_nodes uuid[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '56f045e8999f';
COMMENT ON FUNCTION everword.plan_facts(namespace bigint, message_ids uuid[], asked uuid[], OUT touched uuid[], OUT dead uuid[], OUT loose_nodes uuid[]) IS 'Return facts that lose evidence with messages, facts that lose all of it, and nodes that lose all edges.';

CREATE FUNCTION everword.plan_learned(namespace bigint, message_ids uuid[], OUT gone_ids uuid[], OUT observations uuid[], OUT since timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '2210ecc1843e';
COMMENT ON FUNCTION everword.plan_learned(namespace bigint, message_ids uuid[], OUT gone_ids uuid[], OUT observations uuid[], OUT since timestamp with time zone) IS 'Return learned rows whose only evidence is in messages, Sleep''s observations, and the oldest recording time.';

CREATE FUNCTION everword.plan_summaries(namespace bigint, direct uuid[], message_ids uuid[], OUT covering uuid[], OUT removed uuid[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '8a87691d0e6e';
COMMENT ON FUNCTION everword.plan_summaries(namespace bigint, direct uuid[], message_ids uuid[], OUT covering uuid[], OUT removed uuid[]) IS 'Return the summaries that withdraw_nodes would hide, and those of them without sources.';

CREATE FUNCTION everword.preview_erasure(namespace bigint, of_kind smallint, id_ uuid, name_ text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '41cc4f646a2d';
COMMENT ON FUNCTION everword.preview_erasure(namespace bigint, of_kind smallint, id_ uuid, name_ text) IS 'Return the number of rows by table that an erasure would delete, and a few ids of messages. Only reads.';

CREATE FUNCTION everword.preview_retained(namespace bigint, of_kind smallint, highest smallint, until timestamp with time zone, whole_conversations boolean, everything boolean, subjects text[], conversations uuid[], sampled integer) RETURNS TABLE(count bigint, pinned bigint, on_hold bigint, samples uuid[])
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '59dc37d2fba0';
COMMENT ON FUNCTION everword.preview_retained(namespace bigint, of_kind smallint, highest smallint, until timestamp with time zone, whole_conversations boolean, everything boolean, subjects text[], conversations uuid[], sampled integer) IS 'Count the expired items of a kind that a run would delete, and the kept ones: pinned, or on legal hold. Return the first ids.';

CREATE FUNCTION everword.price_records(records jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'afb0d7c3c68e';
COMMENT ON FUNCTION everword.price_records(records jsonb) IS 'Return calls with an id, the price of their day, and the agent and session of their conversation, if they lack them.';

CREATE FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) RETURNS TABLE(cost numeric, currency text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'f7aa2672c23a';
COMMENT ON FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) IS 'Return the cost of a call at the prices of its day; no row if the model has no price.';

CREATE FUNCTION everword.prune_append_requests(namespace bigint, request_ids text[], keep interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'b2ef7dfdfe51';
COMMENT ON FUNCTION everword.prune_append_requests(namespace bigint, request_ids text[], keep interval) IS 'Delete those of these request ids that are older than `keep`; return how many.';

CREATE FUNCTION everword.prune_memory_changes(namespace bigint, change_ids bigint[], keep interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '68f803a7506b';
COMMENT ON FUNCTION everword.prune_memory_changes(namespace bigint, change_ids bigint[], keep interval) IS 'Delete those of these changes that are older than `keep` and not locked; return how many.';

CREATE FUNCTION everword.prune_usage(namespace bigint, keep interval, batch integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '8f00afcdd781';
COMMENT ON FUNCTION everword.prune_usage(namespace bigint, keep interval, batch integer) IS 'Delete at most `batch` calls, budget charges and budget events each of a namespace that are older than `keep`.';

CREATE FUNCTION everword.publishes_summaries(policies jsonb, channel text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS 'f32ee2b64f61';
COMMENT ON FUNCTION everword.publishes_summaries(policies jsonb, channel text) IS 'Return whether summaries of conversations in a channel are found outside the conversation.';

CREATE FUNCTION everword.record_usage(records jsonb, batch uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'c6ca21879cc9';
COMMENT ON FUNCTION everword.record_usage(records jsonb, batch uuid) IS 'Add calls to the ledger with their prices, and charge the budgets. Nothing else writes the ledger.';

CREATE FUNCTION everword.remove_loose_nodes(namespace bigint, nodes uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '87190193e02e';
COMMENT ON FUNCTION everword.remove_loose_nodes(namespace bigint, nodes uuid[]) IS 'Delete nodes without remaining edges.';

CREATE FUNCTION everword.remove_messages(namespace bigint, gone uuid[], learned_stays boolean) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '68f111db20ee';
COMMENT ON FUNCTION everword.remove_messages(namespace bigint, gone uuid[], learned_stays boolean) IS 'Delete messages. With `learned_stays` (retention policies), learned data stays, and a new import is allowed.';

CREATE FUNCTION everword.remove_passages(namespace bigint, sources uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '3c3c44d3c622';
COMMENT ON FUNCTION everword.remove_passages(namespace bigint, sources uuid[]) IS 'Delete passages of memories of any kind, with their vectors, and log that for copies of the index.';

CREATE FUNCTION everword.retire(namespace bigint, of_kind smallint, gone uuid[], keep_quotes boolean) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'ef42d0e40abc';
COMMENT ON FUNCTION everword.retire(namespace bigint, of_kind smallint, gone uuid[], keep_quotes boolean) IS 'Remove at most 5,000 items of a kind with derived rows; return counts, and ids to recompute.';

CREATE FUNCTION everword.retire_conversations(namespace bigint, ids uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '5d59d21da81a';
COMMENT ON FUNCTION everword.retire_conversations(namespace bigint, ids uuid[]) IS 'Delete conversations that have no rows left.';

CREATE FUNCTION everword.rule_condition(relation text, key_column text, only_where text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'd78268792f54';
COMMENT ON FUNCTION everword.rule_condition(relation text, key_column text, only_where text) IS 'Return the SQL condition for the rows of a rule. $2 are the ids of targets, $3 their names.';

CREATE FUNCTION everword.running_erasures(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '3ca3d2bb8d5f';
COMMENT ON FUNCTION everword.running_erasures(batch integer) IS 'Return unfinished erasures of all namespaces: ids only.';

CREATE FUNCTION everword.running_retention(batch integer) RETURNS TABLE(namespace_id bigint, id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'e7d3b3d2723f';
COMMENT ON FUNCTION everword.running_retention(batch integer) IS 'Return unfinished runs of all namespaces: ids only.';

CREATE FUNCTION everword.salted_hash(salt bytea, VARIADIC parts text[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'c4f598f3f243';
COMMENT ON FUNCTION everword.salted_hash(salt bytea, VARIADIC parts text[]) IS 'Return SHA-256 of texts with the salt of their namespace.';

CREATE FUNCTION everword.send_settings() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '7b4296e7bd86';
COMMENT ON FUNCTION everword.send_settings() IS 'Send the settings of the transaction to the nodes, if the database is distributed.';

CREATE FUNCTION everword.share_lock(namespace bigint, lock_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '2a0fc0d7325d';
COMMENT ON FUNCTION everword.share_lock(namespace bigint, lock_name text) IS 'As hold_lock, with others that share the lock.';

CREATE FUNCTION everword.spend_grant(hash bytea, spends boolean) RETURNS TABLE(namespace_id bigint, namespace_name text, max_calls integer, allowed boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS '2ef6ca0e76bc';
COMMENT ON FUNCTION everword.spend_grant(hash bytea, spends boolean) IS 'Count a call if it `spends`; return the grant''s namespace and whether a call was left. No row if unknown.';

CREATE FUNCTION everword.target_messages(erasure everword.erasures) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'b5ba655c0dac';
COMMENT ON FUNCTION everword.target_messages(erasure everword.erasures) IS 'Return the messages of the target of an erasure.';

CREATE TABLE everword.transfer_rules (
    relation text NOT NULL,
    place integer NOT NULL,
    record text,
    keys text[] DEFAULT '{}'::text[] NOT NULL,
    remark text DEFAULT ''::text NOT NULL,
    omitted text[] DEFAULT '{}'::text[] NOT NULL,
    only_where text DEFAULT 'true'::text NOT NULL,
    source text,
    page integer DEFAULT 500 NOT NULL,
    CONSTRAINT transfer_rules_page_check CHECK ((page > 0))
);
COMMENT ON TABLE everword.transfer_rules IS 'Rows of `relation` are exported in the order of `place` and `keys`, or omitted if `record` is NULL.';
COMMENT ON COLUMN everword.transfer_rules.source IS 'The view to read from; NULL to read the relation.';
COMMENT ON COLUMN everword.transfer_rules.page IS 'Rows per read; fewer if rows can be large.';

CREATE FUNCTION everword.transferred_columns(rule everword.transfer_rules) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS '3a0b3712ea3f';
COMMENT ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) IS 'Return the fields of a record in order.';

CREATE FUNCTION everword.unnumbered_namespaces() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'everword', 'pg_temp'
    AS 'b97bab323355';
COMMENT ON FUNCTION everword.unnumbered_namespaces() IS 'Return the namespaces with changes that have no number yet.';

CREATE FUNCTION everword.update_memory_class(namespace bigint, memory uuid, class smallint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '3a1354b63c48';
COMMENT ON FUNCTION everword.update_memory_class(namespace bigint, memory uuid, class smallint) IS 'Set the importance class of a memory''s passages; return whether it has any.';

CREATE FUNCTION everword.upgrade_vector_tables() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'public', 'pg_temp'
    AS '51a072986111';
COMMENT ON FUNCTION everword.upgrade_vector_tables() IS 'Convert plain arrays to halfvec once pgvector exists; return how many tables.';

CREATE FUNCTION everword.with_merged_nodes(namespace bigint, ids uuid[]) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'everword', 'pg_temp'
    AS 'af2d1948ee56';
COMMENT ON FUNCTION everword.with_merged_nodes(namespace bigint, ids uuid[]) IS 'Return nodes with all nodes that were merged into them.';

CREATE FUNCTION everword.withdraw_derived(namespace bigint, gone uuid[], axes smallint[], learned_stays boolean DEFAULT false) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'fbb2c3971bdc';
COMMENT ON FUNCTION everword.withdraw_derived(namespace bigint, gone uuid[], axes smallint[], learned_stays boolean) IS 'Delete data derived from messages; with `learned_stays`, facts and other learned data stay.';

CREATE FUNCTION everword.withdraw_facts(namespace bigint, gone uuid[], since timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '1bb356c54dff';
COMMENT ON FUNCTION everword.withdraw_facts(namespace bigint, gone uuid[], since timestamp with time zone) IS 'Delete evidence of messages, and facts and edges without other evidence; return the other facts to recompute.';

CREATE FUNCTION everword.withdraw_learned(namespace bigint, gone uuid[], subjects text[], since timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'c3fe921e175a';
COMMENT ON FUNCTION everword.withdraw_learned(namespace bigint, gone uuid[], subjects text[], since timestamp with time zone) IS 'Delete evidence of messages, and rows without other evidence; return people and events to recompute.';

CREATE FUNCTION everword.withdraw_nodes(namespace bigint, direct uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'e7af58ce5355';
COMMENT ON FUNCTION everword.withdraw_nodes(namespace bigint, direct uuid[]) IS 'Blank and hide summaries and their ancestors until they are rewritten; delete those without sources.';

CREATE FUNCTION everword.withdraw_pages(namespace bigint, sources uuid[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '872a21874053';
COMMENT ON FUNCTION everword.withdraw_pages(namespace bigint, sources uuid[]) IS 'Delete the topic pages that were made from facts or leaves, and schedule them to be rewritten.';

CREATE FUNCTION everword.withdraw_summaries(namespace bigint, gone uuid[], axes smallint[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS 'a1a2ea1d0693';
COMMENT ON FUNCTION everword.withdraw_summaries(namespace bigint, gone uuid[], axes smallint[]) IS 'Withdraw summaries that cover messages along these axes, or whose title came from one of them.';

CREATE FUNCTION everword.withdraw_target(namespace bigint, erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '66586b154514';
COMMENT ON FUNCTION everword.withdraw_target(namespace bigint, erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) IS 'Hide the target and delete data derived from it; return the ids of its messages, which stay.';

CREATE FUNCTION everword.withdraw_themes(namespace bigint, since timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'everword', 'pg_temp'
    AS '18d6b3c6a33d';
COMMENT ON FUNCTION everword.withdraw_themes(namespace bigint, since timestamp with time zone) IS 'Delete the themes made since a time: they may repeat erased text.';

CREATE TABLE everword.advisor_grants (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    repo text NOT NULL,
    issue text NOT NULL,
    max_calls integer NOT NULL,
    used_calls integer DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT advisor_grants_check CHECK (((used_calls >= 0) AND (used_calls <= max_calls))),
    CONSTRAINT advisor_grants_max_calls_check CHECK ((max_calls > 0))
);
COMMENT ON TABLE everword.advisor_grants IS 'Keys for a limited number of calls, with the calls made. Deleted a week after they end.';
COMMENT ON COLUMN everword.advisor_grants.secret_hash IS 'SHA-256 of 256 random bits, as of API keys.';

CREATE TABLE everword.api_keys (
    id uuid NOT NULL,
    namespace_id bigint,
    key_hash bytea NOT NULL,
    role smallint NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT api_keys_check CHECK (((role = 3) = (namespace_id IS NULL))),
    CONSTRAINT api_keys_role_check CHECK (((role >= 1) AND (role <= 3))),
    CONSTRAINT api_keys_scope_check CHECK (((role < 3) OR ((agent = ''::text) AND (subject = ''::text))))
);
COMMENT ON TABLE everword.api_keys IS 'SHA-256 of 256-bit random keys. Revoked keys stay, so that a closed deployment stays closed.';
COMMENT ON COLUMN everword.api_keys.last_used_at IS 'Accurate to a minute: a key in use is written once a minute.';
COMMENT ON COLUMN everword.api_keys.agent IS 'The agent that the key is bound to; empty for any.';
COMMENT ON COLUMN everword.api_keys.subject IS 'The subject that the key is bound to; empty for any.';

CREATE TABLE everword.append_requests (
    namespace_id bigint NOT NULL,
    request_id text NOT NULL,
    body_hash bytea NOT NULL,
    conversation_id uuid,
    message_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.append_requests IS 'Request ids with body hash and result. They are inserted first, so that the second of two equal calls waits.';

CREATE TABLE everword.author_names (
    namespace_id bigint NOT NULL,
    name text NOT NULL
);
COMMENT ON TABLE everword.author_names IS 'Lower-case words of authors'' names, by which queries are matched with authors.';

CREATE TABLE everword.budget_events (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    exceeded boolean NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    max_cost numeric,
    currency text NOT NULL,
    max_tokens bigint,
    warn_percent smallint NOT NULL,
    batch_id uuid,
    occurred_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.budget_events IS 'Warnings and limits that budgets reached. A lock makes ids commit in order, so readers miss none.';
COMMENT ON COLUMN everword.budget_events.exceeded IS 'Whether the limit was reached; otherwise the warning.';
COMMENT ON COLUMN everword.budget_events.max_cost IS 'The limits at that time.';
ALTER TABLE everword.budget_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.budget_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.budget_spending (
    namespace_id bigint NOT NULL,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    calls bigint NOT NULL,
    unpriced_calls bigint NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');
COMMENT ON TABLE everword.budget_spending IS 'Charges to a budget in a period. Each record of usage adds to the row in its own transaction.';
COMMENT ON COLUMN everword.budget_spending.period IS 'The id of a run, or a month such as 2026-03.';
COMMENT ON COLUMN everword.budget_spending.unpriced_calls IS 'Calls not in `cost`: without a known price, or in another currency.';

CREATE TABLE everword.budgets (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    period smallint NOT NULL,
    scope smallint NOT NULL,
    scope_value text DEFAULT ''::text NOT NULL,
    max_cost numeric,
    currency text DEFAULT ''::text NOT NULL,
    max_tokens bigint,
    warn_percent smallint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT budgets_check CHECK (((max_cost IS NOT NULL) OR (max_tokens IS NOT NULL))),
    CONSTRAINT budgets_check1 CHECK (((max_cost IS NULL) = (currency = ''::text))),
    CONSTRAINT budgets_max_cost_check CHECK ((max_cost > (0)::numeric)),
    CONSTRAINT budgets_max_tokens_check CHECK ((max_tokens > 0)),
    CONSTRAINT budgets_period_check CHECK ((period = ANY (ARRAY[1, 2]))),
    CONSTRAINT budgets_scope_check CHECK ((scope = ANY (ARRAY[1, 2, 3]))),
    CONSTRAINT budgets_warn_percent_check CHECK (((warn_percent >= 1) AND (warn_percent <= 100)))
);
COMMENT ON TABLE everword.budgets IS 'Limits on the cost of models. Calls in another currency count by their tokens only.';

CREATE TABLE everword.calendar_pending (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    level smallint NOT NULL,
    period date NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    seqs bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calendar_pending_check CHECK (((level = 4) = (conversation_id IS NOT NULL))),
    CONSTRAINT calendar_pending_level_check CHECK (((level >= 4) AND (level <= 7)))
);
COMMENT ON TABLE everword.calendar_pending IS 'Pending work of the calendar. Each append adds rows, so appends never wait and late commits are not missed.';
ALTER TABLE everword.calendar_pending ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.calendar_pending_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.calibrations (
    profile text NOT NULL,
    generation_id bigint,
    evidence double precision[] NOT NULL,
    relevance double precision[] NOT NULL,
    floor double precision NOT NULL,
    provenance jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT calibrations_check CHECK ((cardinality(relevance) = cardinality(evidence))),
    CONSTRAINT calibrations_floor_check CHECK (((floor >= (0)::double precision) AND (floor <= (1)::double precision)))
);
COMMENT ON TABLE everword.calibrations IS 'Maps from evidence to relevance (0-1): knots of piecewise linear functions, per profile and generation.';
COMMENT ON COLUMN everword.calibrations.floor IS 'Minimum relevance of the best result; below it, no result is relevant.';

CREATE TABLE everword.change_numbers (
    namespace_id bigint NOT NULL,
    last_number bigint NOT NULL
);
COMMENT ON TABLE everword.change_numbers IS 'The last number that `number_changes` gave to a change of a namespace.';

CREATE TABLE everword.checkpoint_counters (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    version bigint NOT NULL,
    CONSTRAINT checkpoint_counters_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.checkpoint_counters IS 'Latest checkpoint version of a conversation; no version is used twice. Its row lock orders writers.';

CREATE TABLE everword.checkpoints (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    id uuid NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    version bigint NOT NULL,
    parent_id uuid,
    media_type text DEFAULT ''::text NOT NULL,
    state bytea NOT NULL,
    state_bytes integer NOT NULL,
    metadata jsonb,
    body_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT checkpoints_state_bytes_check CHECK ((state_bytes >= 0)),
    CONSTRAINT checkpoints_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.checkpoints IS 'State saved by agents, as opaque bytes. Rows never change; old versions are deleted.';
COMMENT ON COLUMN everword.checkpoints.name IS 'Name of the state, unique in the conversation; empty for a single unnamed state.';
COMMENT ON COLUMN everword.checkpoints.version IS 'Position among all checkpoints of the conversation; grows within a name.';
COMMENT ON COLUMN everword.checkpoints.parent_id IS 'The checkpoint it was made from, which may be deleted.';
COMMENT ON COLUMN everword.checkpoints.body_hash IS 'SHA-256 of the request: an id may be saved again only with the same body.';

CREATE TABLE everword.compaction_progress (
    namespace_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    summarised_seq bigint DEFAULT 0 NOT NULL,
    wanted_seq bigint DEFAULT 0 NOT NULL,
    flushed_seq bigint DEFAULT 0 NOT NULL,
    flushed_tokens bigint DEFAULT 0 NOT NULL,
    learned_seq bigint DEFAULT 0 NOT NULL,
    slept_seq bigint DEFAULT 0 NOT NULL,
    sleep_wanted_seq bigint DEFAULT 0 NOT NULL
);
COMMENT ON TABLE everword.compaction_progress IS 'Positions up to which a conversation was processed. Sequence numbers have no gaps and are assigned under a lock.';
COMMENT ON COLUMN everword.compaction_progress.wanted_seq IS 'Position up to which a caller requested leaves, even if there are few messages.';
COMMENT ON COLUMN everword.compaction_progress.flushed_seq IS 'Position up to which FlushConversation replaced messages by summaries.';
COMMENT ON COLUMN everword.compaction_progress.flushed_tokens IS 'Tokens of these summaries and of the kept messages.';
COMMENT ON COLUMN everword.compaction_progress.learned_seq IS 'Position up to which facts were learned.';
COMMENT ON COLUMN everword.compaction_progress.slept_seq IS 'Position up to which Sleep made sessions.';
COMMENT ON COLUMN everword.compaction_progress.sleep_wanted_seq IS 'Position up to which sessions count as finished, even if they are recent.';

CREATE TABLE everword.conversations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_key text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    channel_id text DEFAULT ''::text NOT NULL,
    bot_identity text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    client_session_id text DEFAULT ''::text NOT NULL,
    task_id text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    settings jsonb,
    active boolean DEFAULT true NOT NULL,
    last_seq bigint DEFAULT 0 NOT NULL,
    turn_count bigint DEFAULT 0 NOT NULL,
    last_message_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    erasure_id uuid,
    erased_key bytea,
    CONSTRAINT conversations_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.conversations IS 'One row per namespace, channel, agent and session_key.';
COMMENT ON COLUMN everword.conversations.task_id IS 'The caller''s id of the task that it belongs to; several conversations may have the same.';
COMMENT ON COLUMN everword.conversations.last_seq IS 'Sequence number of the latest message. Its row lock orders concurrent appends.';
COMMENT ON COLUMN everword.conversations.erasure_id IS 'The erasure that deletes the conversation; from then on it is hidden.';
COMMENT ON COLUMN everword.conversations.erased_key IS 'Salted SHA-256 of the key that an erased conversation had.';

CREATE TABLE everword.corpus_counts (
    id bigint NOT NULL,
    namespace_id bigint NOT NULL,
    conversations bigint DEFAULT 0 NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    turns bigint DEFAULT 0 NOT NULL,
    passages bigint DEFAULT 0 NOT NULL,
    lexemes bigint DEFAULT 0 NOT NULL,
    content_bytes bigint DEFAULT 0 NOT NULL,
    dropped bigint DEFAULT 0 NOT NULL
);
COMMENT ON TABLE everword.corpus_counts IS 'Counts and BM25 statistics: the sum of a namespace''s rows. Each write adds a row; a task merges rows.';
COMMENT ON COLUMN everword.corpus_counts.dropped IS 'Deleted passages. Two equal sums of `passages` and `dropped` mean the same passages.';
ALTER TABLE everword.corpus_counts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.corpus_counts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.deployment (
    only_row boolean DEFAULT true NOT NULL,
    token_secret bytea NOT NULL,
    partitions integer NOT NULL,
    closed boolean DEFAULT false NOT NULL,
    CONSTRAINT deployment_only_row_check CHECK (only_row),
    CONSTRAINT deployment_partitions_check CHECK (((partitions >= 1) AND (partitions <= 1024)))
);
COMMENT ON TABLE everword.deployment IS 'Settings that all processes of the deployment share; one row.';
COMMENT ON COLUMN everword.deployment.token_secret IS 'Signs page tokens and consistency tokens.';
COMMENT ON COLUMN everword.deployment.partitions IS 'Hash modulus of the partitioned tables: set by the first migration, and 1 once the database is distributed.';
COMMENT ON COLUMN everword.deployment.closed IS 'Whether a key was ever created. From then on every call needs a key.';

CREATE TABLE everword.document_chunks (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    place integer NOT NULL,
    headings text[] DEFAULT '{}'::text[] NOT NULL,
    start_char bigint NOT NULL,
    end_char bigint NOT NULL,
    page integer,
    digest bytea NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT document_chunks_place_check CHECK ((place >= 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.document_chunks IS 'Parts of the latest version of documents. Each is a memory (kind 5) with this id; its text is in the index.';
COMMENT ON COLUMN everword.document_chunks.place IS 'Position in the document, from 0.';
COMMENT ON COLUMN everword.document_chunks.digest IS 'Hash of the indexed text: a chunk that is equal in a new version keeps its id and its vectors.';
COMMENT ON COLUMN everword.document_chunks.agent IS 'With `subject`, those of the document: scoped keys see the row by them.';

CREATE TABLE everword.document_versions (
    namespace_id bigint NOT NULL,
    document_id uuid NOT NULL,
    version bigint NOT NULL,
    id uuid NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    content text NOT NULL,
    chars bigint NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    file_name text DEFAULT ''::text NOT NULL,
    media_type text DEFAULT ''::text NOT NULL,
    file_bytes bigint DEFAULT 0 NOT NULL,
    file_sha256 bytea DEFAULT '\x'::bytea NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    writer smallint DEFAULT 0 NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT document_versions_version_check CHECK ((version > 0)),
    CONSTRAINT document_versions_writer_check CHECK (((writer >= 0) AND (writer <= 3)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.document_versions IS 'Every version of every document. Append-only by grants.';
COMMENT ON COLUMN everword.document_versions.content IS 'The text. The uploaded file is not kept.';
COMMENT ON COLUMN everword.document_versions.writer IS 'Writer of a workspace file: 1 agent, 2 person, 3 the system that runs the agent; 0 for documents.';
COMMENT ON COLUMN everword.document_versions.agent IS 'With `subject`, those of the document: scoped keys see the row by them.';

CREATE TABLE everword.documents (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    kind smallint DEFAULT 1 NOT NULL,
    title text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    chunks integer DEFAULT 0 NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT documents_kind_check CHECK ((kind = ANY (ARRAY[1, 2])))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.documents IS 'Current state of documents. The text is in document_versions and, unless deleted, in the index.';
COMMENT ON COLUMN everword.documents.kind IS '1: a document; 2: a workspace file.';
COMMENT ON COLUMN everword.documents.title IS 'Name of the document, unique within kind, agent, subject and conversation.';
COMMENT ON COLUMN everword.documents.key_hash IS 'SHA-256 of kind, title, agent, subject and conversation, which can exceed the size of an index entry.';
COMMENT ON COLUMN everword.documents.version IS 'Latest version in document_versions. Its row lock orders concurrent writers.';

CREATE TABLE everword.embedding_pauses (
    namespace_id bigint NOT NULL,
    generation_id bigint NOT NULL,
    until timestamp with time zone NOT NULL
);
COMMENT ON TABLE everword.embedding_pauses IS 'Namespaces whose embedding is paused until a time, because their budget is spent. A new budget ends the pause.';

CREATE TABLE everword.embedding_queue (
    namespace_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    generation_id bigint NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    error text,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embedding_queue_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'failed'::text])))
);
COMMENT ON TABLE everword.embedding_queue IS 'Vectors of passages that are pending or failed, for a generation.';

CREATE TABLE everword.erased_external_ids (
    namespace_id bigint NOT NULL,
    hash bytea NOT NULL,
    erased_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.erased_external_ids IS 'Salted SHA-256 of external ids of erased messages; these are stored again only with `allow_erased`.';

CREATE TABLE everword.erasure_rules (
    target text NOT NULL,
    place integer NOT NULL,
    relation text NOT NULL,
    key_column text NOT NULL,
    goes_on text,
    remark text DEFAULT ''::text NOT NULL,
    only_where text DEFAULT 'true'::text NOT NULL,
    requested boolean DEFAULT false NOT NULL
);
COMMENT ON TABLE everword.erasure_rules IS 'Rows of `relation` whose `key_column` is the target are deleted with it, by `place`; first, targets `goes_on`.';

CREATE TABLE everword.erasure_targets (
    name text NOT NULL,
    kind smallint,
    CONSTRAINT erasure_targets_kind_check CHECK ((kind > 0))
);
COMMENT ON TABLE everword.erasure_targets IS 'Targets of erasures. Each feature declares its targets in the file of its tables.';
COMMENT ON COLUMN everword.erasure_targets.kind IS 'Value of proto ErasureKind; NULL for targets that are only reached from other targets.';

CREATE TABLE everword.events (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    title text NOT NULL,
    category text NOT NULL,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    importance double precision NOT NULL,
    decay_days integer NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    status smallint NOT NULL,
    mention_count integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT events_check CHECK ((ends_at >= starts_at)),
    CONSTRAINT events_check1 CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT events_decay_days_check CHECK ((decay_days > 0)),
    CONSTRAINT events_importance_check CHECK (((importance >= (0)::double precision) AND (importance <= (1)::double precision))),
    CONSTRAINT events_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT events_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT events_status_check CHECK (((status >= 1) AND (status <= 3))),
    CONSTRAINT events_title_check CHECK ((title <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.events IS 'Events in the life of a subject. Columns are computed from learned_evidence and rulings.';
COMMENT ON COLUMN everword.events.expires_at IS 'decay_days after the latest of its end, its start and its last mention.';
COMMENT ON COLUMN everword.events.status IS 'Values equal proto EventStatus; that it expired follows from expires_at.';

CREATE TABLE everword.fact_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    state smallint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    other_fact_id uuid,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT fact_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text]))),
    CONSTRAINT fact_changes_state_check CHECK (((state >= 1) AND (state <= 5)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.fact_changes IS 'Audit trail of changes of facts, with actor and reason.';
COMMENT ON COLUMN everword.fact_changes.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';

CREATE TABLE everword.fact_disputes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    old_fact_id uuid NOT NULL,
    new_fact_id uuid NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    outcome smallint,
    decided_by text,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT fact_disputes_check CHECK ((old_fact_id <> new_fact_id)),
    CONSTRAINT fact_disputes_check1 CHECK ((((settled_at IS NULL) = (outcome IS NULL)) AND ((settled_at IS NULL) = (decided_by IS NULL)))),
    CONSTRAINT fact_disputes_decided_by_check CHECK ((decided_by = ANY (ARRAY['rule'::text, 'model'::text, 'person'::text]))),
    CONSTRAINT fact_disputes_outcome_check CHECK (((outcome >= 1) AND (outcome <= 3)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.fact_disputes IS 'Pairs of facts that contradict each other, and the outcome.';
COMMENT ON COLUMN everword.fact_disputes.outcome IS '1 the new fact is accepted, 2 it is rejected, 3 both are kept.';

CREATE TABLE everword.fact_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    from_fact_id uuid NOT NULL,
    to_fact_id uuid NOT NULL,
    relation smallint NOT NULL,
    confidence double precision NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    CONSTRAINT fact_edges_check CHECK ((from_fact_id <> to_fact_id)),
    CONSTRAINT fact_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT fact_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT fact_edges_relation_check CHECK (((relation >= 1) AND (relation <= 6)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.fact_edges IS 'Links between facts. An edge ends when one of its facts ends.';
COMMENT ON COLUMN everword.fact_edges.relation IS '1 causes, 2 related to, 3 supports, 4 contradicts, 5 comes before, 6 is part of.';

CREATE TABLE everword.fact_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    message_id uuid,
    conversation_id uuid,
    contradicts boolean NOT NULL,
    source smallint NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    quote text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_agent text DEFAULT ''::text NOT NULL,
    conversation_subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT fact_evidence_source_check CHECK (((source >= 1) AND (source <= 4)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.fact_evidence IS 'Messages that support or contradict a fact, with quotes.';
COMMENT ON COLUMN everword.fact_evidence.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';
COMMENT ON COLUMN everword.fact_evidence.conversation_agent IS 'With `conversation_subject`, those of the conversation; empty once a policy deleted it.';

CREATE TABLE everword.fact_intervals (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    fact_id uuid NOT NULL,
    valid_from timestamp with time zone NOT NULL,
    valid_until timestamp with time zone,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    successor_id uuid,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT fact_intervals_check CHECK ((valid_until > valid_from)),
    CONSTRAINT fact_intervals_check1 CHECK ((known_until >= known_from))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.fact_intervals IS 'Validity of a fact, as believed from known_from until known_until; only known_until changes. Each is a memory.';
COMMENT ON COLUMN everword.fact_intervals.successor_id IS 'The fact that replaced it at valid_until.';
COMMENT ON COLUMN everword.fact_intervals.agent IS 'With `subject`, those of the fact: scoped keys see the row by them.';

CREATE TABLE everword.facts (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    category text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    value_hash bytea NOT NULL,
    several boolean NOT NULL,
    source smallint NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    state smallint NOT NULL,
    confidence double precision NOT NULL,
    lifetime_days integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    supporting integer DEFAULT 0 NOT NULL,
    contradicting integer DEFAULT 0 NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    verdict smallint,
    verdict_at timestamp with time zone,
    is_anchor boolean DEFAULT false NOT NULL,
    CONSTRAINT facts_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT facts_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT facts_lifetime_days_check CHECK ((lifetime_days > 0)),
    CONSTRAINT facts_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT facts_source_check CHECK (((source >= 1) AND (source <= 4))),
    CONSTRAINT facts_state_check CHECK (((state >= 1) AND (state <= 5))),
    CONSTRAINT facts_value_check CHECK ((value <> ''::text)),
    CONSTRAINT facts_verdict_check CHECK (((verdict >= 1) AND (verdict <= 2)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.facts IS 'A subject, an attribute and a value. State, confidence and counts are computed from intervals and evidence.';
COMMENT ON COLUMN everword.facts.value_hash IS 'SHA-256 of the value, ignoring case and spaces.';
COMMENT ON COLUMN everword.facts.several IS 'Whether the attribute can have several values at a time.';
COMMENT ON COLUMN everword.facts.source IS 'Values equal proto FactSource.';
COMMENT ON COLUMN everword.facts.state IS 'Values equal proto FactState.';
COMMENT ON COLUMN everword.facts.ruling IS 'A person confirmed (1) or rejected (2) it at ruled_at; earlier statements count less.';
COMMENT ON COLUMN everword.facts.verdict IS 'Sleep confirmed it (1) or decided against it (2), from statements until verdict_at. A ruling outranks it.';
COMMENT ON COLUMN everword.facts.is_anchor IS 'Whether the trajectory names it as central to the subject''s life; it matures sooner.';

CREATE TABLE everword.graph_edges (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    edge_id uuid NOT NULL,
    from_id uuid NOT NULL,
    to_id uuid NOT NULL,
    type text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    confidence double precision NOT NULL,
    source smallint NOT NULL,
    message_id uuid,
    quote text DEFAULT ''::text NOT NULL,
    fact_id uuid,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    reason text DEFAULT ''::text NOT NULL,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT graph_edges_check CHECK ((valid_until >= valid_from)),
    CONSTRAINT graph_edges_check1 CHECK ((known_until >= known_from)),
    CONSTRAINT graph_edges_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_edges_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_edges_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_edges_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.graph_edges IS 'Validity of a relation, as known from known_from until known_until; only known_until changes. See edge_id.';
COMMENT ON COLUMN everword.graph_edges.edge_id IS 'The relation. Current rows with the same edge_id are its separate periods of validity.';
COMMENT ON COLUMN everword.graph_edges.fact_id IS 'The fact that it is derived from. If the fact was never valid, the edge has an empty interval.';

CREATE TABLE everword.graph_names (
    namespace_id bigint NOT NULL,
    label_hash bytea NOT NULL,
    type text NOT NULL,
    agent text NOT NULL,
    subject text NOT NULL,
    node_id uuid NOT NULL
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.graph_names IS 'Maps labels and types to nodes, per agent and subject. Former labels stay.';
COMMENT ON COLUMN everword.graph_names.label_hash IS 'SHA-256 of the label, ignoring case and spaces.';

CREATE TABLE everword.graph_node_versions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    node_id uuid NOT NULL,
    label text NOT NULL,
    type text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    confidence double precision NOT NULL,
    source smallint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    known_from timestamp with time zone NOT NULL,
    known_until timestamp with time zone,
    ended_by smallint,
    end_reason text DEFAULT ''::text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT graph_node_versions_check CHECK ((known_until >= known_from)),
    CONSTRAINT graph_node_versions_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT graph_node_versions_ended_by_check CHECK (((ended_by >= 1) AND (ended_by <= 3))),
    CONSTRAINT graph_node_versions_label_check CHECK ((label <> ''::text)),
    CONSTRAINT graph_node_versions_source_check CHECK (((source >= 1) AND (source <= 3))),
    CONSTRAINT graph_node_versions_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.graph_node_versions IS 'Description of a node, valid from known_from until known_until; only the end changes. Each is a memory.';
COMMENT ON COLUMN everword.graph_node_versions.source IS 'Values equal proto GraphSource.';
COMMENT ON COLUMN everword.graph_node_versions.agent IS 'With `subject`, those of the node: scoped keys see the row by them.';

CREATE TABLE everword.graph_nodes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    anchor smallint,
    merged_into uuid,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT graph_nodes_anchor_check CHECK (((anchor >= 1) AND (anchor <= 2)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.graph_nodes IS 'Persons, places and things; graph_node_versions describe them. Writers lock the row.';
COMMENT ON COLUMN everword.graph_nodes.anchor IS 'The agent itself (1), or the user (2).';
COMMENT ON COLUMN everword.graph_nodes.merged_into IS 'The node that it was merged into.';

CREATE TABLE everword.importance_suggestions (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    model text NOT NULL,
    prompt_version text NOT NULL,
    suggested_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT importance_suggestions_importance_class_check CHECK (((importance_class >= 1) AND (importance_class <= 4)))
);
COMMENT ON TABLE everword.importance_suggestions IS 'Importance classes suggested by background work, used if no caller set one. Derived.';

CREATE TABLE everword.index_changes (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    number bigint,
    removed bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    closed bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.index_changes IS 'Changes of the index in the last day, except added passages. Readers request rows after a number.';
COMMENT ON COLUMN everword.index_changes.number IS 'Position among the changes of the namespace; NULL until `number_changes` sets it.';
COMMENT ON COLUMN everword.index_changes.removed IS 'Deleted passages.';
COMMENT ON COLUMN everword.index_changes.closed IS 'Passages with changed validity or belief times.';
ALTER TABLE everword.index_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.index_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.jobs (
    id bigint NOT NULL,
    namespace_id bigint NOT NULL,
    task text NOT NULL,
    subject text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    dirty_seq bigint DEFAULT 1 NOT NULL,
    done_seq bigint DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    lease_until timestamp with time zone,
    published_at timestamp with time zone,
    trace_context jsonb,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'failed'::text])))
)
WITH (fillfactor='70');
COMMENT ON TABLE everword.jobs IS 'Outbox and durable state of background work: one row per namespace, task and subject.';
COMMENT ON COLUMN everword.jobs.dirty_seq IS 'Incremented by every write that creates work; the job is done when done_seq has reached it.';
COMMENT ON COLUMN everword.jobs.fence IS 'Incremented by every wake-up and every start; a worker with an older value is rejected.';
COMMENT ON COLUMN everword.jobs.deaths IS 'Workers that died with the job since it last advanced; 0 if it is done or failed.';
ALTER TABLE everword.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.learned_changes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT learned_changes_actor_check CHECK ((actor = ANY (ARRAY['agent'::text, 'person'::text, 'machine'::text])))
);
COMMENT ON TABLE everword.learned_changes IS 'Audit trail of learned people, events, user models and strategies, with actor and reason.';

CREATE TABLE everword.learned_evidence (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    about_id uuid NOT NULL,
    aspect text NOT NULL,
    value text NOT NULL,
    value_hash bytea NOT NULL,
    message_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    quote text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT learned_evidence_quote_check CHECK ((quote <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.learned_evidence IS 'Messages that support people, events, user models, trajectories and strategies, with quotes. Append-only.';
COMMENT ON COLUMN everword.learned_evidence.aspect IS 'The field that the quote supports: `name`, `relation`, `status`, `detail`, `start` and so on.';

CREATE TABLE everword.legal_holds (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text,
    conversation_id uuid,
    reason text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT legal_holds_check CHECK ((num_nonnulls(subject, conversation_id) <= 1)),
    CONSTRAINT legal_holds_subject_check CHECK ((subject <> ''::text))
);
COMMENT ON TABLE everword.legal_holds IS 'Holds on the data of a subject or a conversation; with neither, on the whole namespace.';

CREATE TABLE everword.lore_books (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.lore_books IS 'Lorebooks, with the agent, subject or conversation whose contexts use them.';
COMMENT ON COLUMN everword.lore_books.key_hash IS 'SHA-256 of name, agent, subject and conversation, which can exceed the size of an index entry.';
COMMENT ON COLUMN everword.lore_books.version IS 'Counts changes of the book and its entries, for caches. Its row lock orders writers.';

CREATE TABLE everword.lore_entries (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    book_id uuid NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    triggers jsonb DEFAULT '[]'::jsonb NOT NULL,
    patterns smallint DEFAULT 0 NOT NULL,
    scan_depth smallint DEFAULT 5 NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    sticky_turns smallint DEFAULT 0 NOT NULL,
    disabled boolean DEFAULT false NOT NULL,
    constant boolean DEFAULT false NOT NULL,
    prevent_recursion boolean DEFAULT false NOT NULL,
    exclude_recursion boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT lore_entries_scan_depth_check CHECK (((scan_depth >= 0) AND (scan_depth <= 100))),
    CONSTRAINT lore_entries_sticky_turns_check CHECK (((sticky_turns >= 0) AND (sticky_turns <= 100)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.lore_entries IS 'Current entries of lorebooks; each is a memory of kind 7 under its id.';
COMMENT ON COLUMN everword.lore_entries.triggers IS 'A list of objects: text, mode (as LoreTriggerMode) and case_sensitive.';
COMMENT ON COLUMN everword.lore_entries.patterns IS 'Number of triggers that are regular expressions.';
COMMENT ON COLUMN everword.lore_entries.agent IS 'With `subject`, those of the book: scoped keys see the row by them.';

CREATE SEQUENCE everword.memory_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
COMMENT ON SEQUENCE everword.memory_ids IS 'Ids of passages, over all namespaces and partitions.';

CREATE TABLE everword.memories (
    namespace_id bigint NOT NULL,
    id bigint DEFAULT nextval('everword.memory_ids'::regclass) NOT NULL,
    kind smallint NOT NULL,
    source_id uuid NOT NULL,
    part integer DEFAULT 0 NOT NULL,
    conversation_id uuid,
    seq bigint,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    role smallint DEFAULT 0 NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance_class smallint DEFAULT 0 NOT NULL,
    automated boolean DEFAULT false NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    content text NOT NULL,
    lexemes tsvector NOT NULL,
    lexeme_count integer NOT NULL,
    literals text,
    ranking bytea,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    known_from timestamp with time zone,
    known_until timestamp with time zone
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY everword.memories ALTER COLUMN ranking SET STORAGE EXTERNAL;
COMMENT ON TABLE everword.memories IS 'Passages. Services read visible_memories: under a row-level policy, text operators would use no index.';
COMMENT ON COLUMN everword.memories.source_id IS 'The public id of the memory that the passage is of.';
COMMENT ON COLUMN everword.memories.part IS 'Number of the passage in its source, from 0; -1 is the sentence about a tool call.';
COMMENT ON COLUMN everword.memories.content IS 'The text of the passage, as it was sent.';
COMMENT ON COLUMN everword.memories.lexemes IS 'The indexed words: of the text, the author and the time.';
COMMENT ON COLUMN everword.memories.lexeme_count IS 'BM25''s document length: occurrences of lexemes, after stop words.';
COMMENT ON COLUMN everword.memories.literals IS 'File names, versions, addresses and the like, for the trigram arm.';
COMMENT ON COLUMN everword.memories.ranking IS 'Ranking record (everword.text.ranking_record); NULL if the passage is older than these.';
COMMENT ON COLUMN everword.memories.valid_from IS 'Start of validity; NULL if unlimited.';
COMMENT ON COLUMN everword.memories.valid_until IS 'End of validity, exclusive; NULL if unknown.';
COMMENT ON COLUMN everword.memories.known_from IS 'Start of the time in which the service believes it; NULL if since it was stored.';
COMMENT ON COLUMN everword.memories.known_until IS 'End of the time in which the service believed it, exclusive; NULL if it is current.';

CREATE TABLE everword.memory_changes (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    number bigint,
    memory_ids uuid[] NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.memory_changes IS 'Memories added, changed or removed in the last day. Each statement that writes `memories` adds a row. Readers request rows after a number.';
COMMENT ON COLUMN everword.memory_changes.number IS 'Position among the changes of the namespace; NULL until `number_changes` sets it.';
ALTER TABLE everword.memory_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.memory_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.memory_classes (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    importance_class smallint NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.memory_classes IS 'Importance classes that callers gave to memories after they were stored.';

CREATE TABLE everword.memory_use (
    namespace_id bigint NOT NULL,
    memory_id uuid NOT NULL,
    use_count bigint DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone NOT NULL
)
WITH (fillfactor='70');
COMMENT ON TABLE everword.memory_use IS 'Number of uses of a memory. A narrow table with free space, so that an update stays on its page.';

CREATE TABLE everword.memory_vectors_1 (
    namespace_id bigint NOT NULL,
    memory_id bigint NOT NULL,
    embedding public.halfvec(384) NOT NULL
)
PARTITION BY HASH (namespace_id);
ALTER TABLE ONLY everword.memory_vectors_1 ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE everword.message_corrections (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    corrected_id uuid NOT NULL,
    kind smallint NOT NULL,
    value text DEFAULT ''::text NOT NULL,
    current_value text DEFAULT ''::text NOT NULL,
    corrected_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    corrected_agent text DEFAULT ''::text NOT NULL,
    corrected_subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT message_corrections_check CHECK ((message_id <> corrected_id)),
    CONSTRAINT message_corrections_kind_check CHECK (((kind >= 1) AND (kind <= 3)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.message_corrections IS 'Messages that correct or update an earlier message, found without a language model. The latest row of a message counts.';
COMMENT ON COLUMN everword.message_corrections.kind IS '1 another value replaced what it says, 2 it was wrong, 3 its value is current again.';
COMMENT ON COLUMN everword.message_corrections.value IS 'The outdated words of the corrected message; empty if unknown.';
COMMENT ON COLUMN everword.message_corrections.current_value IS 'The words of the correction that replace them; empty if unknown.';
COMMENT ON COLUMN everword.message_corrections.corrected_at IS 'When the correction was sent.';
COMMENT ON COLUMN everword.message_corrections.agent IS 'With `subject` and those of the corrected message, those of the conversations: scoped keys see the row by all four.';

CREATE TABLE everword.messages (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    seq bigint NOT NULL,
    role smallint NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    content text NOT NULL,
    content_blocks jsonb,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance_class smallint DEFAULT 0 NOT NULL,
    automated boolean DEFAULT false NOT NULL,
    tool_name text DEFAULT ''::text NOT NULL,
    tool_args text DEFAULT ''::text NOT NULL,
    tool_result text DEFAULT ''::text NOT NULL,
    metadata jsonb,
    token_count integer DEFAULT 0 NOT NULL,
    external_id text,
    parent_id uuid,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT messages_role_check CHECK (((role >= 1) AND (role <= 4)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.messages IS 'Every message as it was sent. Append-only by grants.';
COMMENT ON COLUMN everword.messages.importance_class IS 'As sent; later changes are in memory_classes.';
COMMENT ON COLUMN everword.messages.agent IS 'With `subject`, those of the conversation: scoped keys see the row by them.';

CREATE TABLE everword.model_generations (
    id bigint NOT NULL,
    state text NOT NULL,
    provider text NOT NULL,
    endpoint text DEFAULT ''::text NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL,
    query_prefix text DEFAULT ''::text NOT NULL,
    passage_prefix text DEFAULT ''::text NOT NULL,
    weights text DEFAULT ''::text NOT NULL,
    files_sha256 text DEFAULT ''::text NOT NULL,
    pooling text DEFAULT 'mean'::text NOT NULL,
    max_tokens integer,
    size_bytes bigint,
    languages text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    storage text DEFAULT 'array'::text NOT NULL,
    matryoshka boolean DEFAULT false NOT NULL,
    awaited_writers text[],
    backfilled_namespace bigint DEFAULT 0 NOT NULL,
    backfilled_memory bigint DEFAULT 0 NOT NULL,
    backfilled_at timestamp with time zone,
    background_mean real,
    background_deviation real,
    other_languages boolean DEFAULT false NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT model_generations_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000))),
    CONSTRAINT model_generations_max_tokens_check CHECK ((max_tokens > 0)),
    CONSTRAINT model_generations_pooling_check CHECK ((pooling = ANY (ARRAY['mean'::text, 'cls'::text, 'last'::text, 'graph'::text]))),
    CONSTRAINT model_generations_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retiring'::text]))),
    CONSTRAINT model_generations_storage_check CHECK ((storage = ANY (ARRAY['halfvec'::text, 'array'::text])))
);
COMMENT ON TABLE everword.model_generations IS 'Embedding models. Writes enqueue vectors for every building and active one.';
COMMENT ON COLUMN everword.model_generations.backfilled_memory IS 'Last enqueued passage of the backlog; backfilled_at is set at its end.';
COMMENT ON COLUMN everword.model_generations.background_mean IS 'Mean cosine of unrelated passages, which differs from model to model.';
COMMENT ON COLUMN everword.model_generations.other_languages IS 'If true, the embedder loads its model for other languages at its start.';
ALTER TABLE everword.model_generations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.model_generations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.model_prices (
    model text NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    shipped boolean NOT NULL,
    valid_from date NOT NULL,
    currency text NOT NULL,
    input_price numeric NOT NULL,
    cached_input_price numeric,
    output_price numeric NOT NULL,
    CONSTRAINT model_prices_cached_input_price_check CHECK ((cached_input_price >= (0)::numeric)),
    CONSTRAINT model_prices_currency_check CHECK ((currency <> ''::text)),
    CONSTRAINT model_prices_input_price_check CHECK ((input_price >= (0)::numeric)),
    CONSTRAINT model_prices_output_price_check CHECK ((output_price >= (0)::numeric))
);
COMMENT ON TABLE everword.model_prices IS 'Prices per million tokens from a day (UTC) on, for the deployment. Loaded prices precede shipped ones.';
COMMENT ON COLUMN everword.model_prices.provider IS 'Empty for every provider of the model.';
COMMENT ON COLUMN everword.model_prices.cached_input_price IS 'NULL if cached tokens cost the same as other input tokens.';

CREATE TABLE everword.namespace_deletions (
    id uuid NOT NULL,
    deleted_id bigint NOT NULL,
    name_hash bytea NOT NULL,
    api_key_id uuid,
    requested_by text DEFAULT ''::text NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    requested_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone
);
COMMENT ON TABLE everword.namespace_deletions IS 'Deleted namespaces with time, requester and row counts, but no content. Kept for ever; written by functions only.';
COMMENT ON COLUMN everword.namespace_deletions.deleted_id IS 'The id of the deleted namespace; it is not reused.';
COMMENT ON COLUMN everword.namespace_deletions.name_hash IS 'SHA-256 of the name, salted with the deployment''s secret.';
COMMENT ON COLUMN everword.namespace_deletions.api_key_id IS 'The key of the call. NULL for EVERWORD_ADMIN_KEY, and if no key was required.';

CREATE TABLE everword.namespace_imports (
    namespace_id bigint NOT NULL,
    lines bigint NOT NULL,
    digest bytea NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT namespace_imports_lines_check CHECK ((lines >= 0))
);
COMMENT ON TABLE everword.namespace_imports IS 'Progress of the import that created a namespace.';
COMMENT ON COLUMN everword.namespace_imports.lines IS 'Lines of the file that are stored.';
COMMENT ON COLUMN everword.namespace_imports.digest IS 'SHA-256 of these lines: an import resumes only with the same file.';

CREATE TABLE everword.namespace_locks (
    namespace_id bigint NOT NULL,
    name text NOT NULL
);
COMMENT ON TABLE everword.namespace_locks IS 'Locks of a namespace that no single row of data stands for. A lock is a row: if namespaces are distributed over several servers, it is on the server of its namespace, unlike an advisory lock. Has names only, so it is not isolated.';
COMMENT ON COLUMN everword.namespace_locks.name IS '`budgets`: held exclusively, no call is charged; `budget events`; `facts N`, `people N` and `patterns N`: one of 64 parts of these.';

CREATE TABLE everword.namespace_usage (
    namespace_id bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    measured_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);
COMMENT ON TABLE everword.namespace_usage IS 'Used quota of namespaces with limits. Each process adds its counts periodically. Not isolated: counters only.';
COMMENT ON COLUMN everword.namespace_usage.minute IS 'The minute of `requests` and `messages`.';
COMMENT ON COLUMN everword.namespace_usage.measured_at IS 'Time when ingest last measured `stored_bytes`.';

CREATE TABLE everword.namespaces (
    id bigint NOT NULL,
    name text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    day_cutoff_minutes integer DEFAULT 0 NOT NULL,
    text_search_config regconfig DEFAULT 'english'::regconfig NOT NULL,
    use_counting smallint DEFAULT 1 NOT NULL,
    channel_policies jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    credentials smallint DEFAULT 1 NOT NULL,
    sleep_atomicity smallint DEFAULT 1 NOT NULL,
    erasure_salt bytea DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) NOT NULL,
    requests_per_minute integer DEFAULT 0 NOT NULL,
    messages_per_minute integer DEFAULT 0 NOT NULL,
    stored_bytes bigint DEFAULT 0 NOT NULL,
    quarantine boolean DEFAULT false NOT NULL,
    shared_calendar boolean DEFAULT false NOT NULL,
    ranking_profile text DEFAULT ''::text NOT NULL,
    recalled_turns smallint,
    recall_similarity double precision,
    earlier_turns smallint,
    CONSTRAINT namespaces_day_cutoff_minutes_check CHECK (((day_cutoff_minutes >= 0) AND (day_cutoff_minutes <= 720))),
    CONSTRAINT namespaces_state_check CHECK ((state = ANY (ARRAY['active'::text, 'importing'::text, 'deleting'::text])))
);
COMMENT ON TABLE everword.namespaces IS 'Tenants. Holds no content, so it is not isolated.';
COMMENT ON COLUMN everword.namespaces.credentials IS 'Passwords, keys and tokens in derived text: 1 mask, 2 keep, 3 mask and refuse new rows with them.';
COMMENT ON COLUMN everword.namespaces.sleep_atomicity IS 'Unit of Sleep''s transactions: 1 one session, 2 a whole run.';
COMMENT ON COLUMN everword.namespaces.erasure_salt IS 'Salt of hashes of erased names and ids.';
COMMENT ON COLUMN everword.namespaces.requests_per_minute IS 'Limit of calls per clock minute, over all processes; 0 disables it.';
COMMENT ON COLUMN everword.namespaces.messages_per_minute IS 'Limit of messages stored per clock minute; 0 disables it.';
COMMENT ON COLUMN everword.namespaces.stored_bytes IS 'Limit of bytes of stored text; 0 disables it.';
COMMENT ON COLUMN everword.namespaces.quarantine IS 'Whether untrusted text with prompt injections is left out of contexts; a channel policy can differ.';
COMMENT ON COLUMN everword.namespaces.shared_calendar IS 'Whether one calendar sums up the messages of all subjects; else each has its own.';
COMMENT ON COLUMN everword.namespaces.ranking_profile IS 'Ranking profile of searches and contexts that name none; empty for `recall`.';
COMMENT ON COLUMN everword.namespaces.recalled_turns IS 'Maximum older turns recalled in contexts; NULL is the default.';
COMMENT ON COLUMN everword.namespaces.recall_similarity IS 'Their minimum cosine with the query; NULL is the default.';
COMMENT ON COLUMN everword.namespaces.earlier_turns IS 'Maximum turns of earlier conversations at the start of a new one; NULL is the default.';
ALTER TABLE everword.namespaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.namespaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE everword.note_versions (
    namespace_id bigint NOT NULL,
    note_id uuid NOT NULL,
    version bigint NOT NULL,
    id uuid NOT NULL,
    deleted boolean DEFAULT false NOT NULL,
    content text NOT NULL,
    kind text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance smallint DEFAULT 3 NOT NULL,
    author text DEFAULT ''::text NOT NULL,
    expires_at timestamp with time zone,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT note_versions_version_check CHECK ((version > 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.note_versions IS 'Every version of every note. Append-only by grants.';
COMMENT ON COLUMN everword.note_versions.agent IS 'With `subject`, those of the note: scoped keys see the row by them.';

CREATE TABLE everword.notes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    key_hash bytea,
    kind text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    importance smallint DEFAULT 3 NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    log_date date,
    expires_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT notes_importance_check CHECK (((importance >= 1) AND (importance <= 5)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.notes IS 'Current state of notes. The text is in note_versions and, unless deleted or expired, in the index.';
COMMENT ON COLUMN everword.notes.key IS 'Unique name within agent, subject and conversation; empty for a note without a key.';
COMMENT ON COLUMN everword.notes.key_hash IS 'SHA-256 of key, agent, subject and conversation, which can exceed an index entry; NULL without a key.';
COMMENT ON COLUMN everword.notes.version IS 'Latest version in note_versions. Its row lock orders concurrent writers.';
COMMENT ON COLUMN everword.notes.log_date IS 'The day of an entry of a daily log.';
COMMENT ON COLUMN everword.notes.expires_at IS 'From then on the note counts as deleted.';

CREATE TABLE everword.pattern_decisions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    approved boolean NOT NULL,
    confidence double precision NOT NULL,
    threshold double precision NOT NULL,
    threshold_source smallint NOT NULL,
    occurrences integer NOT NULL,
    disagreements integer NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    CONSTRAINT pattern_decisions_threshold_source_check CHECK (((threshold_source >= 1) AND (threshold_source <= 3)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.pattern_decisions IS 'Decisions made by patterns, with the reason.';
COMMENT ON COLUMN everword.pattern_decisions.threshold_source IS 'Values equal proto ThresholdSource.';

CREATE TABLE everword.pattern_outcomes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    pattern_id uuid NOT NULL,
    agreed boolean NOT NULL,
    recorded boolean NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    other_pattern_id uuid,
    outcome_at timestamp with time zone NOT NULL
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.pattern_outcomes IS 'Observations of a pattern; its counts are computed from them.';
COMMENT ON COLUMN everword.pattern_outcomes.other_pattern_id IS 'The pattern that was recorded instead.';

CREATE TABLE everword.pattern_thresholds (
    namespace_id bigint NOT NULL,
    type text NOT NULL,
    threshold double precision NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT pattern_thresholds_threshold_check CHECK (((threshold >= (0)::double precision) AND (threshold <= (1)::double precision)))
);
COMMENT ON TABLE everword.pattern_thresholds IS 'The confidence from which patterns of a type are used without asking.';

CREATE TABLE everword.patterns (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    entity text NOT NULL,
    entity_key text NOT NULL,
    type text NOT NULL,
    category text DEFAULT ''::text NOT NULL,
    data jsonb NOT NULL,
    data_hash bytea NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    occurrences integer DEFAULT 0 NOT NULL,
    disagreements integer DEFAULT 0 NOT NULL,
    confidence double precision DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    CONSTRAINT patterns_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT patterns_entity_check CHECK ((entity <> ''::text)),
    CONSTRAINT patterns_type_check CHECK ((type <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.patterns IS 'Actions of an agent on an entity. Counts and confidence are computed from pattern_outcomes.';
COMMENT ON COLUMN everword.patterns.entity_key IS 'The entity, ignoring case and spaces.';
COMMENT ON COLUMN everword.patterns.data_hash IS 'SHA-256 of the data, ignoring the order of keys.';

CREATE TABLE everword.people (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    name text NOT NULL,
    aliases text[] DEFAULT '{}'::text[] NOT NULL,
    relation text DEFAULT ''::text NOT NULL,
    status smallint NOT NULL,
    mention_count integer NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ruling smallint,
    ruled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT people_check CHECK (((ruling IS NULL) = (ruled_at IS NULL))),
    CONSTRAINT people_mention_count_check CHECK ((mention_count >= 0)),
    CONSTRAINT people_name_check CHECK ((name <> ''::text)),
    CONSTRAINT people_ruling_check CHECK (((ruling >= 1) AND (ruling <= 2))),
    CONSTRAINT people_status_check CHECK (((status >= 1) AND (status <= 3)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.people IS 'Persons that a subject mentions. Columns are computed from learned_evidence and rulings.';
COMMENT ON COLUMN everword.people.aliases IS 'Other spellings of the name.';
COMMENT ON COLUMN everword.people.status IS 'Whether the relation lasts. Values equal proto RelationStatus.';
COMMENT ON COLUMN everword.people.mention_count IS 'Number of messages that mention the person.';
COMMENT ON COLUMN everword.people.ruling IS 'A person ruled at ruled_at that it is wrong (1) or over (2).';

CREATE VIEW everword.retained_document_versions WITH (security_invoker='true') AS
 SELECT v.namespace_id,
    v.id,
    (3)::smallint AS importance,
    false AS pinned,
    v.subject,
    d.conversation_id,
    v.superseded_at AS active_at
   FROM (( SELECT document_versions.namespace_id,
            document_versions.document_id,
            document_versions.id,
            document_versions.subject,
            lead(document_versions.written_at) OVER (PARTITION BY document_versions.namespace_id, document_versions.document_id ORDER BY document_versions.version) AS superseded_at
           FROM everword.document_versions) v
     JOIN everword.documents d ON (((d.namespace_id = v.namespace_id) AND (d.id = v.document_id))))
  WHERE (v.superseded_at IS NOT NULL);

CREATE VIEW everword.retained_facts WITH (security_invoker='true') AS
 SELECT namespace_id,
    id,
    (
        CASE
            WHEN (is_anchor OR (ruled_at IS NOT NULL)) THEN 5
            WHEN hypothesis THEN 2
            WHEN (supporting > 1) THEN 4
            ELSE 3
        END)::smallint AS importance,
    false AS pinned,
    subject,
    NULL::uuid AS conversation_id,
    GREATEST(last_seen_at, ruled_at, verdict_at) AS active_at
   FROM everword.facts f;

CREATE TABLE everword.strategies (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    kind smallint NOT NULL,
    about_kind smallint NOT NULL,
    about_id uuid NOT NULL,
    occasion timestamp with time zone NOT NULL,
    topic text NOT NULL,
    question text NOT NULL,
    reason text NOT NULL,
    state smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT strategies_about_kind_check CHECK (((about_kind >= 1) AND (about_kind <= 3))),
    CONSTRAINT strategies_check CHECK (((state = 1) = (ended_at IS NULL))),
    CONSTRAINT strategies_kind_check CHECK (((kind >= 1) AND (kind <= 4))),
    CONSTRAINT strategies_question_check CHECK ((question <> ''::text)),
    CONSTRAINT strategies_state_check CHECK ((state = ANY (ARRAY[1, 3, 4])))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.strategies IS 'Questions worth asking a subject when their topic comes up.';
COMMENT ON COLUMN everword.strategies.about_kind IS 'What about_id names: a fact (1), a person (2), an event (3).';
COMMENT ON COLUMN everword.strategies.occasion IS 'Time of the event behind the question: one question per occasion.';
COMMENT ON COLUMN everword.strategies.state IS '1 open, 3 answered, 4 dropped. Offered (2) follows from strategy_offers.';

CREATE TABLE everword.trajectories (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    version integer NOT NULL,
    phase text NOT NULL,
    direction text NOT NULL,
    stability smallint NOT NULL,
    anchors text[] NOT NULL,
    volatile_areas text[] NOT NULL,
    momentum text NOT NULL,
    predicted_shifts text[] NOT NULL,
    summary text NOT NULL,
    sessions integer NOT NULL,
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT trajectories_sessions_check CHECK ((sessions >= 0)),
    CONSTRAINT trajectories_stability_check CHECK (((stability >= 1) AND (stability <= 3))),
    CONSTRAINT trajectories_version_check CHECK ((version > 0))
);
COMMENT ON TABLE everword.trajectories IS 'Direction in which a subject develops. The highest version is current.';
COMMENT ON COLUMN everword.trajectories.stability IS 'Values equal proto Stability.';
COMMENT ON COLUMN everword.trajectories.sessions IS 'Number of sessions of the subject that were processed by then.';

CREATE TABLE everword.user_models (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    subject text NOT NULL,
    dimension text NOT NULL,
    value text NOT NULL,
    held_from timestamp with time zone NOT NULL,
    held_until timestamp with time zone,
    last_seen_at timestamp with time zone NOT NULL,
    supporting integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_models_check CHECK ((held_until >= held_from)),
    CONSTRAINT user_models_supporting_check CHECK ((supporting > 0))
);
COMMENT ON TABLE everword.user_models IS 'Communication style of a subject: values of dimensions, with the times when they were current.';

CREATE VIEW everword.retained_history WITH (security_invoker='true') AS
 SELECT h.namespace_id,
    h.id,
    (1)::smallint AS importance,
    false AS pinned,
    h.subject,
    NULL::uuid AS conversation_id,
    h.changed_at AS active_at
   FROM everword.fact_changes h
UNION ALL
 SELECT h.namespace_id,
    h.id,
    (1)::smallint AS importance,
    false AS pinned,
    COALESCE(p.subject, e.subject, u.subject, s.subject, t.subject) AS subject,
    NULL::uuid AS conversation_id,
    h.changed_at AS active_at
   FROM (((((everword.learned_changes h
     LEFT JOIN everword.people p ON (((p.namespace_id = h.namespace_id) AND (p.id = h.about_id))))
     LEFT JOIN everword.events e ON (((e.namespace_id = h.namespace_id) AND (e.id = h.about_id))))
     LEFT JOIN everword.user_models u ON (((u.namespace_id = h.namespace_id) AND (u.id = h.about_id))))
     LEFT JOIN everword.strategies s ON (((s.namespace_id = h.namespace_id) AND (s.id = h.about_id))))
     LEFT JOIN everword.trajectories t ON (((t.namespace_id = h.namespace_id) AND (t.id = h.about_id))))
UNION ALL
 SELECT h.namespace_id,
    h.id,
    (1)::smallint AS importance,
    false AS pinned,
    ''::text AS subject,
    NULL::uuid AS conversation_id,
    h.decided_at AS active_at
   FROM everword.pattern_decisions h;

CREATE VIEW everword.retained_messages WITH (security_invoker='true') AS
 SELECT m.namespace_id,
    m.id,
    (
        CASE COALESCE(k.importance_class, m.importance_class)
            WHEN 4 THEN 5
            WHEN 3 THEN 4
            ELSE 3
        END)::smallint AS importance,
    COALESCE(((m.metadata ->> 'protected'::text) = 'true'::text), false) AS pinned,
    m.subject,
    m.conversation_id,
    m.occurred_at AS active_at,
    COALESCE(c.last_message_at, c.created_at) AS conversation_active_at
   FROM ((everword.messages m
     JOIN everword.conversations c ON (((c.namespace_id = m.namespace_id) AND (c.id = m.conversation_id))))
     LEFT JOIN everword.memory_classes k ON (((k.namespace_id = m.namespace_id) AND (k.memory_id = m.id))));
COMMENT ON VIEW everword.retained_messages IS 'Messages that retention policies may remove, with importance (1-5). The other views are alike.';
COMMENT ON COLUMN everword.retained_messages.pinned IS 'No policy removes it.';
COMMENT ON COLUMN everword.retained_messages.active_at IS 'When a message was sent; for other kinds, the last activity.';
COMMENT ON COLUMN everword.retained_messages.conversation_active_at IS 'When the latest message of the conversation was sent.';

CREATE VIEW everword.retained_note_versions WITH (security_invoker='true') AS
 SELECT v.namespace_id,
    v.id,
    v.importance,
    false AS pinned,
    v.subject,
    n.conversation_id,
    v.superseded_at AS active_at
   FROM (( SELECT note_versions.namespace_id,
            note_versions.note_id,
            note_versions.id,
            note_versions.importance,
            note_versions.subject,
            lead(note_versions.written_at) OVER (PARTITION BY note_versions.namespace_id, note_versions.note_id ORDER BY note_versions.version) AS superseded_at
           FROM everword.note_versions) v
     JOIN everword.notes n ON (((n.namespace_id = v.namespace_id) AND (n.id = v.note_id))))
  WHERE (v.superseded_at IS NOT NULL);

CREATE VIEW everword.retained_notes WITH (security_invoker='true') AS
 SELECT n.namespace_id,
    n.id,
    (
        CASE k.importance_class
            WHEN 4 THEN 5
            WHEN 3 THEN 4
            WHEN 2 THEN 3
            WHEN 1 THEN 3
            ELSE (n.importance)::integer
        END)::smallint AS importance,
    false AS pinned,
    n.subject,
    n.conversation_id,
    v.written_at AS active_at
   FROM ((everword.notes n
     JOIN everword.note_versions v ON (((v.namespace_id = n.namespace_id) AND (v.note_id = n.id) AND (v.version = n.version))))
     LEFT JOIN everword.memory_classes k ON (((k.namespace_id = n.namespace_id) AND (k.memory_id = n.id))))
  WHERE (n.deleted_at IS NULL);

CREATE VIEW everword.retained_patterns WITH (security_invoker='true') AS
 SELECT namespace_id,
    id,
    (LEAST((5)::double precision, ((1)::double precision + floor((confidence * (5)::double precision)))))::smallint AS importance,
    false AS pinned,
    ''::text AS subject,
    NULL::uuid AS conversation_id,
    last_seen_at AS active_at
   FROM everword.patterns p;

CREATE TABLE everword.retention_policies (
    namespace_id bigint NOT NULL,
    kind smallint NOT NULL,
    keep_days integer NOT NULL,
    keep_importance smallint DEFAULT 0 NOT NULL,
    max_per_run bigint DEFAULT 0 NOT NULL,
    keep_quotes boolean DEFAULT false NOT NULL,
    whole_conversations boolean DEFAULT false NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT retention_policies_keep_days_check CHECK ((keep_days > 0)),
    CONSTRAINT retention_policies_keep_importance_check CHECK (((keep_importance >= 0) AND (keep_importance <= 5))),
    CONSTRAINT retention_policies_kind_check CHECK (((kind >= 1) AND (kind <= 7))),
    CONSTRAINT retention_policies_max_per_run_check CHECK ((max_per_run >= 0))
);
COMMENT ON TABLE everword.retention_policies IS 'Retention of items of a kind in a namespace; without a row, they are kept for ever.';
COMMENT ON COLUMN everword.retention_policies.kind IS 'Values equal proto RetentionKind.';
COMMENT ON COLUMN everword.retention_policies.keep_days IS 'Days since a message was sent, or since the last activity of an item of another kind.';
COMMENT ON COLUMN everword.retention_policies.keep_importance IS 'Items of at least this importance are kept; 0 keeps none.';
COMMENT ON COLUMN everword.retention_policies.max_per_run IS 'Limit of removals per run; 0 disables it.';
COMMENT ON COLUMN everword.retention_policies.whole_conversations IS 'For messages: a conversation is removed as a whole, by its last activity.';

CREATE TABLE everword.retention_runs (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    night date,
    state smallint DEFAULT 1 NOT NULL,
    kind smallint DEFAULT 1 NOT NULL,
    importance smallint DEFAULT 1 NOT NULL,
    after_time timestamp with time zone,
    after_id uuid,
    removed jsonb DEFAULT '{}'::jsonb NOT NULL,
    row_counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT retention_runs_check CHECK (((state = 2) = (finished_at IS NOT NULL))),
    CONSTRAINT retention_runs_state_check CHECK (((state >= 1) AND (state <= 2)))
);
COMMENT ON TABLE everword.retention_runs IS 'Runs of policies with counts by kind and no content. Unfinished ones are continued by ingest.';
COMMENT ON COLUMN everword.retention_runs.night IS 'The day after whose end it ran; NULL if a caller started it.';
COMMENT ON COLUMN everword.retention_runs.state IS '1 running, 2 done.';
COMMENT ON COLUMN everword.retention_runs.kind IS 'Progress: the kind, the lowest importance, and the time and id of the last item.';
COMMENT ON COLUMN everword.retention_runs.removed IS 'Removed items by kind.';
COMMENT ON COLUMN everword.retention_runs.row_counts IS 'Deleted rows by table.';

CREATE TABLE everword.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE everword.session_observations (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    session_id uuid NOT NULL,
    subject text NOT NULL,
    about text DEFAULT ''::text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    hypothesis boolean DEFAULT false NOT NULL,
    message_ids uuid[] NOT NULL,
    seqs bigint[] NOT NULL,
    quotes text[] NOT NULL,
    said_at timestamp with time zone[] NOT NULL,
    CONSTRAINT session_observations_check CHECK (((cardinality(message_ids) = cardinality(quotes)) AND (cardinality(message_ids) = cardinality(said_at)) AND (cardinality(message_ids) = cardinality(seqs)))),
    CONSTRAINT session_observations_message_ids_check CHECK ((cardinality(message_ids) > 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.session_observations IS 'Facts that a model read in a session, with the messages and sentences that state them.';
COMMENT ON COLUMN everword.session_observations.about IS 'The third party of the fact; empty for the subject.';

CREATE TABLE everword.sleep_nights (
    namespace_id bigint NOT NULL,
    night date NOT NULL
);
COMMENT ON TABLE everword.sleep_nights IS 'The latest day whose nightly Sleep is done.';

CREATE TABLE everword.sleep_sessions (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    state smallint NOT NULL,
    topics text[] DEFAULT '{}'::text[] NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    error text,
    stored_at timestamp with time zone DEFAULT now() NOT NULL,
    processed_at timestamp with time zone,
    CONSTRAINT sleep_sessions_check CHECK ((last_seq >= first_seq)),
    CONSTRAINT sleep_sessions_check1 CHECK (((state = 2) = (processed_at IS NOT NULL))),
    CONSTRAINT sleep_sessions_state_check CHECK (((state >= 1) AND (state <= 5)))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.sleep_sessions IS 'Ranges of messages of a conversation that Sleep processed as a unit.';
COMMENT ON COLUMN everword.sleep_sessions.subject IS 'The subject of the closing steps; empty without observations.';
COMMENT ON COLUMN everword.sleep_sessions.state IS '1 stored, 2 also processed by the closing steps, 3 without statements of people, 4 parked with an error, 5 to be read again.';

CREATE TABLE everword.strategy_offers (
    namespace_id bigint NOT NULL,
    strategy_id uuid NOT NULL,
    offer_count integer DEFAULT 1 NOT NULL,
    last_offered_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE everword.strategy_offers IS 'Number of times that a question was offered in a context. It is not offered every turn.';

CREATE TABLE everword.summaries (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    level smallint NOT NULL,
    conversation_id uuid,
    first_seq bigint,
    last_seq bigint,
    period date,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    instance text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    parent_id uuid,
    previous_id uuid,
    content text NOT NULL,
    message_count bigint NOT NULL,
    earliest_at timestamp with time zone NOT NULL,
    latest_at timestamp with time zone NOT NULL,
    token_count integer DEFAULT 0 NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    prompt_version integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    stale boolean DEFAULT false NOT NULL,
    needs_review boolean DEFAULT false NOT NULL,
    faithfulness jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revised_at timestamp with time zone DEFAULT now() NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    hidden boolean DEFAULT false NOT NULL,
    CONSTRAINT summaries_check CHECK ((((level >= 1) AND (level <= 3)) = ((conversation_id IS NOT NULL) AND (first_seq IS NOT NULL) AND (last_seq IS NOT NULL)))),
    CONSTRAINT summaries_check1 CHECK ((((level >= 4) AND (level <= 7)) = (period IS NOT NULL))),
    CONSTRAINT summaries_check2 CHECK (((level < 5) OR (level > 7) OR (instance = ''::text))),
    CONSTRAINT summaries_check3 CHECK ((earliest_at <= latest_at)),
    CONSTRAINT summaries_content_check CHECK ((content <> ''::text)),
    CONSTRAINT summaries_level_check CHECK (((level >= 1) AND (level <= 8))),
    CONSTRAINT summaries_message_count_check CHECK ((message_count >= 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.summaries IS 'Levels 1-3 leaf, branch, root of a conversation; 4-7 day to year; 8 significant. Ids stay when rewritten.';
COMMENT ON COLUMN everword.summaries.first_seq IS 'For levels 1-3: the range of the conversation that the node covers.';
COMMENT ON COLUMN everword.summaries.period IS 'For levels 4-7: the first day of the period, in the namespace''s time zone.';
COMMENT ON COLUMN everword.summaries.subject IS 'For levels 4-7: the subject of the calendar; empty in a shared calendar.';
COMMENT ON COLUMN everword.summaries.parent_id IS 'The node above; summary_sources holds the same link from the other end.';
COMMENT ON COLUMN everword.summaries.previous_id IS 'The latest earlier node of the conversation, or of the level, at the time of creation.';
COMMENT ON COLUMN everword.summaries.stale IS 'Whether its sources have changed and it must be rewritten.';
COMMENT ON COLUMN everword.summaries.needs_review IS 'Whether it has claims that its sources do not support; see faithfulness.';
COMMENT ON COLUMN everword.summaries.name IS 'Unique: `2024-03-05`, `2024-03-05/phone@mira`, `2024-W10@mira`, `2024-03-05 · The heron`. Empty for levels 1-3.';
COMMENT ON COLUMN everword.summaries.hidden IS 'Whether a source was erased. The text is blank until it is rewritten.';

CREATE TABLE everword.summary_sources (
    namespace_id bigint NOT NULL,
    summary_id uuid NOT NULL,
    ordinal integer NOT NULL,
    axis smallint NOT NULL,
    message_id uuid,
    child_id uuid,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT summary_sources_axis_check CHECK (((axis >= 1) AND (axis <= 2))),
    CONSTRAINT summary_sources_check CHECK (((message_id IS NULL) <> (child_id IS NULL))),
    CONSTRAINT summary_sources_ordinal_check CHECK ((ordinal > 0))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.summary_sources IS 'Sources of each node in order: messages, or nodes of the level below.';
COMMENT ON COLUMN everword.summary_sources.axis IS '1 along a conversation, 2 along the calendar.';
COMMENT ON COLUMN everword.summary_sources.agent IS 'With `subject`, those of the summary: scoped keys see the row by them.';

CREATE TABLE everword.summary_voices (
    namespace_id bigint NOT NULL,
    identity text DEFAULT ''::text NOT NULL,
    user_name text DEFAULT ''::text NOT NULL,
    pronouns text DEFAULT ''::text NOT NULL,
    channel_instructions jsonb DEFAULT '{}'::jsonb NOT NULL,
    handles jsonb DEFAULT '{}'::jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE everword.summary_voices IS 'The identity in whose first person summaries are written, and the names of people.';

CREATE TABLE everword.tenants (
    namespace_id bigint NOT NULL,
    hides integer DEFAULT 0 NOT NULL
);
COMMENT ON TABLE everword.tenants IS 'One row for each namespace, which `namespaces` cannot be if it is on every server. Workers share the row while they start a job; inserts from arrays take the namespace from it.';
COMMENT ON COLUMN everword.tenants.hides IS 'Number of running erasures that hide rows. At 0, reads skip the check.';

CREATE TABLE everword.themes (
    namespace_id bigint NOT NULL,
    id uuid NOT NULL,
    place smallint NOT NULL,
    label text NOT NULL,
    words text[] NOT NULL,
    size integer NOT NULL,
    sampled integer NOT NULL,
    source_ids uuid[] NOT NULL,
    generation_id smallint NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.themes IS 'Topics of a namespace; all of them are replaced at once.';
COMMENT ON COLUMN everword.themes.source_ids IS 'Memories nearest to the centre of the theme, nearest first.';
COMMENT ON COLUMN everword.themes.generation_id IS 'The generation whose vectors it was made from.';
COMMENT ON COLUMN everword.themes.model IS 'The language model that wrote the label; empty if words were chosen.';

CREATE TABLE everword.tool_sentence_queue (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT now() NOT NULL,
    error text,
    enqueued_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tool_sentence_queue_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'failed'::text])))
);
COMMENT ON TABLE everword.tool_sentence_queue IS 'Sentences of tool calls that are pending or failed. Not isolated: ids and states only.';

CREATE TABLE everword.tool_sentences (
    namespace_id bigint NOT NULL,
    message_id uuid NOT NULL,
    content text NOT NULL,
    model text NOT NULL,
    prompt_version integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    CONSTRAINT tool_sentences_content_check CHECK ((content <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.tool_sentences IS 'A sentence about a tool call whose message has no text; part -1 of the message in the index.';
COMMENT ON COLUMN everword.tool_sentences.agent IS 'With `subject`, those of the conversation: scoped keys see the row by them.';

CREATE TABLE everword.topic_changes (
    namespace_id bigint NOT NULL,
    id uuid DEFAULT uuidv7() NOT NULL,
    fact_id uuid,
    leaf_id uuid,
    node_id uuid,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_changes_check CHECK ((num_nonnulls(fact_id, leaf_id, node_id) = 1))
);
COMMENT ON TABLE everword.topic_changes IS 'Unprocessed changes of facts, leaves and nodes. Rows instead of a flag, so that writers never wait for each other.';

CREATE TABLE everword.topic_pages (
    namespace_id bigint NOT NULL,
    node_id uuid NOT NULL,
    id uuid NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    title text NOT NULL,
    type text NOT NULL,
    content text NOT NULL,
    sections jsonb DEFAULT '[]'::jsonb NOT NULL,
    source_ids uuid[] NOT NULL,
    source_kinds smallint[] NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    model text DEFAULT ''::text NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_pages_check CHECK ((cardinality(source_ids) = cardinality(source_kinds))),
    CONSTRAINT topic_pages_content_check CHECK ((content <> ''::text)),
    CONSTRAINT topic_pages_title_check CHECK ((title <> ''::text))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.topic_pages IS 'A page about a node of the graph, replaced under its id. Former names and merged nodes lead to it.';
COMMENT ON COLUMN everword.topic_pages.sections IS 'Written by a language model and checked: an array of {heading, text, sources}.';
COMMENT ON COLUMN everword.topic_pages.source_ids IS 'Cited sources; [1] is the first. If one is erased, the page may repeat its text.';
COMMENT ON COLUMN everword.topic_pages.source_kinds IS 'Kinds of source_ids: 2 leaf, 4 fact.';

CREATE TABLE everword.topic_sources (
    namespace_id bigint NOT NULL,
    node_id uuid NOT NULL,
    source_id uuid NOT NULL,
    kind smallint NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT topic_sources_kind_check CHECK ((kind = ANY (ARRAY[2, 4])))
)
PARTITION BY HASH (namespace_id);
COMMENT ON TABLE everword.topic_sources IS 'Leaves (kind 2) and facts (kind 4) about a node of the graph, of its own subject only.';
COMMENT ON COLUMN everword.topic_sources.changed_at IS 'When the source was last seen to change; older pages are outdated.';

CREATE VIEW everword.transferred_counts AS
 SELECT namespace_id,
    (sum(conversations))::bigint AS conversations,
    (sum(messages))::bigint AS messages,
    (sum(turns))::bigint AS turns,
    (sum(passages))::bigint AS passages,
    (sum(lexemes))::bigint AS lexemes,
    (sum(content_bytes))::bigint AS content_bytes,
    (sum(dropped))::bigint AS dropped
   FROM everword.corpus_counts
  GROUP BY namespace_id;

CREATE TABLE everword.usage_ledger (
    namespace_id bigint NOT NULL,
    id bigint NOT NULL,
    task text NOT NULL,
    model text NOT NULL,
    endpoint text DEFAULT ''::text NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    outcome text NOT NULL,
    seconds double precision NOT NULL,
    called_at timestamp with time zone DEFAULT now() NOT NULL,
    own boolean DEFAULT true NOT NULL,
    provider text DEFAULT ''::text NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    cost numeric,
    currency text DEFAULT ''::text NOT NULL,
    agent text DEFAULT ''::text NOT NULL,
    session_key text DEFAULT ''::text NOT NULL,
    conversation_id uuid,
    run_id text DEFAULT ''::text NOT NULL,
    batch_id uuid,
    CONSTRAINT usage_ledger_cost_check CHECK ((cost >= (0)::numeric))
);
COMMENT ON TABLE everword.usage_ledger IS 'Calls of language models by the services and by agents, with their cost.';
COMMENT ON COLUMN everword.usage_ledger.task IS 'The purpose of the call.';
COMMENT ON COLUMN everword.usage_ledger.own IS 'Whether a service of Everword made the call; otherwise an agent reported it.';
COMMENT ON COLUMN everword.usage_ledger.cached_tokens IS 'Part of input_tokens that the provider had cached.';
COMMENT ON COLUMN everword.usage_ledger.cost IS 'In `currency`, exact. NULL if the model has no price.';
COMMENT ON COLUMN everword.usage_ledger.batch_id IS 'The RecordUsage call that reported it.';
ALTER TABLE everword.usage_ledger ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME everword.usage_ledger_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW everword.visible_memories AS
 SELECT namespace_id,
    id,
    kind,
    source_id,
    part,
    conversation_id,
    seq,
    agent,
    subject,
    channel,
    instance,
    author,
    role,
    tags,
    importance_class,
    automated,
    occurred_at,
    content,
    lexemes,
    lexeme_count,
    literals,
    ranking,
    valid_from,
    valid_until,
    known_from,
    known_until
   FROM everword.memories
  WHERE ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (( SELECT (COALESCE(current_setting('everword.hides'::text, true), ''::text) = ANY (ARRAY[''::text, '0'::text]))) OR everword.is_passage_shown(conversation_id, author, id)))
  WITH LOCAL CHECK OPTION;
COMMENT ON VIEW everword.visible_memories IS 'Memories of the current namespace, without those being erased.';

CREATE VIEW everword.visible_vectors_1 AS
 SELECT namespace_id,
    memory_id,
    embedding
   FROM everword.memory_vectors_1
  WHERE (namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)
  WITH LOCAL CHECK OPTION;

CREATE VIEW everword_scoped.visible_memories AS
 SELECT namespace_id,
    id,
    kind,
    source_id,
    part,
    conversation_id,
    seq,
    agent,
    subject,
    channel,
    instance,
    author,
    role,
    tags,
    importance_class,
    automated,
    occurred_at,
    content,
    lexemes,
    lexeme_count,
    literals,
    ranking,
    valid_from,
    valid_until,
    known_from,
    known_until
   FROM everword.visible_memories
  WHERE everword.in_scope(agent, subject)
  WITH CASCADED CHECK OPTION;
COMMENT ON VIEW everword_scoped.visible_memories IS 'Memories in the agent or subject scope of the transaction.';
ALTER TABLE ONLY everword.advisor_grants ADD CONSTRAINT advisor_grants_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.api_keys ADD CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY everword.api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY everword.append_requests ADD CONSTRAINT append_requests_pkey PRIMARY KEY (namespace_id, request_id);
ALTER TABLE ONLY everword.author_names ADD CONSTRAINT author_names_pkey PRIMARY KEY (namespace_id, name);
ALTER TABLE ONLY everword.budget_events ADD CONSTRAINT budget_events_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.budget_spending ADD CONSTRAINT budget_spending_pkey PRIMARY KEY (namespace_id, budget_id, period);
ALTER TABLE ONLY everword.budgets ADD CONSTRAINT budgets_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.calendar_pending ADD CONSTRAINT calendar_pending_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.calibrations ADD CONSTRAINT calibrations_profile_generation_id_key UNIQUE NULLS NOT DISTINCT (profile, generation_id);
ALTER TABLE ONLY everword.change_numbers ADD CONSTRAINT change_numbers_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.checkpoint_counters ADD CONSTRAINT checkpoint_counters_pkey PRIMARY KEY (namespace_id, conversation_id);
ALTER TABLE ONLY everword.checkpoints ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.compaction_progress ADD CONSTRAINT compaction_progress_pkey PRIMARY KEY (namespace_id, conversation_id);
ALTER TABLE ONLY everword.conversations ADD CONSTRAINT conversations_namespace_id_channel_agent_session_key_key UNIQUE (namespace_id, channel, agent, session_key);
ALTER TABLE ONLY everword.conversations ADD CONSTRAINT conversations_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.corpus_counts ADD CONSTRAINT corpus_counts_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.deployment ADD CONSTRAINT deployment_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY everword.document_chunks ADD CONSTRAINT document_chunks_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.document_versions ADD CONSTRAINT document_versions_pkey PRIMARY KEY (namespace_id, document_id, version);
ALTER TABLE ONLY everword.documents ADD CONSTRAINT documents_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.embedding_pauses ADD CONSTRAINT embedding_pauses_pkey PRIMARY KEY (namespace_id, generation_id);
ALTER TABLE ONLY everword.embedding_queue ADD CONSTRAINT embedding_queue_pkey PRIMARY KEY (namespace_id, memory_id, generation_id);
ALTER TABLE ONLY everword.erased_external_ids ADD CONSTRAINT erased_external_ids_pkey PRIMARY KEY (namespace_id, hash);
ALTER TABLE ONLY everword.erasure_rules ADD CONSTRAINT erasure_rules_pkey PRIMARY KEY (target, relation, key_column);
ALTER TABLE ONLY everword.erasure_targets ADD CONSTRAINT erasure_targets_kind_key UNIQUE (kind);
ALTER TABLE ONLY everword.erasure_targets ADD CONSTRAINT erasure_targets_pkey PRIMARY KEY (name);
ALTER TABLE ONLY everword.erasures ADD CONSTRAINT erasures_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.events ADD CONSTRAINT events_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.fact_changes ADD CONSTRAINT fact_changes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.fact_disputes ADD CONSTRAINT fact_disputes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.fact_edges ADD CONSTRAINT fact_edges_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.fact_evidence ADD CONSTRAINT fact_evidence_namespace_id_fact_id_message_id_contradicts_key UNIQUE (namespace_id, fact_id, message_id, contradicts);
ALTER TABLE ONLY everword.fact_evidence ADD CONSTRAINT fact_evidence_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.fact_intervals ADD CONSTRAINT fact_intervals_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.facts ADD CONSTRAINT facts_namespace_id_subject_attribute_value_hash_key UNIQUE (namespace_id, subject, attribute, value_hash);
ALTER TABLE ONLY everword.facts ADD CONSTRAINT facts_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.graph_edges ADD CONSTRAINT graph_edges_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.graph_names ADD CONSTRAINT graph_names_pkey PRIMARY KEY (namespace_id, label_hash, type, agent, subject);
ALTER TABLE ONLY everword.graph_node_versions ADD CONSTRAINT graph_node_versions_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.graph_nodes ADD CONSTRAINT graph_nodes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.importance_suggestions ADD CONSTRAINT importance_suggestions_pkey PRIMARY KEY (namespace_id, memory_id);
ALTER TABLE ONLY everword.index_changes ADD CONSTRAINT index_changes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.jobs ADD CONSTRAINT jobs_namespace_id_task_subject_key UNIQUE (namespace_id, task, subject);
ALTER TABLE ONLY everword.jobs ADD CONSTRAINT jobs_pkey PRIMARY KEY (id, namespace_id);
ALTER TABLE ONLY everword.learned_changes ADD CONSTRAINT learned_changes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.learned_evidence ADD CONSTRAINT learned_evidence_namespace_id_about_id_message_id_aspect_va_key UNIQUE (namespace_id, about_id, message_id, aspect, value_hash);
ALTER TABLE ONLY everword.learned_evidence ADD CONSTRAINT learned_evidence_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.legal_holds ADD CONSTRAINT legal_holds_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.lore_books ADD CONSTRAINT lore_books_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.lore_entries ADD CONSTRAINT lore_entries_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.memories ADD CONSTRAINT memories_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.memory_changes ADD CONSTRAINT memory_changes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.memory_classes ADD CONSTRAINT memory_classes_pkey PRIMARY KEY (namespace_id, memory_id);
ALTER TABLE ONLY everword.memory_use ADD CONSTRAINT memory_use_pkey PRIMARY KEY (namespace_id, memory_id);
ALTER TABLE ONLY everword.memory_vectors_1 ADD CONSTRAINT memory_vectors_1_pkey PRIMARY KEY (namespace_id, memory_id);
ALTER TABLE ONLY everword.message_corrections ADD CONSTRAINT message_corrections_pkey PRIMARY KEY (namespace_id, corrected_id, message_id);
ALTER TABLE ONLY everword.messages ADD CONSTRAINT messages_namespace_id_conversation_id_seq_key UNIQUE (namespace_id, conversation_id, seq);
ALTER TABLE ONLY everword.messages ADD CONSTRAINT messages_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.model_generations ADD CONSTRAINT model_generations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY everword.model_prices ADD CONSTRAINT model_prices_pkey PRIMARY KEY (model, provider, shipped, valid_from);
ALTER TABLE ONLY everword.namespace_deletions ADD CONSTRAINT namespace_deletions_deleted_id_key UNIQUE (deleted_id);
ALTER TABLE ONLY everword.namespace_deletions ADD CONSTRAINT namespace_deletions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY everword.namespace_imports ADD CONSTRAINT namespace_imports_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.namespace_locks ADD CONSTRAINT namespace_locks_pkey PRIMARY KEY (namespace_id, name);
ALTER TABLE ONLY everword.namespace_usage ADD CONSTRAINT namespace_usage_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.namespaces ADD CONSTRAINT namespaces_name_key UNIQUE (name);
ALTER TABLE ONLY everword.namespaces ADD CONSTRAINT namespaces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY everword.note_versions ADD CONSTRAINT note_versions_pkey PRIMARY KEY (namespace_id, note_id, version);
ALTER TABLE ONLY everword.notes ADD CONSTRAINT notes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.pattern_decisions ADD CONSTRAINT pattern_decisions_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.pattern_outcomes ADD CONSTRAINT pattern_outcomes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.pattern_thresholds ADD CONSTRAINT pattern_thresholds_pkey PRIMARY KEY (namespace_id, type);
ALTER TABLE ONLY everword.patterns ADD CONSTRAINT patterns_namespace_id_entity_key_type_data_hash_key UNIQUE (namespace_id, entity_key, type, data_hash);
ALTER TABLE ONLY everword.patterns ADD CONSTRAINT patterns_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.people ADD CONSTRAINT people_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.retention_policies ADD CONSTRAINT retention_policies_pkey PRIMARY KEY (namespace_id, kind);
ALTER TABLE ONLY everword.retention_runs ADD CONSTRAINT retention_runs_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.schema_migrations ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY everword.session_observations ADD CONSTRAINT session_observations_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.sleep_nights ADD CONSTRAINT sleep_nights_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.sleep_sessions ADD CONSTRAINT sleep_sessions_namespace_id_conversation_id_first_seq_key UNIQUE (namespace_id, conversation_id, first_seq);
ALTER TABLE ONLY everword.sleep_sessions ADD CONSTRAINT sleep_sessions_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.strategies ADD CONSTRAINT strategies_namespace_id_about_id_kind_occasion_key UNIQUE (namespace_id, about_id, kind, occasion);
ALTER TABLE ONLY everword.strategies ADD CONSTRAINT strategies_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.strategy_offers ADD CONSTRAINT strategy_offers_pkey PRIMARY KEY (namespace_id, strategy_id);
ALTER TABLE ONLY everword.summaries ADD CONSTRAINT summaries_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.summary_sources ADD CONSTRAINT summary_sources_pkey PRIMARY KEY (namespace_id, summary_id, ordinal);
ALTER TABLE ONLY everword.summary_voices ADD CONSTRAINT summary_voices_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (namespace_id);
ALTER TABLE ONLY everword.themes ADD CONSTRAINT themes_namespace_id_place_key UNIQUE (namespace_id, place);
ALTER TABLE ONLY everword.themes ADD CONSTRAINT themes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.tool_sentence_queue ADD CONSTRAINT tool_sentence_queue_pkey PRIMARY KEY (namespace_id, message_id);
ALTER TABLE ONLY everword.tool_sentences ADD CONSTRAINT tool_sentences_pkey PRIMARY KEY (namespace_id, message_id);
ALTER TABLE ONLY everword.topic_changes ADD CONSTRAINT topic_changes_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.topic_pages ADD CONSTRAINT topic_pages_namespace_id_id_key UNIQUE (namespace_id, id);
ALTER TABLE ONLY everword.topic_pages ADD CONSTRAINT topic_pages_pkey PRIMARY KEY (namespace_id, node_id);
ALTER TABLE ONLY everword.topic_sources ADD CONSTRAINT topic_sources_pkey PRIMARY KEY (namespace_id, node_id, source_id);
ALTER TABLE ONLY everword.trajectories ADD CONSTRAINT trajectories_namespace_id_subject_version_key UNIQUE (namespace_id, subject, version);
ALTER TABLE ONLY everword.trajectories ADD CONSTRAINT trajectories_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.transfer_rules ADD CONSTRAINT transfer_rules_pkey PRIMARY KEY (relation);
ALTER TABLE ONLY everword.transfer_rules ADD CONSTRAINT transfer_rules_place_key UNIQUE (place);
ALTER TABLE ONLY everword.transfer_rules ADD CONSTRAINT transfer_rules_record_key UNIQUE (record);
ALTER TABLE ONLY everword.usage_ledger ADD CONSTRAINT usage_ledger_pkey PRIMARY KEY (namespace_id, id);
ALTER TABLE ONLY everword.user_models ADD CONSTRAINT user_models_pkey PRIMARY KEY (namespace_id, id);
CREATE UNIQUE INDEX advisor_grants_secret_hash ON everword.advisor_grants USING btree (secret_hash);
CREATE INDEX api_keys_namespace_id ON everword.api_keys USING btree (namespace_id);
CREATE INDEX append_requests_created_at ON everword.append_requests USING btree (created_at);
CREATE INDEX budget_events_batch_id ON everword.budget_events USING btree (namespace_id, batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX budget_events_budget_id ON everword.budget_events USING btree (namespace_id, budget_id);
CREATE INDEX budget_events_occurred_at ON everword.budget_events USING btree (namespace_id, occurred_at);
CREATE INDEX budget_spending_started_at ON everword.budget_spending USING btree (namespace_id, started_at);
CREATE UNIQUE INDEX budgets_scope ON everword.budgets USING btree (namespace_id, period, scope, scope_value);
CREATE INDEX calendar_pending_conversation ON everword.calendar_pending USING btree (namespace_id, conversation_id, period) WHERE (level = 4);
CREATE INDEX calendar_pending_period ON everword.calendar_pending USING btree (namespace_id, level, period, subject, enqueued_at);
CREATE INDEX checkpoints_order ON ONLY everword.checkpoints USING btree (namespace_id, conversation_id, version);
CREATE UNIQUE INDEX checkpoints_version ON ONLY everword.checkpoints USING btree (namespace_id, conversation_id, name, version);
CREATE INDEX conversations_client_session ON ONLY everword.conversations USING btree (namespace_id, client_session_id, id) WHERE (client_session_id <> ''::text);
CREATE INDEX conversations_erasure ON ONLY everword.conversations USING btree (namespace_id, erasure_id) WHERE (erasure_id IS NOT NULL);
CREATE INDEX conversations_latest ON ONLY everword.conversations USING btree (namespace_id, subject, agent, last_message_at DESC) WHERE (turn_count > 0);
CREATE INDEX conversations_task ON ONLY everword.conversations USING btree (namespace_id, task_id, id) WHERE (task_id <> ''::text);
CREATE INDEX document_chunks_place ON ONLY everword.document_chunks USING btree (namespace_id, document_id, place);
CREATE UNIQUE INDEX document_versions_id ON ONLY everword.document_versions USING btree (namespace_id, id);
CREATE INDEX documents_conversation ON ONLY everword.documents USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE UNIQUE INDEX documents_key ON ONLY everword.documents USING btree (namespace_id, key_hash);
CREATE INDEX documents_kind ON ONLY everword.documents USING btree (namespace_id, kind, id);
CREATE INDEX embedding_queue_failed ON everword.embedding_queue USING btree (generation_id) WHERE (state = 'failed'::text);
CREATE INDEX embedding_queue_turns ON everword.embedding_queue USING btree (generation_id, namespace_id, not_before, memory_id) WHERE (state = 'pending'::text);
CREATE INDEX erasures_running ON everword.erasures USING btree (updated_at) WHERE (state = 1);
CREATE INDEX events_subject ON ONLY everword.events USING btree (namespace_id, subject, id);
CREATE INDEX fact_changes_fact ON ONLY everword.fact_changes USING btree (namespace_id, fact_id, changed_at, id);
CREATE INDEX fact_changes_other ON ONLY everword.fact_changes USING btree (namespace_id, other_fact_id) WHERE (other_fact_id IS NOT NULL);
CREATE INDEX fact_disputes_new ON ONLY everword.fact_disputes USING btree (namespace_id, new_fact_id);
CREATE INDEX fact_disputes_old ON ONLY everword.fact_disputes USING btree (namespace_id, old_fact_id);
CREATE UNIQUE INDEX fact_disputes_open ON ONLY everword.fact_disputes USING btree (namespace_id, old_fact_id, new_fact_id) WHERE (settled_at IS NULL);
CREATE UNIQUE INDEX fact_edges_open ON ONLY everword.fact_edges USING btree (namespace_id, from_fact_id, to_fact_id, relation) WHERE (known_until IS NULL);
CREATE INDEX fact_edges_to ON ONLY everword.fact_edges USING btree (namespace_id, to_fact_id);
CREATE INDEX fact_evidence_message ON ONLY everword.fact_evidence USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX fact_intervals_fact ON ONLY everword.fact_intervals USING btree (namespace_id, fact_id, valid_from);
CREATE INDEX fact_intervals_successor ON ONLY everword.fact_intervals USING btree (namespace_id, successor_id) WHERE (successor_id IS NOT NULL);
CREATE INDEX facts_known ON ONLY everword.facts USING btree (namespace_id, subject, confidence DESC, last_seen_at DESC, id);
CREATE INDEX facts_profile ON ONLY everword.facts USING btree (namespace_id, subject, category, attribute, confidence DESC, id);
CREATE INDEX facts_subject_folded ON ONLY everword.facts USING btree (namespace_id, lower(translate(subject, 'İı̇'::text, 'Ii'::text)), created_at, id);
CREATE INDEX graph_edges_edge ON ONLY everword.graph_edges USING btree (namespace_id, edge_id);
CREATE INDEX graph_edges_fact ON ONLY everword.graph_edges USING btree (namespace_id, fact_id) WHERE (fact_id IS NOT NULL);
CREATE INDEX graph_edges_from ON ONLY everword.graph_edges USING btree (namespace_id, from_id, confidence DESC, id DESC);
CREATE INDEX graph_edges_message ON ONLY everword.graph_edges USING btree (namespace_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX graph_edges_to ON ONLY everword.graph_edges USING btree (namespace_id, to_id, confidence DESC, id DESC);
CREATE INDEX graph_names_node ON ONLY everword.graph_names USING btree (namespace_id, node_id);
CREATE INDEX graph_node_versions_node ON ONLY everword.graph_node_versions USING btree (namespace_id, node_id, known_from);
CREATE INDEX graph_nodes_anchor ON ONLY everword.graph_nodes USING btree (namespace_id, subject, agent) WHERE (anchor IS NOT NULL);
CREATE INDEX graph_nodes_merged_into ON ONLY everword.graph_nodes USING btree (namespace_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX index_changes_by_age ON everword.index_changes USING btree (namespace_id, changed_at);
CREATE INDEX index_changes_by_number ON everword.index_changes USING btree (namespace_id, number) WHERE (number IS NOT NULL);
CREATE INDEX index_changes_unnumbered ON everword.index_changes USING btree (namespace_id) WHERE (number IS NULL);
CREATE INDEX jobs_done ON everword.jobs USING btree (updated_at) WHERE (state = 'done'::text);
CREATE INDEX jobs_running ON everword.jobs USING btree (lease_until) WHERE (state = 'running'::text);
CREATE INDEX jobs_sleeping ON everword.jobs USING btree (namespace_id, not_before) WHERE ((task = 'sleep'::text) AND (state = 'pending'::text));
CREATE INDEX jobs_startable ON everword.jobs USING btree (task, namespace_id, not_before, id) INCLUDE (published_at) WHERE ((state = 'pending'::text) AND (published_at IS NOT NULL));
CREATE INDEX jobs_unpublished ON everword.jobs USING btree (not_before, id) WHERE ((state = 'pending'::text) AND (published_at IS NULL));
CREATE INDEX jobs_with_errors ON everword.jobs USING btree (namespace_id) WHERE (error IS NOT NULL);
CREATE INDEX learned_changes_about ON everword.learned_changes USING btree (namespace_id, about_id, changed_at, id);
CREATE INDEX learned_evidence_about ON ONLY everword.learned_evidence USING btree (namespace_id, about_id, said_at, id);
CREATE INDEX learned_evidence_message ON ONLY everword.learned_evidence USING btree (namespace_id, message_id);
CREATE INDEX legal_holds_conversation ON everword.legal_holds USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE INDEX lore_books_conversation ON ONLY everword.lore_books USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE UNIQUE INDEX lore_books_key ON ONLY everword.lore_books USING btree (namespace_id, key_hash);
CREATE INDEX lore_books_scope ON ONLY everword.lore_books USING btree (namespace_id, agent, subject) WHERE (conversation_id IS NULL);
CREATE UNIQUE INDEX lore_entries_title ON ONLY everword.lore_entries USING btree (namespace_id, book_id, title);
CREATE INDEX memories_author ON ONLY everword.memories USING btree (namespace_id, author) WHERE (author <> ''::text);
CREATE INDEX memories_conversation ON ONLY everword.memories USING btree (namespace_id, conversation_id, seq);
CREATE INDEX memories_ending ON ONLY everword.memories USING btree (namespace_id, valid_until, source_id) WHERE ((part = 0) AND (valid_until IS NOT NULL));
CREATE INDEX memories_lexemes ON ONLY everword.memories USING gin (namespace_id, lexemes) WITH (gin_pending_list_limit='256');
CREATE INDEX memories_literals ON ONLY everword.memories USING gin (namespace_id, literals public.gin_trgm_ops) WITH (gin_pending_list_limit='256') WHERE (literals IS NOT NULL);
CREATE UNIQUE INDEX memories_source ON ONLY everword.memories USING btree (namespace_id, source_id, part);
CREATE INDEX memories_subject ON ONLY everword.memories USING btree (namespace_id, subject) WHERE (subject <> ''::text);
CREATE INDEX memories_tags ON ONLY everword.memories USING gin (namespace_id, tags) WITH (fastupdate=off) WHERE (tags[1] IS NOT NULL);
CREATE INDEX memories_time ON ONLY everword.memories USING btree (namespace_id, occurred_at, source_id, part);
CREATE INDEX memory_changes_by_age ON everword.memory_changes USING btree (changed_at);
CREATE INDEX memory_changes_by_number ON everword.memory_changes USING btree (namespace_id, number) WHERE (number IS NOT NULL);
CREATE INDEX memory_changes_unnumbered ON everword.memory_changes USING btree (namespace_id) WHERE (number IS NULL);
CREATE INDEX memory_vectors_1_embedding_idx ON ONLY everword.memory_vectors_1 USING hnsw (embedding public.halfvec_cosine_ops);
CREATE INDEX message_corrections_message ON ONLY everword.message_corrections USING btree (namespace_id, message_id);
CREATE INDEX messages_author ON ONLY everword.messages USING btree (namespace_id, author, id) WHERE (author <> ''::text);
CREATE UNIQUE INDEX messages_external_id ON ONLY everword.messages USING btree (namespace_id, conversation_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX messages_occurred_at ON ONLY everword.messages USING btree (namespace_id, occurred_at, id);
CREATE UNIQUE INDEX model_generations_active ON everword.model_generations USING btree (state) WHERE (state = 'active'::text);
CREATE INDEX namespace_deletions_name_hash ON everword.namespace_deletions USING btree (name_hash, id);
CREATE UNIQUE INDEX note_versions_id ON ONLY everword.note_versions USING btree (namespace_id, id);
CREATE INDEX notes_conversation ON ONLY everword.notes USING btree (namespace_id, conversation_id) WHERE (conversation_id IS NOT NULL);
CREATE UNIQUE INDEX notes_key ON ONLY everword.notes USING btree (namespace_id, key_hash);
CREATE INDEX notes_key_prefix ON ONLY everword.notes USING btree (namespace_id, key text_pattern_ops) WHERE (key <> ''::text);
CREATE INDEX notes_kind ON ONLY everword.notes USING btree (namespace_id, kind, id);
CREATE INDEX notes_log ON ONLY everword.notes USING btree (namespace_id, log_date, id) WHERE (log_date IS NOT NULL);
CREATE INDEX notes_open_tasks ON ONLY everword.notes USING btree (namespace_id, subject, agent, id) WHERE ((kind = ANY (ARRAY['handoff'::text, 'task'::text])) AND (deleted_at IS NULL) AND (conversation_id IS NULL));
CREATE INDEX pattern_decisions_pattern ON ONLY everword.pattern_decisions USING btree (namespace_id, pattern_id, decided_at DESC, id DESC);
CREATE INDEX pattern_outcomes_pattern ON ONLY everword.pattern_outcomes USING btree (namespace_id, pattern_id, outcome_at DESC, id DESC);
CREATE INDEX patterns_category ON ONLY everword.patterns USING btree (namespace_id, category, confidence DESC, id);
CREATE INDEX patterns_confidence ON ONLY everword.patterns USING btree (namespace_id, confidence DESC, id);
CREATE INDEX patterns_type ON ONLY everword.patterns USING btree (namespace_id, type, confidence DESC, id);
CREATE INDEX people_subject ON ONLY everword.people USING btree (namespace_id, subject, id);
CREATE UNIQUE INDEX retention_runs_night ON everword.retention_runs USING btree (namespace_id, night) WHERE (night IS NOT NULL);
CREATE UNIQUE INDEX retention_runs_running ON everword.retention_runs USING btree (namespace_id) WHERE (state = 1);
CREATE INDEX session_observations_session ON ONLY everword.session_observations USING btree (namespace_id, session_id);
CREATE INDEX session_observations_subject ON ONLY everword.session_observations USING btree (namespace_id, subject, id);
CREATE INDEX sleep_sessions_processed ON ONLY everword.sleep_sessions USING btree (namespace_id, processed_at);
CREATE INDEX sleep_sessions_started ON ONLY everword.sleep_sessions USING btree (namespace_id, started_at);
CREATE INDEX sleep_sessions_stored ON ONLY everword.sleep_sessions USING btree (namespace_id, stored_at);
CREATE INDEX sleep_sessions_subject ON ONLY everword.sleep_sessions USING btree (namespace_id, subject, started_at) WHERE (state = ANY (ARRAY[1, 2]));
CREATE INDEX sleep_sessions_topics ON ONLY everword.sleep_sessions USING btree (namespace_id, started_at) WHERE (topics <> '{}'::text[]);
CREATE INDEX sleep_sessions_unread ON ONLY everword.sleep_sessions USING btree (namespace_id, conversation_id, first_seq) WHERE (state = ANY (ARRAY[4, 5]));
CREATE INDEX sleep_sessions_waiting ON ONLY everword.sleep_sessions USING btree (namespace_id, subject, started_at) WHERE (state = 1);
CREATE INDEX strategies_open ON ONLY everword.strategies USING btree (namespace_id, subject, created_at DESC, id) WHERE (state = 1);
CREATE INDEX strategies_subject ON ONLY everword.strategies USING btree (namespace_id, subject, id);
CREATE UNIQUE INDEX summaries_conversation ON ONLY everword.summaries USING btree (namespace_id, conversation_id, level, first_seq) WHERE (conversation_id IS NOT NULL);
CREATE INDEX summaries_level ON ONLY everword.summaries USING btree (namespace_id, level, latest_at, id);
CREATE UNIQUE INDEX summaries_name ON ONLY everword.summaries USING btree (namespace_id, name) WHERE (name <> ''::text);
CREATE INDEX summaries_orphans ON ONLY everword.summaries USING btree (namespace_id, level) WHERE ((parent_id IS NULL) AND ((level >= 4) AND (level <= 6)));
CREATE INDEX summaries_parent ON ONLY everword.summaries USING btree (namespace_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE UNIQUE INDEX summaries_period ON ONLY everword.summaries USING btree (namespace_id, level, period, subject, instance) WHERE (period IS NOT NULL);
CREATE INDEX summaries_review ON ONLY everword.summaries USING btree (namespace_id, level, latest_at, id) WHERE needs_review;
CREATE INDEX summaries_stale ON ONLY everword.summaries USING btree (namespace_id, level) WHERE stale;
CREATE INDEX summaries_subject ON ONLY everword.summaries USING btree (namespace_id, level, subject, latest_at, id);
CREATE INDEX summaries_written_by ON ONLY everword.summaries USING btree (level, model, prompt_version, namespace_id);
CREATE UNIQUE INDEX summary_sources_child ON ONLY everword.summary_sources USING btree (namespace_id, child_id) WHERE (child_id IS NOT NULL);
CREATE UNIQUE INDEX summary_sources_message ON ONLY everword.summary_sources USING btree (namespace_id, message_id, axis) WHERE (message_id IS NOT NULL);
CREATE INDEX tool_sentence_queue_pending ON everword.tool_sentence_queue USING btree (namespace_id, not_before) WHERE (state = 'pending'::text);
CREATE INDEX topic_pages_cited ON ONLY everword.topic_pages USING gin (namespace_id, source_ids) WITH (fastupdate=off);
CREATE INDEX topic_pages_title ON ONLY everword.topic_pages USING btree (namespace_id, title, node_id);
CREATE INDEX topic_sources_source ON ONLY everword.topic_sources USING btree (namespace_id, source_id);
CREATE INDEX usage_ledger_batch_id ON everword.usage_ledger USING btree (namespace_id, batch_id, id) WHERE (batch_id IS NOT NULL);
CREATE INDEX usage_ledger_called_at ON everword.usage_ledger USING btree (namespace_id, called_at);
CREATE UNIQUE INDEX user_models_current ON everword.user_models USING btree (namespace_id, subject, dimension) WHERE (held_until IS NULL);
CREATE INDEX user_models_subject ON everword.user_models USING btree (namespace_id, subject, dimension, held_from);
ALTER TABLE ONLY everword.advisor_grants ADD CONSTRAINT advisor_grants_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.api_keys ADD CONSTRAINT api_keys_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.append_requests ADD CONSTRAINT append_requests_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.author_names ADD CONSTRAINT author_names_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.budget_events ADD CONSTRAINT budget_events_namespace_id_budget_id_fkey FOREIGN KEY (namespace_id, budget_id) REFERENCES everword.budgets(namespace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY everword.budget_spending ADD CONSTRAINT budget_spending_namespace_id_budget_id_fkey FOREIGN KEY (namespace_id, budget_id) REFERENCES everword.budgets(namespace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY everword.budgets ADD CONSTRAINT budgets_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.calendar_pending ADD CONSTRAINT calendar_pending_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.calibrations ADD CONSTRAINT calibrations_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id) ON DELETE CASCADE;
ALTER TABLE ONLY everword.change_numbers ADD CONSTRAINT change_numbers_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.checkpoint_counters ADD CONSTRAINT checkpoint_counters_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE everword.checkpoints ADD CONSTRAINT checkpoints_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE ONLY everword.compaction_progress ADD CONSTRAINT compaction_progress_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE ONLY everword.compaction_progress ADD CONSTRAINT compaction_progress_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.conversations ADD CONSTRAINT conversations_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.corpus_counts ADD CONSTRAINT corpus_counts_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.document_chunks ADD CONSTRAINT document_chunks_namespace_id_document_id_fkey FOREIGN KEY (namespace_id, document_id) REFERENCES everword.documents(namespace_id, id);
ALTER TABLE everword.document_versions ADD CONSTRAINT document_versions_namespace_id_document_id_fkey FOREIGN KEY (namespace_id, document_id) REFERENCES everword.documents(namespace_id, id);
ALTER TABLE everword.documents ADD CONSTRAINT documents_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE everword.documents ADD CONSTRAINT documents_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.embedding_pauses ADD CONSTRAINT embedding_pauses_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id) ON DELETE CASCADE;
ALTER TABLE ONLY everword.embedding_pauses ADD CONSTRAINT embedding_pauses_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.embedding_queue ADD CONSTRAINT embedding_queue_generation_id_fkey FOREIGN KEY (generation_id) REFERENCES everword.model_generations(id);
ALTER TABLE ONLY everword.embedding_queue ADD CONSTRAINT embedding_queue_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.erased_external_ids ADD CONSTRAINT erased_external_ids_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.erasure_rules ADD CONSTRAINT erasure_rules_target_fkey FOREIGN KEY (target) REFERENCES everword.erasure_targets(name);
ALTER TABLE ONLY everword.erasures ADD CONSTRAINT erasures_kind_fkey FOREIGN KEY (kind) REFERENCES everword.erasure_targets(kind);
ALTER TABLE ONLY everword.erasures ADD CONSTRAINT erasures_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.events ADD CONSTRAINT events_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.fact_changes ADD CONSTRAINT fact_changes_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_disputes ADD CONSTRAINT fact_disputes_namespace_id_new_fact_id_fkey FOREIGN KEY (namespace_id, new_fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_disputes ADD CONSTRAINT fact_disputes_namespace_id_old_fact_id_fkey FOREIGN KEY (namespace_id, old_fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_edges ADD CONSTRAINT fact_edges_namespace_id_from_fact_id_fkey FOREIGN KEY (namespace_id, from_fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_edges ADD CONSTRAINT fact_edges_namespace_id_to_fact_id_fkey FOREIGN KEY (namespace_id, to_fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_evidence ADD CONSTRAINT fact_evidence_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.fact_intervals ADD CONSTRAINT fact_intervals_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.facts ADD CONSTRAINT facts_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.graph_edges ADD CONSTRAINT graph_edges_namespace_id_fact_id_fkey FOREIGN KEY (namespace_id, fact_id) REFERENCES everword.facts(namespace_id, id);
ALTER TABLE everword.graph_edges ADD CONSTRAINT graph_edges_namespace_id_from_id_fkey FOREIGN KEY (namespace_id, from_id) REFERENCES everword.graph_nodes(namespace_id, id);
ALTER TABLE everword.graph_edges ADD CONSTRAINT graph_edges_namespace_id_to_id_fkey FOREIGN KEY (namespace_id, to_id) REFERENCES everword.graph_nodes(namespace_id, id);
ALTER TABLE everword.graph_names ADD CONSTRAINT graph_names_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE everword.graph_node_versions ADD CONSTRAINT graph_node_versions_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);
ALTER TABLE everword.graph_nodes ADD CONSTRAINT graph_nodes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.importance_suggestions ADD CONSTRAINT importance_suggestions_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.index_changes ADD CONSTRAINT index_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.jobs ADD CONSTRAINT jobs_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.legal_holds ADD CONSTRAINT legal_holds_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE ONLY everword.legal_holds ADD CONSTRAINT legal_holds_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.lore_books ADD CONSTRAINT lore_books_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE everword.lore_books ADD CONSTRAINT lore_books_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.lore_entries ADD CONSTRAINT lore_entries_namespace_id_book_id_fkey FOREIGN KEY (namespace_id, book_id) REFERENCES everword.lore_books(namespace_id, id);
ALTER TABLE everword.memories ADD CONSTRAINT memories_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.memory_changes ADD CONSTRAINT memory_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.memory_classes ADD CONSTRAINT memory_classes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.memory_use ADD CONSTRAINT memory_use_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.memory_vectors_1 ADD CONSTRAINT memory_vectors_1_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.message_corrections ADD CONSTRAINT message_corrections_namespace_id_corrected_id_fkey FOREIGN KEY (namespace_id, corrected_id) REFERENCES everword.messages(namespace_id, id);
ALTER TABLE everword.message_corrections ADD CONSTRAINT message_corrections_namespace_id_message_id_fkey FOREIGN KEY (namespace_id, message_id) REFERENCES everword.messages(namespace_id, id);
ALTER TABLE everword.messages ADD CONSTRAINT messages_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE ONLY everword.namespace_imports ADD CONSTRAINT namespace_imports_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.namespace_locks ADD CONSTRAINT namespace_locks_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.namespace_usage ADD CONSTRAINT namespace_usage_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.note_versions ADD CONSTRAINT note_versions_namespace_id_note_id_fkey FOREIGN KEY (namespace_id, note_id) REFERENCES everword.notes(namespace_id, id);
ALTER TABLE everword.notes ADD CONSTRAINT notes_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE everword.notes ADD CONSTRAINT notes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.pattern_decisions ADD CONSTRAINT pattern_decisions_namespace_id_pattern_id_fkey FOREIGN KEY (namespace_id, pattern_id) REFERENCES everword.patterns(namespace_id, id);
ALTER TABLE everword.pattern_outcomes ADD CONSTRAINT pattern_outcomes_namespace_id_pattern_id_fkey FOREIGN KEY (namespace_id, pattern_id) REFERENCES everword.patterns(namespace_id, id);
ALTER TABLE ONLY everword.pattern_thresholds ADD CONSTRAINT pattern_thresholds_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.patterns ADD CONSTRAINT patterns_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.people ADD CONSTRAINT people_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.retention_policies ADD CONSTRAINT retention_policies_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.retention_runs ADD CONSTRAINT retention_runs_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.session_observations ADD CONSTRAINT session_observations_namespace_id_session_id_fkey FOREIGN KEY (namespace_id, session_id) REFERENCES everword.sleep_sessions(namespace_id, id);
ALTER TABLE ONLY everword.sleep_nights ADD CONSTRAINT sleep_nights_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.sleep_sessions ADD CONSTRAINT sleep_sessions_namespace_id_conversation_id_fkey FOREIGN KEY (namespace_id, conversation_id) REFERENCES everword.conversations(namespace_id, id);
ALTER TABLE everword.strategies ADD CONSTRAINT strategies_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.strategy_offers ADD CONSTRAINT strategy_offers_namespace_id_strategy_id_fkey FOREIGN KEY (namespace_id, strategy_id) REFERENCES everword.strategies(namespace_id, id);
ALTER TABLE everword.summaries ADD CONSTRAINT summaries_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.summary_sources ADD CONSTRAINT summary_sources_namespace_id_child_id_fkey FOREIGN KEY (namespace_id, child_id) REFERENCES everword.summaries(namespace_id, id);
ALTER TABLE everword.summary_sources ADD CONSTRAINT summary_sources_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.summary_sources ADD CONSTRAINT summary_sources_namespace_id_message_id_fkey FOREIGN KEY (namespace_id, message_id) REFERENCES everword.messages(namespace_id, id) ON DELETE RESTRICT;
ALTER TABLE everword.summary_sources ADD CONSTRAINT summary_sources_namespace_id_summary_id_fkey FOREIGN KEY (namespace_id, summary_id) REFERENCES everword.summaries(namespace_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY everword.summary_voices ADD CONSTRAINT summary_voices_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.tenants ADD CONSTRAINT tenants_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.themes ADD CONSTRAINT themes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.tool_sentence_queue ADD CONSTRAINT tool_sentence_queue_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.tool_sentences ADD CONSTRAINT tool_sentences_namespace_id_message_id_fkey FOREIGN KEY (namespace_id, message_id) REFERENCES everword.messages(namespace_id, id);
ALTER TABLE ONLY everword.topic_changes ADD CONSTRAINT topic_changes_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.topic_pages ADD CONSTRAINT topic_pages_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.topic_pages ADD CONSTRAINT topic_pages_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);
ALTER TABLE everword.topic_sources ADD CONSTRAINT topic_sources_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.topic_sources ADD CONSTRAINT topic_sources_namespace_id_node_id_fkey FOREIGN KEY (namespace_id, node_id) REFERENCES everword.graph_nodes(namespace_id, id);
ALTER TABLE ONLY everword.trajectories ADD CONSTRAINT trajectories_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.usage_ledger ADD CONSTRAINT usage_ledger_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE ONLY everword.user_models ADD CONSTRAINT user_models_namespace_id_fkey FOREIGN KEY (namespace_id) REFERENCES everword.namespaces(id);
ALTER TABLE everword.advisor_grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.append_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.author_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.budget_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.budget_spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.calendar_pending ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.change_numbers ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.checkpoint_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.compaction_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.conversations ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.document_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.document_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.erased_external_ids ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.events ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.fact_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.fact_disputes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.fact_edges ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.fact_evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.fact_intervals ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.graph_edges ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.graph_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.graph_node_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.graph_nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.importance_suggestions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.index_changes ENABLE ROW LEVEL SECURITY;
CREATE POLICY isolation ON everword.advisor_grants TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.append_requests TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.author_names TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.budget_events TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.budget_spending TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.budgets TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.calendar_pending TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.change_numbers TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.checkpoint_counters TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.checkpoints TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.compaction_progress TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.conversations TO everword_ingest, everword_search, everword_compactor, everword_embedder USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (erasure_id IS NULL))) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.document_chunks TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.document_versions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.documents TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.erased_external_ids TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.erasures TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.events TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.fact_changes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.fact_disputes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.fact_edges TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.fact_evidence TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.fact_intervals TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.facts TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.graph_edges TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.graph_names TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.graph_node_versions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.graph_nodes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.importance_suggestions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.index_changes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.learned_changes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.learned_evidence TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.legal_holds TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.lore_books TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.lore_entries TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.memories TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.memory_changes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.memory_classes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.memory_use TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.memory_vectors_1 TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.message_corrections TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.messages TO everword_ingest, everword_search, everword_compactor, everword_embedder USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.is_shown(conversation_id, author, recorded_at))) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.namespace_imports TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.note_versions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.notes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.pattern_decisions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.pattern_outcomes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.pattern_thresholds TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.patterns TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.people TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.retention_policies TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.retention_runs TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.session_observations TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.sleep_nights TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.sleep_sessions TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.strategies TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.strategy_offers TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.summaries TO everword_ingest, everword_search, everword_embedder USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND ((NOT hidden) AND everword.is_shown(conversation_id)))) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.summary_sources TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.summary_voices TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.themes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.tool_sentences TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.topic_changes TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.topic_pages TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.topic_sources TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.trajectories TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.usage_ledger TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation ON everword.user_models TO everword_ingest, everword_search, everword_compactor, everword_embedder USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY isolation_of_writers ON everword.summaries TO everword_compactor USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.is_shown(conversation_id))) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
ALTER TABLE everword.learned_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.learned_evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.legal_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.lore_books ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.lore_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.memory_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.memory_classes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.memory_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.memory_vectors_1 ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.message_corrections ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.namespace_imports ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.note_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.notes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.pattern_decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.pattern_outcomes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.pattern_thresholds ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.patterns ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.people ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.retention_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.retention_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY scope ON everword.append_requests TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.author_names TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.budget_events FOR INSERT TO everword_scoped WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.budget_spending TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.budgets TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.calendar_pending TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.compaction_progress TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.conversations TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject) AND (erasure_id IS NULL))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.document_chunks TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.document_versions TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.documents TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.erased_external_ids TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.fact_changes TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.fact_evidence TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (everword.in_scope(agent, subject) AND ((conversation_id IS NULL) OR everword.in_scope(conversation_agent, conversation_subject))))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (everword.in_scope(agent, subject) AND ((conversation_id IS NULL) OR everword.in_scope(conversation_agent, conversation_subject)))));
CREATE POLICY scope ON everword.fact_intervals TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.facts TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.graph_names TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.graph_node_versions TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.graph_nodes TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.importance_suggestions TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.index_changes TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.lore_books TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.lore_entries TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.memories TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.memory_changes FOR INSERT TO everword_scoped WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.memory_classes TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.memory_use TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.memory_vectors_1 TO everword_scoped USING ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint)) WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
CREATE POLICY scope ON everword.message_corrections TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (everword.in_scope(agent, subject) AND everword.in_scope(corrected_agent, corrected_subject)))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND (everword.in_scope(agent, subject) AND everword.in_scope(corrected_agent, corrected_subject))));
CREATE POLICY scope ON everword.messages TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject) AND everword.is_shown(conversation_id, author, recorded_at))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.note_versions TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.notes TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.summaries TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject) AND ((NOT hidden) AND everword.is_shown(conversation_id)))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.summary_sources TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.tool_sentences TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.topic_pages TO everword_scoped USING (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject))) WITH CHECK (((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint) AND everword.in_scope(agent, subject)));
CREATE POLICY scope ON everword.usage_ledger FOR INSERT TO everword_scoped WITH CHECK ((namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint));
ALTER TABLE everword.session_observations ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.sleep_nights ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.sleep_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.strategies ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.strategy_offers ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.summary_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.summary_voices ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.themes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.tool_sentences ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.topic_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.topic_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.topic_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.trajectories ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.usage_ledger ENABLE ROW LEVEL SECURITY;
ALTER TABLE everword.user_models ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA everword TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT USAGE ON SCHEMA everword_scoped TO everword_scoped;
REVOKE ALL ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.add_budget_events(reached jsonb, batch uuid) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.advance_import(stored bigint, lines_ bigint, digest_ bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.advance_import(stored bigint, lines_ bigint, digest_ bytea) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.api_keys_exist() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.api_keys_exist() TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.authenticate_key(hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.authenticate_key(hash bytea) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.backfill_generation(generation bigint, batch bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.backfill_generation(generation bigint, batch bigint) TO everword_embedder;
REVOKE ALL ON FUNCTION everword.begin_erasure(namespace bigint, erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text, last_passage bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.begin_erasure(namespace bigint, erasure_id uuid, of_kind smallint, id_ uuid, name_ text, asked_by text, last_passage bigint) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.begin_namespace(namespace bigint, timeout text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.begin_namespace(namespace bigint, timeout text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.begin_namespace_deletion(name_ text, key_id uuid, asked_by text) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.changed_topics(batch integer, parked interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.changed_topics(batch integer, parked interval) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.channel_policy(policies jsonb, channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.channel_policy(policies jsonb, channel text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.close_deployment() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.close_deployment() TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.close_derived_passages(namespace bigint, sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.close_derived_passages(namespace bigint, sources uuid[], until timestamp with time zone, disbelieved timestamp with time zone) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.copy_privileges(source text, target text) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.count_erased(namespace bigint, erasure_id uuid, did jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.count_items(namespace bigint, items everword.erasure_item[], message_ids uuid[], named text, names text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.count_namespace_rows(name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.count_namespace_rows(name_ text) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.count_passages(namespace bigint, sources uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.create_partitions(parent text) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.create_vector_table(generation bigint, indexed boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.divide_batch(generation bigint, after bigint, batch bigint, few bigint, only_few boolean, early boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.divide_batch(generation bigint, after bigint, batch bigint, few bigint, only_few boolean, early boolean) TO everword_embedder;
REVOKE ALL ON FUNCTION everword.drop_derived_passages(namespace bigint, sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.drop_derived_passages(namespace bigint, sources uuid[]) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.drop_vector_table(generation bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.earliest_pending() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.earliest_pending() TO everword_embedder;
REVOKE ALL ON FUNCTION everword.enqueue_days(namespace bigint, days date[], subject_list text[], instances text[], conversations uuid[], seq_list bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.enqueue_days(namespace bigint, days date[], subject_list text[], instances text[], conversations uuid[], seq_list bigint[]) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.enqueue_jobs(namespace bigint, tasks text[], subjects text[], delays_s double precision[], context jsonb, postpone boolean, only_idle boolean, retry_failed_after_s double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.enqueue_jobs(namespace bigint, tasks text[], subjects text[], delays_s double precision[], context jsonb, postpone boolean, only_idle boolean, retry_failed_after_s double precision) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.enqueue_lost_periods(namespace bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.enqueue_lost_periods(namespace bigint) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.erase_batch(namespace bigint, erasure_id uuid, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.erase_batch(namespace bigint, erasure_id uuid, batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.erase_facts(namespace bigint, ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.erase_memories(namespace bigint, of_target text, gone uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.erase_namespace_rows(target bigint, batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.erase_rows(namespace bigint, of_target text, ids uuid[], names text[], spared text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.erasing_namespace() FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.erasure_salt(namespace bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.erasure_target(of_kind smallint) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.expand_items(namespace bigint, roots everword.erasure_item[], named text, names text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.export_rows(record_ text, after_ jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.export_rows(record_ text, after_ jsonb) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.fact_nodes(namespace bigint, facts uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.fence_jobs(namespace bigint, conversations uuid[], pause interval) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.find_erasure_hold(namespace bigint, of_kind smallint, id_ uuid, name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.find_erasure_hold(namespace bigint, of_kind smallint, id_ uuid, name_ text) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.find_namespace_hold(name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.find_namespace_hold(name_ text) TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.erasures TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(attempts) ON TABLE everword.erasures TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(error) ON TABLE everword.erasures TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(updated_at) ON TABLE everword.erasures TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.finish_erasure(namespace bigint, erasure everword.erasures) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.fix_forms() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.fix_forms() TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.forget_author_names(namespace bigint, names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.forget_author_names(namespace bigint, names text[]) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.forget_errors(namespace bigint, conversations uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.forget_requests(namespace bigint, gone uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.forget_sessions(namespace bigint, conversations uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.forgotten_namespaces(max_wait_s double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.forgotten_namespaces(max_wait_s double precision) TO everword_embedder;
REVOKE ALL ON FUNCTION everword.generation_is_complete(generation bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.has_pgvector() FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.hidden_authors(namespace bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hidden_authors(namespace bigint) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.hidden_conversations(namespace bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hidden_conversations(namespace bigint) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.hold_lock(namespace bigint, lock_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.hold_lock(namespace bigint, lock_name text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.idle_retention() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.idle_retention() TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.ids_of(items everword.erasure_item[], of_target text) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.import_jobs(tasks text[], subjects text[], delays_s double precision[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.import_jobs(tasks text[], subjects text[], delays_s double precision[]) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.import_rows(record_ text, rows_ jsonb) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.in_scope(agent text, subject text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.in_scope(agent text, subject text) TO everword_scoped;
REVOKE ALL ON FUNCTION everword.index_vectors(generation bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.insert_passages(namespace bigint, kinds smallint[], source_ids uuid[], parts integer[], conversation_ids uuid[], seqs bigint[], agents text[], subjects text[], channels text[], instances text[], authors text[], roles smallint[], tag_literals text[], importance_classes smallint[], automated_flags boolean[], occurred timestamp with time zone[], contents text[], lexeme_texts text[], literal_texts text[], rankings bytea[], valid_after timestamp with time zone, valid_before timestamp with time zone, known_after timestamp with time zone, message_count bigint, turn_count bigint, bytes bigint, author_name_list text[], vector_delay_s double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.insert_passages(namespace bigint, kinds smallint[], source_ids uuid[], parts integer[], conversation_ids uuid[], seqs bigint[], agents text[], subjects text[], channels text[], instances text[], authors text[], roles smallint[], tag_literals text[], importance_classes smallint[], automated_flags boolean[], occurred timestamp with time zone[], contents text[], lexeme_texts text[], literal_texts text[], rankings bytea[], valid_after timestamp with time zone, valid_before timestamp with time zone, known_after timestamp with time zone, message_count bigint, turn_count bigint, bytes bigint, author_name_list text[], vector_delay_s double precision) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.install_pgvector() FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.is_erasing() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.is_erasing() TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.is_passage_shown(conversation uuid, speaker text, passage bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.is_passage_shown(conversation uuid, speaker text, passage bigint) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.is_shown(conversation uuid, speaker text, recorded timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.is_shown(conversation uuid, speaker text, recorded timestamp with time zone) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.isolate_table(isolated text, scope text, shown text) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.items_of(of_target text, ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.lock_part(kind text, key text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.lock_part(kind text, key text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.lock_sources(namespace bigint, sources uuid[], may_be_gone boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.lock_sources(namespace bigint, sources uuid[], may_be_gone boolean) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.log_index_change(removed bigint[], closed bigint[]) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.log_memory_changes(sources uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.log_memory_changes(sources uuid[]) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.may_have_read(job_subject text, conversations uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.merge_erased(one jsonb, other jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.merged_node(namespace bigint, node_id uuid) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.missing_vectors(namespace bigint, generation bigint, after bigint, last bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.missing_vectors(namespace bigint, generation bigint, after bigint, last bigint) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.month_of(moment timestamp with time zone, time_zone text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.namespace_name_hash(name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.namespace_name_hash(name_ text) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.namespaces_with_old_usage(keep interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.namespaces_with_old_usage(keep interval) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.needs_vector(namespace bigint, kind smallint, source uuid, part integer, content text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.needs_vector(namespace bigint, kind smallint, source uuid, part integer, content text) TO everword_ingest, everword_compactor, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.newer_erasure() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.newer_erasure() TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.next_turn(due_task text, after bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.next_turn(due_task text, after bigint) TO everword_ingest, everword_compactor, everword_embedder, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.nightless_namespaces(batch integer, parked interval) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.number_changes(namespace bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.number_changes(namespace bigint) TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.old_append_requests(keep interval, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.old_append_requests(keep interval, batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.old_memory_changes(keep interval, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.old_memory_changes(keep interval, batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.outdated_summaries(at_level smallint, current_model text, current_version integer, batch integer, parked_since timestamp with time zone) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.pages_made_of(namespace bigint, sources uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.passage_writers() FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval, moment timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.pending_periods(batch integer, quiet interval, longest interval, moment timestamp with time zone) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.plan_facts(namespace bigint, message_ids uuid[], asked uuid[], OUT touched uuid[], OUT dead uuid[], OUT loose_nodes uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.plan_learned(namespace bigint, message_ids uuid[], OUT gone_ids uuid[], OUT observations uuid[], OUT since timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.plan_summaries(namespace bigint, direct uuid[], message_ids uuid[], OUT covering uuid[], OUT removed uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.preview_erasure(namespace bigint, of_kind smallint, id_ uuid, name_ text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.preview_erasure(namespace bigint, of_kind smallint, id_ uuid, name_ text) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.preview_retained(namespace bigint, of_kind smallint, highest smallint, until timestamp with time zone, whole_conversations boolean, everything boolean, subjects text[], conversations uuid[], sampled integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.preview_retained(namespace bigint, of_kind smallint, highest smallint, until timestamp with time zone, whole_conversations boolean, everything boolean, subjects text[], conversations uuid[], sampled integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.price_records(records jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.price_records(records jsonb) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.price_usage(of_model text, of_provider text, called_at timestamp with time zone, input_tokens bigint, cached_tokens bigint, output_tokens bigint) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.prune_append_requests(namespace bigint, request_ids text[], keep interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.prune_append_requests(namespace bigint, request_ids text[], keep interval) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.prune_memory_changes(namespace bigint, change_ids bigint[], keep interval) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.prune_memory_changes(namespace bigint, change_ids bigint[], keep interval) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.prune_usage(namespace bigint, keep interval, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.prune_usage(namespace bigint, keep interval, batch integer) TO everword_compactor;
REVOKE ALL ON FUNCTION everword.publishes_summaries(policies jsonb, channel text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.publishes_summaries(policies jsonb, channel text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.record_usage(records jsonb, batch uuid) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.remove_loose_nodes(namespace bigint, nodes uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.remove_messages(namespace bigint, gone uuid[], learned_stays boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.remove_passages(namespace bigint, sources uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.retire(namespace bigint, of_kind smallint, gone uuid[], keep_quotes boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.retire(namespace bigint, of_kind smallint, gone uuid[], keep_quotes boolean) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.retire_conversations(namespace bigint, ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.rule_condition(relation text, key_column text, only_where text) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.running_erasures(batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.running_erasures(batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.running_retention(batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.running_retention(batch integer) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.salted_hash(salt bytea, VARIADIC parts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.salted_hash(salt bytea, VARIADIC parts text[]) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.send_settings() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.send_settings() TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.share_lock(namespace bigint, lock_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.share_lock(namespace bigint, lock_name text) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.spend_grant(hash bytea, spends boolean) TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
REVOKE ALL ON FUNCTION everword.target_messages(erasure everword.erasures) FROM PUBLIC;
GRANT SELECT ON TABLE everword.transfer_rules TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.transferred_columns(rule everword.transfer_rules) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.unnumbered_namespaces() FROM PUBLIC;
GRANT ALL ON FUNCTION everword.unnumbered_namespaces() TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.update_memory_class(namespace bigint, memory uuid, class smallint) FROM PUBLIC;
GRANT ALL ON FUNCTION everword.update_memory_class(namespace bigint, memory uuid, class smallint) TO everword_ingest, everword_ingest_scoped;
REVOKE ALL ON FUNCTION everword.upgrade_vector_tables() FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.with_merged_nodes(namespace bigint, ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_derived(namespace bigint, gone uuid[], axes smallint[], learned_stays boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_facts(namespace bigint, gone uuid[], since timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_learned(namespace bigint, gone uuid[], subjects text[], since timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_nodes(namespace bigint, direct uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_pages(namespace bigint, sources uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_summaries(namespace bigint, gone uuid[], axes smallint[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_target(namespace bigint, erasure everword.erasures, OUT did jsonb, OUT message_ids uuid[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION everword.withdraw_themes(namespace bigint, since timestamp with time zone) FROM PUBLIC;
GRANT INSERT,DELETE ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(namespace_id) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(repo) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(issue) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(max_calls) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(used_calls) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(expires_at) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(created_at) ON TABLE everword.advisor_grants TO everword_ingest, everword_ingest_scoped;
GRANT INSERT ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(namespace_id) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(role) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(description) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(created_at) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(last_used_at) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(agent) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(subject) ON TABLE everword.api_keys TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.append_requests TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(message_ids) ON TABLE everword.append_requests TO everword_ingest, everword_ingest_scoped;
GRANT INSERT ON TABLE everword.author_names TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.author_names TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.budget_events TO everword_ingest, everword_ingest_scoped;
GRANT INSERT ON TABLE everword.budget_events TO everword_search, everword_compactor, everword_embedder, everword_search_scoped;
GRANT USAGE ON SEQUENCE everword.budget_events_id_seq TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.budget_spending TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.budget_spending TO everword_search, everword_compactor, everword_embedder, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.budgets TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.budgets TO everword_search, everword_compactor, everword_embedder, everword_search_scoped;
GRANT INSERT ON TABLE everword.calendar_pending TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.calendar_pending TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.calendar_pending TO everword_compactor;
GRANT SELECT ON TABLE everword.calibrations TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.change_numbers TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT UPDATE(last_number) ON TABLE everword.change_numbers TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.checkpoint_counters TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.checkpoints TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.compaction_progress TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.compaction_progress TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.compaction_progress TO everword_compactor;
GRANT UPDATE(sleep_wanted_seq) ON TABLE everword.compaction_progress TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.conversations TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.conversations TO everword_search, everword_compactor, everword_search_scoped;
GRANT SELECT(namespace_id) ON TABLE everword.conversations TO everword_embedder;
GRANT SELECT(id) ON TABLE everword.conversations TO everword_embedder;
GRANT SELECT(session_key) ON TABLE everword.conversations TO everword_embedder;
GRANT SELECT(agent) ON TABLE everword.conversations TO everword_embedder;
GRANT SELECT,INSERT,DELETE ON TABLE everword.corpus_counts TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.corpus_counts TO everword_search, everword_embedder, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.corpus_counts TO everword_compactor;
GRANT UPDATE(id) ON TABLE everword.corpus_counts TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.deployment TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.document_chunks TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.document_chunks TO everword_search, everword_search_scoped;
GRANT SELECT(namespace_id) ON TABLE everword.document_chunks TO everword_embedder;
GRANT SELECT(id) ON TABLE everword.document_chunks TO everword_embedder;
GRANT SELECT(headings) ON TABLE everword.document_chunks TO everword_embedder;
GRANT SELECT,INSERT ON TABLE everword.document_versions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.documents TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.documents TO everword_search, everword_search_scoped;
GRANT SELECT,DELETE ON TABLE everword.embedding_pauses TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.embedding_pauses TO everword_embedder;
GRANT SELECT,INSERT,DELETE ON TABLE everword.embedding_queue TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.embedding_queue TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.embedding_queue TO everword_compactor, everword_embedder;
GRANT SELECT ON TABLE everword.erased_external_ids TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.events TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.events TO everword_compactor;
GRANT UPDATE(title) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(starts_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(ends_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(importance) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(decay_days) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(expires_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(status) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(mention_count) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(first_seen_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(last_seen_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(ruling) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(ruled_at) ON TABLE everword.events TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.fact_changes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.fact_changes TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.fact_disputes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.fact_disputes TO everword_search, everword_search_scoped;
GRANT UPDATE(settled_at) ON TABLE everword.fact_disputes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(outcome) ON TABLE everword.fact_disputes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(decided_by) ON TABLE everword.fact_disputes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(reason) ON TABLE everword.fact_disputes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.fact_edges TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.fact_edges TO everword_compactor;
GRANT UPDATE(confidence) ON TABLE everword.fact_edges TO everword_compactor;
GRANT UPDATE(reason) ON TABLE everword.fact_edges TO everword_compactor;
GRANT UPDATE(valid_until) ON TABLE everword.fact_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(known_until) ON TABLE everword.fact_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.fact_evidence TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.fact_evidence TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.fact_intervals TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.fact_intervals TO everword_search, everword_search_scoped;
GRANT UPDATE(known_until) ON TABLE everword.fact_intervals TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.facts TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.facts TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.graph_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.graph_edges TO everword_search, everword_search_scoped;
GRANT UPDATE(known_until) ON TABLE everword.graph_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(ended_by) ON TABLE everword.graph_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(end_reason) ON TABLE everword.graph_edges TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.graph_names TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.graph_names TO everword_search, everword_search_scoped;
GRANT UPDATE(node_id) ON TABLE everword.graph_names TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.graph_node_versions TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.graph_node_versions TO everword_search, everword_search_scoped;
GRANT UPDATE(known_until) ON TABLE everword.graph_node_versions TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(ended_by) ON TABLE everword.graph_node_versions TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(end_reason) ON TABLE everword.graph_node_versions TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.graph_nodes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.graph_nodes TO everword_search, everword_search_scoped;
GRANT UPDATE(merged_into) ON TABLE everword.graph_nodes TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(last_seen_at) ON TABLE everword.graph_nodes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.importance_suggestions TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.importance_suggestions TO everword_compactor;
GRANT SELECT ON TABLE everword.index_changes TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.index_changes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(number) ON TABLE everword.index_changes TO everword_search, everword_ingest, everword_compactor, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.jobs TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.jobs TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.jobs TO everword_compactor, everword_embedder;
GRANT SELECT,INSERT ON TABLE everword.learned_changes TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.learned_changes TO everword_search, everword_search_scoped;
GRANT SELECT ON TABLE everword.learned_evidence TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.learned_evidence TO everword_compactor;
GRANT SELECT,INSERT,DELETE ON TABLE everword.legal_holds TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.lore_books TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.lore_books TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.lore_entries TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.lore_entries TO everword_search, everword_search_scoped;
GRANT SELECT,USAGE ON SEQUENCE everword.memory_ids TO everword_ingest, everword_ingest_scoped;
GRANT USAGE ON SEQUENCE everword.memory_ids TO everword_compactor;
GRANT INSERT,DELETE ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(namespace_id) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(kind) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(source_id) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(part) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(importance_class) ON TABLE everword.memories TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(content) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(lexeme_count) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(valid_until),UPDATE(valid_until) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT(known_until),UPDATE(known_until) ON TABLE everword.memories TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.memory_changes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.memory_changes TO everword_search, everword_search_scoped;
GRANT INSERT ON TABLE everword.memory_changes TO everword_compactor;
GRANT UPDATE(number) ON TABLE everword.memory_changes TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.memory_classes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.memory_classes TO everword_search, everword_compactor, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.memory_use TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT INSERT ON TABLE everword.memory_vectors_1 TO everword_embedder;
GRANT DELETE ON TABLE everword.memory_vectors_1 TO everword_ingest, everword_ingest_scoped, everword_compactor;
GRANT SELECT(namespace_id) ON TABLE everword.memory_vectors_1 TO everword_embedder, everword_ingest, everword_ingest_scoped, everword_compactor;
GRANT SELECT(memory_id) ON TABLE everword.memory_vectors_1 TO everword_embedder, everword_ingest, everword_ingest_scoped, everword_compactor;
GRANT SELECT(embedding),UPDATE(embedding) ON TABLE everword.memory_vectors_1 TO everword_embedder;
GRANT SELECT ON TABLE everword.message_corrections TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.message_corrections TO everword_compactor;
GRANT SELECT,INSERT ON TABLE everword.messages TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.messages TO everword_search, everword_compactor, everword_search_scoped;
GRANT UPDATE(namespace_id) ON TABLE everword.messages TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.model_generations TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT UPDATE(background_mean) ON TABLE everword.model_generations TO everword_embedder;
GRANT UPDATE(background_deviation) ON TABLE everword.model_generations TO everword_embedder;
GRANT UPDATE(other_languages) ON TABLE everword.model_generations TO everword_embedder;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.model_prices TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.model_prices TO everword_embedder;
GRANT SELECT ON TABLE everword.namespace_deletions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_imports TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_locks TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespace_usage TO everword_ingest, everword_search, everword_compactor, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.namespaces TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.namespaces TO everword_search, everword_compactor, everword_embedder, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.note_versions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.notes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.notes TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.pattern_decisions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT ON TABLE everword.pattern_outcomes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.pattern_thresholds TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.patterns TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.people TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.people TO everword_compactor;
GRANT UPDATE(name) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(aliases) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(relation) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(status) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(mention_count) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(first_seen_at) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(last_seen_at) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(ruling) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(ruled_at) ON TABLE everword.people TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_document_versions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_facts TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.strategies TO everword_ingest, everword_search, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.strategies TO everword_compactor;
GRANT UPDATE(state) ON TABLE everword.strategies TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT UPDATE(ended_at) ON TABLE everword.strategies TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.trajectories TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.trajectories TO everword_compactor;
GRANT SELECT(namespace_id) ON TABLE everword.trajectories TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.trajectories TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(subject) ON TABLE everword.trajectories TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.user_models TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.user_models TO everword_compactor;
GRANT SELECT(namespace_id) ON TABLE everword.user_models TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.user_models TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(subject) ON TABLE everword.user_models TO everword_ingest, everword_ingest_scoped;
GRANT UPDATE(held_from) ON TABLE everword.user_models TO everword_compactor;
GRANT UPDATE(held_until) ON TABLE everword.user_models TO everword_compactor;
GRANT UPDATE(last_seen_at) ON TABLE everword.user_models TO everword_compactor;
GRANT UPDATE(supporting) ON TABLE everword.user_models TO everword_compactor;
GRANT SELECT ON TABLE everword.retained_history TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_messages TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_note_versions TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_notes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.retained_patterns TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.retention_policies TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.retention_runs TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.schema_migrations TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT ON TABLE everword.session_observations TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.session_observations TO everword_compactor;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.sleep_nights TO everword_compactor;
GRANT SELECT ON TABLE everword.sleep_sessions TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.sleep_sessions TO everword_compactor;
GRANT SELECT ON TABLE everword.strategy_offers TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.strategy_offers TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT ON TABLE everword.summaries TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.summaries TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.summaries TO everword_compactor;
GRANT SELECT ON TABLE everword.summary_sources TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.summary_sources TO everword_compactor;
GRANT SELECT ON TABLE everword.summary_voices TO everword_compactor;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.summary_voices TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.tenants TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT ON TABLE everword.themes TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.themes TO everword_compactor;
GRANT SELECT(namespace_id) ON TABLE everword.themes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.themes TO everword_ingest, everword_ingest_scoped;
GRANT INSERT ON TABLE everword.tool_sentence_queue TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.tool_sentence_queue TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.tool_sentence_queue TO everword_compactor;
GRANT SELECT ON TABLE everword.tool_sentences TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,UPDATE ON TABLE everword.tool_sentences TO everword_compactor;
GRANT INSERT ON TABLE everword.topic_changes TO everword_ingest, everword_ingest_scoped;
GRANT SELECT,INSERT,DELETE ON TABLE everword.topic_changes TO everword_compactor;
GRANT SELECT ON TABLE everword.topic_pages TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.topic_pages TO everword_compactor;
GRANT SELECT(namespace_id) ON TABLE everword.topic_pages TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(node_id) ON TABLE everword.topic_pages TO everword_ingest, everword_ingest_scoped;
GRANT SELECT(id) ON TABLE everword.topic_pages TO everword_ingest, everword_ingest_scoped;
GRANT SELECT ON TABLE everword.topic_sources TO everword_search, everword_search_scoped;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE everword.topic_sources TO everword_compactor;
GRANT SELECT,INSERT ON TABLE everword.usage_ledger TO everword_ingest, everword_compactor, everword_ingest_scoped;
GRANT INSERT ON TABLE everword.usage_ledger TO everword_search, everword_embedder, everword_search_scoped;
GRANT USAGE ON SEQUENCE everword.usage_ledger_id_seq TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT ON TABLE everword.visible_memories TO everword_ingest, everword_search, everword_compactor, everword_embedder, everword_ingest_scoped, everword_search_scoped;
GRANT SELECT ON TABLE everword.visible_vectors_1 TO everword_search, everword_search_scoped, everword_compactor, everword_embedder;
GRANT SELECT ON TABLE everword_scoped.visible_memories TO everword_ingest_scoped, everword_search_scoped;

"""A consistent database, and ways to violate each invariant."""

from __future__ import annotations

import psycopg

#: Completes rows that fixtures of single statements leave inconsistent.
_COMPLETE = """
DELETE FROM summaries s WHERE level = 1 AND NOT EXISTS (SELECT FROM summary_sources l WHERE l.summary_id = s.id);
UPDATE summaries s SET first_seq = m.seq, last_seq = m.seq
  FROM summary_sources l JOIN messages m ON m.id = l.message_id
 WHERE l.summary_id = s.id AND s.level = 1 AND s.first_seq = s.last_seq AND m.seq <> s.first_seq;
UPDATE compaction_progress p SET summarised_seq = 3
  FROM conversations c WHERE c.id = p.conversation_id AND c.session_key = 'moved';
DELETE FROM learned_evidence e WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = e.message_id);
UPDATE facts f SET ruling = 1, ruled_at = now() WHERE NOT EXISTS (SELECT FROM fact_evidence e WHERE e.fact_id = f.id);
"""

_MESSAGE = "(SELECT id FROM messages WHERE content LIKE 'She said%' LIMIT 1)"
_CONVERSATION = "(SELECT id FROM conversations WHERE session_key = 'moved')"
_LEAF = "(SELECT id FROM summaries WHERE level = 1 AND NOT stale ORDER BY id LIMIT 1)"
_CHILD = "(SELECT id FROM summaries WHERE level = 1 AND parent_id IS NOT NULL LIMIT 1)"
_THEIRS = "(SELECT id FROM namespaces WHERE name = 'theirs')"
_GONE = "'00000000-0000-0000-0000-00000000dead'"


def complete(conn: psycopg.Connection) -> None:
    """Complete rows that `fill_everything` inserts only as far as its tests need them."""
    conn.execute(_COMPLETE.encode())


#: A statement that violates the invariant, by check.
BREAKS = {
    "schema_version": "INSERT INTO schema_migrations VALUES (9999, 'later', '')",
    "append_only": "GRANT UPDATE ON messages TO everword_search",
    "isolation": "ALTER TABLE facts DISABLE ROW LEVEL SECURITY",
    "indexes": "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'messages_p0_pkey'::regclass",
    "numbers": "UPDATE memories SET id = 1::bigint << 40 WHERE id = (SELECT max(id) FROM memories)",
    "secrets": "UPDATE deployment SET token_secret = 'short'",
    "generations": "UPDATE model_generations SET state = 'building'",
    "counters": f"INSERT INTO corpus_counts (namespace_id, turns) VALUES ({_THEIRS}, 1)",
    "places_empty": f"UPDATE conversations SET last_seq = last_seq + 99 WHERE id = {_CONVERSATION}",
    "jobs": f"INSERT INTO jobs (namespace_id, task, subject) VALUES ({_THEIRS}, 'compact', {_GONE})",
    "work_forgotten": """
        UPDATE embedding_queue SET not_before = now() - interval '1 day';
        DELETE FROM jobs WHERE task = 'embed'""",
    "erasures_stuck": "UPDATE erasures SET state = 1, finished_at = NULL, updated_at = now() - interval '1 day'",
    "sequence": f"UPDATE messages SET seq = 99 WHERE id = {_MESSAGE}",
    "hidden_conversations": f"UPDATE conversations SET erasure_id = {_GONE} WHERE id = {_CONVERSATION}",
    "erased_conversations": f"""
        INSERT INTO erasures (namespace_id, id, kind, state, target_hash, finished_at)
        SELECT namespace_id, {_GONE}, 2, 2, salted_hash(namespace_id::text, '2', id::text), now()
          FROM conversations WHERE id = {_CONVERSATION}""",
    "progress": f"UPDATE compaction_progress SET learned_seq = 99 WHERE conversation_id = {_CONVERSATION}",
    "checkpoints": "UPDATE checkpoints SET version = 99 WHERE id = (SELECT id FROM checkpoints LIMIT 1)",
    "messages_indexed": f"DELETE FROM memories WHERE source_id = {_MESSAGE}",
    "sentences": "DELETE FROM memories WHERE part = -1; DELETE FROM tool_sentence_queue",
    "leaves_missing": "DELETE FROM summary_sources WHERE axis = 1 AND message_id IS NOT NULL",
    "days_missing": "DELETE FROM calendar_pending",
    "erased_messages": f"""
        INSERT INTO erasures (namespace_id, id, kind, state, target_hash, finished_at)
        SELECT namespace_id, {_GONE}, 4, 2, salted_hash(namespace_id::text, '4', author), now()
          FROM messages WHERE id = {_MESSAGE}""",
    "passages_sourced": f"UPDATE memories SET source_id = {_GONE} WHERE source_id = {_MESSAGE}",
    "passages_whole": f"UPDATE memories SET part = 7 WHERE source_id = {_MESSAGE}",
    "passages_counted": f"UPDATE memories SET ranking = '' WHERE source_id = {_MESSAGE}",
    "passages_placed": f"UPDATE memories SET seq = 99 WHERE source_id = {_MESSAGE}",
    "passages_true": f"UPDATE summaries SET content = 'Other words.' WHERE id = {_LEAF}",
    "vectors_due": "DELETE FROM embedding_queue",
    "vectors_sourced": f"""
        INSERT INTO memory_vectors_1 VALUES ({_THEIRS}, 99999999, array_fill(0.1, ARRAY[384])::public.halfvec)""",
    "vectors_once": f"""
        INSERT INTO memory_vectors_1 SELECT namespace_id, memory_id, array_fill(0.1, ARRAY[384])::public.halfvec
          FROM embedding_queue WHERE namespace_id = {_THEIRS} LIMIT 1""",
    "summaries_sourced": f"UPDATE summary_sources SET ordinal = ordinal + 7 WHERE summary_id = {_LEAF}",
    "summaries_linked": f"UPDATE summaries SET parent_id = NULL WHERE id = {_CHILD}",
    "summaries_sums": f"UPDATE summaries SET message_count = 99 WHERE id = {_LEAF}",
    "summaries_placed": f"UPDATE summaries SET first_seq = first_seq + 50, last_seq = last_seq + 50 WHERE id = {_LEAF}",
    "summaries_apart": """
        UPDATE summaries SET last_seq = 3 WHERE level = 1 AND first_seq = 1 AND conversation_id =
        (SELECT id FROM conversations WHERE session_key = 'moved')""",
    "summaries_indexed": f"DELETE FROM memories WHERE source_id = {_LEAF}",
    "facts_evidenced": "UPDATE facts SET ruling = NULL, ruled_at = NULL",
    "evidence_said": f"UPDATE fact_evidence SET message_id = {_GONE} WHERE message_id IS NOT NULL",
    "timelines": """
        INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, known_from)
        SELECT namespace_id, gen_random_uuid(), fact_id, valid_from, known_from
          FROM fact_intervals WHERE known_until IS NULL""",
    "facts_indexed": "UPDATE memories SET valid_until = now() WHERE kind = 4",
    "learned_evidenced": f"""
        UPDATE learned_evidence SET about_id = {_GONE} WHERE id = (SELECT id FROM learned_evidence LIMIT 1)""",
    "nodes_current": """
        INSERT INTO graph_node_versions SELECT r.* FROM graph_node_versions v
        CROSS JOIN jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid())) AS r""",
    "nodes_indexed": "DELETE FROM memories WHERE kind = 6",
    "edges_said": f"UPDATE graph_edges SET message_id = {_GONE}",
    "pages_indexed": "DELETE FROM memories WHERE kind = 8",
    "notes_current": "UPDATE notes SET version = 99",
    "notes_indexed": "DELETE FROM memories WHERE kind = 3",
    "documents_current": "UPDATE documents SET chunks = 99",
    "chunks_indexed": "DELETE FROM memories WHERE kind = 5",
    "lore_indexed": "DELETE FROM memories WHERE kind = 7",
    "references": f"UPDATE graph_edges SET from_id = {_GONE}",
}

#: Changes every kind of derived row.
DAMAGE = f"""
DELETE FROM memories WHERE namespace_id = {_THEIRS} AND kind IN (1, 3, 4, 6) AND id % 2 = 0;
DELETE FROM memories WHERE namespace_id = {_THEIRS} AND kind IN (2, 5, 7, 8);
UPDATE memories SET content = 'Garbage.', lexemes = 'garbage:1', lexeme_count = 1
 WHERE namespace_id = {_THEIRS} AND kind = 1 AND id % 3 = 0;
UPDATE memories SET ranking = '' WHERE namespace_id = {_THEIRS} AND kind = 1 AND id % 5 = 0;
UPDATE memories SET source_id = {_GONE} WHERE id = (SELECT max(id) FROM memories WHERE namespace_id = {_THEIRS});
INSERT INTO memory_vectors_1 VALUES ({_THEIRS}, 99999999, array_fill(0.1, ARRAY[384])::public.halfvec);
DELETE FROM embedding_queue WHERE namespace_id = {_THEIRS} AND memory_id % 2 = 1;
DELETE FROM calendar_pending WHERE namespace_id = {_THEIRS};
INSERT INTO corpus_counts (namespace_id, messages, turns) VALUES ({_THEIRS}, 5, -5);
"""
#: Checks that the damage violates.
DAMAGED = (
    *(
        "messages_indexed",
        "notes_indexed",
        "facts_indexed",
        "nodes_indexed",
        "summaries_indexed",
        "chunks_indexed",
    ),
    *(
        "lore_indexed",
        "pages_indexed",
        "passages_counted",
        "passages_sourced",
        "vectors_sourced",
        "vectors_once",
    ),
    *("vectors_due", "days_missing", "counters"),
)

"""Queries the database as its owner for lost, duplicate and stuck rows."""

from __future__ import annotations

import traceback
from collections.abc import Set
from dataclasses import dataclass, field

import psycopg

from faults.traffic import UNEMBEDDABLE
from support.dag import check_dag
from support.databases import DatabaseUnderTest

#: Queries that count violations, by the name in the report; 0 is right.
_LOST = {
    "messages missing in a sequence": """
        SELECT coalesce(sum(abs(c.last_seq - m.messages) + abs(c.last_seq - m.last)), 0)
          FROM conversations c CROSS JOIN LATERAL (
               SELECT count(*) AS messages, coalesce(max(seq), 0) AS last FROM messages
                WHERE namespace_id = c.namespace_id AND conversation_id = c.id) AS m
         WHERE NOT EXISTS (SELECT FROM erasures WHERE namespace_id = c.namespace_id) OR c.session_key LIKE 'conv%%'""",
    "messages without a passage": """
        SELECT count(*) FROM messages m
         WHERE NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = m.namespace_id AND p.source_id = m.id)""",
    "passages missing in a message": """
        SELECT count(*) FROM (SELECT FROM memories WHERE part >= 0 GROUP BY namespace_id, source_id
                              HAVING count(*) <> max(part) + 1 OR min(part) <> 0) AS torn""",
    "tool calls whose sentence is not in the index": """
        SELECT count(*) FROM messages m
         WHERE content = '' AND NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = m.namespace_id
                                               AND p.source_id = m.id AND p.part = -1)""",
    "passages with neither a vector nor a place in the queue": """
        SELECT count(*) FROM memories p
         WHERE needs_vector(p.namespace_id, p.kind, p.source_id, p.part, p.content)
           AND NOT EXISTS (SELECT FROM {vectors} v WHERE v.namespace_id = p.namespace_id AND v.memory_id = p.id)
           AND NOT EXISTS (SELECT FROM embedding_queue q
                            WHERE q.namespace_id = p.namespace_id AND q.memory_id = p.id)""",
    "passages parked that could be embedded, or without a reason": """
        SELECT count(*) FROM embedding_queue q
          JOIN memories p ON p.namespace_id = q.namespace_id AND p.id = q.memory_id
         WHERE q.state = 'failed' AND (strpos(p.content, %(unembeddable)s) = 0 OR q.error IS NULL)""",
}
_DOUBLED = {
    "messages stored twice": """
        SELECT count(*) - count(DISTINCT (namespace_id, conversation_id, coalesce(nullif(external_id, ''), content)))
          FROM messages""",
    "passages stored twice": """
        SELECT count(*) - count(DISTINCT (namespace_id, source_id, part)) FROM memories""",
    "vectors that are still in the queue": """
        SELECT count(*) FROM {vectors} v JOIN embedding_queue q USING (namespace_id, memory_id)""",
    "vectors of no passage": """
        SELECT count(*) FROM {vectors} v
         WHERE NOT EXISTS (SELECT FROM memories p WHERE p.namespace_id = v.namespace_id AND p.id = v.memory_id)""",
    "counted twice, or not": """
        SELECT abs(c.conversations - (SELECT count(*) FROM conversations))
             + abs(c.messages - (SELECT count(*) FROM messages))
             + abs(c.turns - (SELECT sum(turn_count) FROM conversations))
             + abs(c.passages - (SELECT count(*) FROM memories))
             + abs(c.lexemes - (SELECT sum(lexeme_count) FROM memories))
             + abs(c.content_bytes - (SELECT sum(octet_length(content || tool_args || tool_result)) FROM messages))
          FROM (SELECT sum(conversations) AS conversations, sum(messages) AS messages, sum(turns) AS turns,
                       sum(passages) AS passages, sum(lexemes) AS lexemes, sum(content_bytes) AS content_bytes
                  FROM corpus_counts) AS c""",
}
_STUCK = {
    "passages pending": "SELECT count(*) FROM embedding_queue WHERE state = 'pending'",
    "sentences pending": "SELECT count(*) FROM tool_sentence_queue",
    # Jobs that wait for a pause in a conversation are not stuck, and such a pause may end during an audit; jobs that
    # wait after a failure may be stuck.
    "jobs not done": """
        SELECT count(*) FROM jobs
         WHERE state <> 'done' AND (not_before <= now() - interval '1 minute' OR state = 'pending' AND attempts > 0)""",
    "conversations that wait for a leaf": """
        SELECT count(*) FROM conversations c
          LEFT JOIN compaction_progress p ON p.namespace_id = c.namespace_id AND p.conversation_id = c.id
         WHERE c.last_seq - coalesce(p.summarised_seq, 0) >= 10""",
    # A period that has not ended waits for its end, and a reopened one until no late messages arrive.
    "periods that were never summed up": """
        SELECT count(DISTINCT (namespace_id, level, period, subject)) FROM calendar_pending o
         WHERE period + (ARRAY['2 days', '8 days', '32 days', '367 days'])[level - 3]::interval < now()
           AND NOT EXISTS (SELECT FROM summaries s WHERE s.namespace_id = o.namespace_id AND s.level = o.level
                                AND s.period = o.period AND s.subject = o.subject)""",
    "erasures at work": "SELECT count(*) FROM erasures WHERE state <> 2",
    "jobs done that know of more": "SELECT count(*) FROM jobs WHERE state = 'done' AND done_seq < dirty_seq",
}
#: Queries for work that the drain waits for: all due jobs, however short a time.
_OPEN = {what: each for what, each in _STUCK.items() if what != "jobs done that know of more"} | {
    "jobs not done": "SELECT count(*) FROM jobs WHERE state <> 'done' AND (not_before <= now() OR attempts > 0)",
}
_STORED = "SELECT coalesce(nullif(external_id, ''), split_part(content, ':', 1)) FROM messages"


@dataclass
class Findings:
    """Violations, in numbers and in words."""

    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    #: Number of summaries; without any, a result of no violations would prove nothing.
    summaries: int = 0
    words: list[str] = field(default_factory=list)


def open_work(admin_url: str) -> dict[str, int]:
    """Return the number of pending items and open jobs, by kind; empty if all work is done."""
    with _connect(admin_url) as conn:
        counts = {what: _count(conn, statement) for what, statement in _OPEN.items()}
    return {what: count for what, count in counts.items() if count}


def audit(admin_url: str, acknowledged: Set[str]) -> Findings:
    """Check stored rows against acknowledged writes and for consistency."""
    found = Findings()
    with _connect(admin_url) as conn:
        found.lost = _audit_each(conn, _LOST, found.words) + _missing(conn, acknowledged, found)
        found.lost += _audit_summaries(conn, admin_url, found)
        found.doubled = _audit_each(conn, _DOUBLED, found.words)
        found.stuck = _audit_each(conn, _STUCK, found.words)
        if found.stuck:
            found.words += [
                f"job {job}" for job in conn.execute("SELECT * FROM jobs WHERE state <> 'done'")
            ]
    return found


def _missing(conn: psycopg.Connection, acknowledged: Set[str], found: Findings) -> int:
    stored = {name for (name,) in conn.execute(_STORED)}
    missing = acknowledged - stored
    if missing:
        found.words.append(f"{len(missing)} acknowledged messages missing: {min(missing)}, …")
    return len(missing)


def _audit_summaries(conn: psycopg.Connection, admin_url: str, found: Findings) -> int:
    """Return the number of namespaces whose summaries do not cover their sources correctly."""
    wrong = []
    for name, generation in conn.execute(
        "SELECT n.name, g.id FROM namespaces n, model_generations g WHERE g.state = 'active'"
    ).fetchall():
        try:
            dag = check_dag(DatabaseUnderTest(admin_url, ""), name, generation)
        except AssertionError as error:
            failed = traceback.extract_tb(error.__traceback__)[-1].line
            wrong.append(
                f"1 namespace whose summaries are not what they should be: {name}: {failed}"
            )
        else:
            found.summaries += len(dag.nodes)
    found.words += wrong
    return len(wrong)


def _audit_each(conn: psycopg.Connection, statements: dict[str, str], words: list[str]) -> int:
    total = 0
    for what, statement in statements.items():
        if count := _count(conn, statement):
            words.append(f"{count} {what}")
            total += count
    return total


def _count(conn: psycopg.Connection, statement: str) -> int:
    active = conn.execute("SELECT id FROM model_generations WHERE state = 'active'").fetchone()
    assert active is not None
    text = statement.format(vectors=f"memory_vectors_{active[0]}")
    row = conn.execute(text.encode(), {"unembeddable": UNEMBEDDABLE}).fetchone()
    assert row is not None
    return int(row[0])


def _connect(admin_url: str) -> psycopg.Connection:
    return psycopg.connect(admin_url, autocommit=True, options="-c search_path=everword,public")

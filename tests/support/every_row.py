"""Rows of every kind that services store, messages excepted, all in one namespace."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import psycopg

from support.calendar_rows import insert_calendar
from support.checkpoint_rows import insert_checkpoints
from support.cost_rows import insert_costs
from support.document_rows import insert_documents
from support.earlier_rows import insert_earlier
from support.erasure_rows import insert_erasure
from support.fact_rows import insert_facts
from support.graph_rows import insert_graph
from support.kinds import KINDS
from support.note_rows import insert_notes
from support.pattern_rows import insert_patterns
from support.people_rows import insert_people
from support.retention_rows import insert_retention
from support.sleep_rows import insert_sleep
from support.summary_rows import SummaryRows, insert_summaries
from support.theme_rows import insert_theme
from support.topic_rows import insert_topic
from support.transfer_rows import insert_import


def insert_every_row(
    conn: psycopg.Connection,
    namespace_id: int,
    conversation_id: UUID,
    message_ids: Sequence[UUID],
    words: str,
) -> SummaryRows:
    """Store derived rows, rows written by callers, and rows about the namespace; return the summaries."""
    summaries = insert_summaries(conn, namespace_id, conversation_id, message_ids, words)
    insert_calendar(conn, namespace_id, conversation_id, words)
    insert_facts(conn, namespace_id, message_ids, words)
    insert_patterns(conn, namespace_id, words)
    insert_theme(conn, namespace_id, words)
    insert_people(conn, namespace_id, conversation_id, message_ids, words)
    insert_sleep(conn, namespace_id, conversation_id, message_ids, words)
    insert_graph(conn, namespace_id, message_ids[0], words)
    insert_notes(conn, namespace_id, message_ids, words)
    for kind in KINDS:
        kind.insert_rows(conn, namespace_id, words)
    conn.execute(
        "INSERT INTO memory_classes (namespace_id, memory_id, importance_class) VALUES (%s, %s, 2) "
        "ON CONFLICT DO NOTHING",
        [namespace_id, message_ids[0]],
    )
    insert_costs(conn, namespace_id, conversation_id, words)
    insert_erasure(conn, namespace_id, words)
    insert_import(conn, namespace_id)
    insert_topic(conn, namespace_id, summaries.leaf, words)
    insert_checkpoints(conn, namespace_id, conversation_id, words)
    insert_documents(conn, namespace_id, message_ids, words)
    insert_retention(conn, namespace_id)
    insert_earlier(conn, namespace_id, conversation_id, message_ids, words)
    conn.execute("SELECT number_changes(%s)", [namespace_id])
    return summaries

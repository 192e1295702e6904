"""Rows that the start of a session reads, and parameters with which each of its statements affects them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg

SUBJECT, WEEK = "Xavier", UUID(int=20_000_103)
_INSERT_SUMMARY = """
INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, period, subject, name, content,
                       message_count, earliest_at, latest_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 1, now(), now())
"""


def insert_earlier(
    conn: psycopg.Connection,
    namespace_id: int,
    conversation_id: UUID,
    message_ids: Sequence[UUID],
    words: str,
) -> None:
    """Store a root and a task with ids of messages, whose index rows belong to them, too, and a week."""
    root = (message_ids[0], 3, conversation_id, 1, 1, None, "", "", words)
    week = (WEEK, 5, None, None, None, "2000-01-03", SUBJECT, "2000-W01 of theirs", words)
    for values in (root, week):
        conn.execute(_INSERT_SUMMARY, (namespace_id, *values))
    conn.execute(
        "INSERT INTO memories (namespace_id, kind, source_id, subject, occurred_at, content, lexemes, lexeme_count) "
        "VALUES (%s, 2, %s, %s, now(), %s, '', 1)",
        [namespace_id, WEEK, SUBJECT, words],
    )
    conn.execute(
        "INSERT INTO notes (namespace_id, id, kind, version) VALUES (%s, %s, 'task', 1)",
        [namespace_id, message_ids[1]],
    )


def earlier_parameters(conversation_id: UUID) -> dict[str, dict[str, Any]]:
    package = "everword_search.passages"
    own: dict[str, Any] = {"agents": [""], "subjects": [""]}
    earlier = {"earlier_ids": [conversation_id]}
    return {
        f"{package}.find_earlier_conversations": {**own, "conversation_id": UUID(int=1)},
        f"{package}.find_earlier_turns": earlier,
        f"{package}.find_earlier_summaries": earlier,
        f"{package}.find_latest_periods": {"agents": None, "subjects": [SUBJECT]},
        f"{package}.find_open_tasks": own,
    }

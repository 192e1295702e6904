"""Rows that the compactor derives, for tests of single statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg

from everword.domain.ids import new_id

INSERT_SUMMARY = """
INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, parent_id, content, title,
                       message_count, earliest_at, latest_at, model, prompt_version, stale, needs_review, faithfulness)
VALUES (%(namespace_id)s, %(id)s, %(level)s, %(conversation_id)s, %(seq)s, %(seq)s, %(parent_id)s, %(content)s,
        'A summary with a title', 1, now(), now(), 'extractive', 0, true, %(needs_review)s,
        '{"unsupported": [], "wrong_tags": [], "source_coverage": 1, "identifier_coverage": 1}')
"""
INSERT_SOURCE = """
INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, message_id, child_id)
VALUES (%s, %s, 1, 1, %s, %s)
"""


@dataclass(frozen=True)
class SummaryRows:
    """A leaf over the first message under a branch, a leaf over the second without parent, and a leaf
    without messages.
    """

    leaf: UUID
    branch: UUID
    orphan: UUID
    bare: UUID


def insert_summaries(
    conn: psycopg.Connection,
    namespace_id: int,
    conversation_id: UUID,
    message_ids: Sequence[UUID],
    content: str,
) -> SummaryRows:
    """Insert nodes over the first two messages of a conversation, and its compaction progress."""
    rows = SummaryRows(new_id(), new_id(), new_id(), new_id())
    scope = {"namespace_id": namespace_id, "conversation_id": conversation_id, "content": content}
    nodes = [
        (rows.branch, 2, 1, None),
        (rows.leaf, 1, 1, rows.branch),
        (rows.orphan, 1, 2, None),
        (rows.bare, 1, 3, None),
    ]
    for id_, level, seq, parent_id in nodes:
        values = {"id": id_, "level": level, "seq": seq, "parent_id": parent_id}
        # One of them must be eligible for contexts.
        values["needs_review"] = id_ != rows.bare
        conn.execute(INSERT_SUMMARY, {**scope, **values})
    conn.execute(INSERT_SOURCE, (namespace_id, rows.leaf, message_ids[0], None))
    conn.execute(INSERT_SOURCE, (namespace_id, rows.orphan, message_ids[1], None))
    conn.execute(INSERT_SOURCE, (namespace_id, rows.branch, None, rows.leaf))
    conn.execute(
        "INSERT INTO compaction_progress VALUES (%s, %s, 1, 1)", (namespace_id, conversation_id)
    )
    conn.execute(
        "INSERT INTO usage_ledger (namespace_id, task, model, input_tokens, output_tokens, outcome, seconds) "
        "VALUES (%s, 'leaf', 'a model with a name', 5, 7, 'ok', 1)",
        (namespace_id,),
    )
    return rows

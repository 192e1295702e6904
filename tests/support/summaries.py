"""Conversations with summaries, written as compaction does."""

from __future__ import annotations

from uuid import UUID

import psycopg

from everword.v1 import search_service_pb2 as pb
from everword.v1 import summary_pb2
from support.calls import append, message
from support.compaction import ScriptedComposer, compact_everything
from support.stack import Stack

LEAF = summary_pb2.SUMMARY_LEVEL_LEAF
BRANCH = summary_pb2.SUMMARY_LEVEL_BRANCH
ROOT = summary_pb2.SUMMARY_LEVEL_ROOT
#: Enough messages for a tree of three levels, with leaves of ten.
TREE = 300


async def summed_up(
    stack: Stack,
    *texts: str,
    session_key: str = "s",
    composer: ScriptedComposer | None = None,
) -> str:
    """Store and summarise a conversation; return its id."""
    messages = [message(text, author="Ana") for text in texts]
    written = await append(stack, *messages, session_key=session_key)
    await compact_everything(stack, composer)
    return written.conversation_id


async def harvest_tree(stack: Stack) -> str:
    """Store a conversation with leaves, branches and a root, and return its id."""
    return await summed_up(stack, *(f"Field {n} gave {n} sacks of barley." for n in range(TREE)))


async def listed(stack: Stack, **fields: object) -> list[summary_pb2.Summary]:
    """Return all summaries that match a request or its filter, earliest first, through all pages."""
    of_filter = summary_pb2.SummaryFilter.DESCRIPTOR.fields_by_name
    wanted = {name: fields.pop(name) for name in [*fields] if name in of_filter}
    only = summary_pb2.SummaryFilter(**wanted)  # type: ignore[arg-type]
    request = pb.ListSummariesRequest(**{"order": 2, "filter": only, **fields})  # type: ignore[arg-type]
    found: list[summary_pb2.Summary] = []
    while True:
        page = await stack.search.ListSummaries(request)
        found += page.summaries
        request.page_token = page.next_page_token
        if not request.page_token:
            return found


def change(stack: Stack, statement: str, *values: object) -> None:
    """Change the database in a way that no part of Everword does."""
    with stack.database.connect() as conn:
        conn.execute(statement.encode(), values)


def flag_for_review(stack: Stack, summary_id: str) -> None:
    change(
        stack,
        "UPDATE summaries SET needs_review = true, "
        """faithfulness = faithfulness || '{"unsupported": ["4711"]}' WHERE id = %s""",
        UUID(summary_id),
    )


def usage(conn: psycopg.Connection) -> list[tuple[str, str]]:
    """Return task and outcome of all calls of language models, in order."""
    return conn.execute("SELECT task, outcome FROM usage_ledger ORDER BY id").fetchall()

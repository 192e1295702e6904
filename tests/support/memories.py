"""Memories of kinds that have no writer of their own yet, put into the index as a writer would put them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.types.numeric import Int8

from everword.domain.ids import new_id
from everword_ingest.indexing import (
    PlacedMessage,
    author_names,
    build_passages,
    passage_columns,
)
from everword_ingest.model import NewMessage
from everword_ingest.store import SQL
from support.databases import DatabaseUnderTest

#: What is no message, by its name in proto `MemoryKind`.
DERIVED_KINDS = {"SUMMARY": 2, "NOTE": 3, "FACT": 4, "CHUNK": 5}


async def remember(
    database: DatabaseUnderTest,
    kind: str,
    *texts: str,
    occurred_at: datetime | None = None,
    namespace_id: int = 1,
    author: str = "",
    importance_class: int = 0,
    **scope: str,
) -> list[str]:
    """Index memories with their passages, counts and owed vectors, and return their ids.

    `scope` may name `agent`, `subject` and `channel`.
    """
    with database.connect() as conn:
        return await remember_within(
            conn,
            kind,
            *texts,
            occurred_at=occurred_at,
            namespace_id=namespace_id,
            author=author,
            importance_class=importance_class,
            **scope,
        )


async def remember_within(
    conn: psycopg.Connection,
    kind: str,
    *texts: str,
    occurred_at: datetime | None = None,
    namespace_id: int = 1,
    author: str = "",
    importance_class: int = 0,
    **scope: str,
) -> list[str]:
    """Index memories as `remember` does, by a connection that may be in a transaction."""
    when = occurred_at or datetime.now(UTC)
    memories = [
        PlacedMessage(
            new_id(),
            0,
            NewMessage(text, role=0, author=author, importance_class=importance_class),
            when,
            instance="",
        )
        for text in texts
    ]
    config = "english"
    portions = build_passages(memories, "UTC", config)
    passages = [passage async for portion in portions for passage in portion]
    parameters: dict[str, Any] = {
        **dict.fromkeys(("agent", "subject", "channel"), ""),
        **passage_columns(passages),
        "author_names": await author_names(memories),
        **scope,
        "namespace_id": Int8(namespace_id),
        "kind": DERIVED_KINDS[kind],
        "conversation_id": None,
        "seq": [None] * len(passages),
        "messages": 0,
        "turns": 0,
        "content_bytes": sum(len(text.encode()) for text in texts),
        "text_search_config": config,
    }
    conn.execute("SELECT set_config('everword.namespace_id', %s, false)", [str(namespace_id)])
    conn.execute(SQL["insert_memories"].sql, parameters)
    return [str(memory.id) for memory in memories]

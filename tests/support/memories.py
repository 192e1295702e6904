"""Memories of kinds without a writer of their own yet, indexed as a writer would do it."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg

from everword.domain.ids import new_id
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedSource
from everword.index.writer import Counts, add_passages_blocking
from everword.text.author_names import name_words
from support.databases import DatabaseUnderTest

#: Memory kinds other than messages, by their names in the proto enum `MemoryKind`.
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
    """Index memories with their passages, counts and pending vectors, and return their ids.

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
    language = Language("english", "UTC")
    sources = [
        IndexedSource(
            new_id(),
            DERIVED_KINDS[kind],
            when,
            author=author,
            importance_class=importance_class,
            agent=scope.get("agent", ""),
            subject=scope.get("subject", ""),
            channel=scope.get("channel", ""),
        )
        for _ in texts
    ]
    passages = [
        passage
        for source, text in zip(sources, texts, strict=True)
        for passage in build_passages(source, text, language)
    ]
    size = sum(len(text.encode()) for text in texts)
    counts = Counts(content_bytes=size, author_names=sorted(name_words(author)))
    conn.execute("SELECT set_config('everword.namespace_id', %s, false)", [str(namespace_id)])
    add_passages_blocking(conn, namespace_id, passages, counts)
    return [str(source.id) for source in sources]

"""Background work that messages make due, marked in the transaction that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from opentelemetry import propagate

from everword.db.pool import Connection
from everword.domain.compaction import CompactionSettings
from everword.domain.records import ConversationRecord
from everword_ingest import store

#: What an append makes due is one of so many jobs of its namespace: few enough that one wake-up serves many appends,
#: and enough that appends seldom wait for each other's.
EMBED_SHARDS = 8


async def schedule_work(
    conn: Connection,
    namespace_id: int,
    conversation: ConversationRecord,
    turns: int,
    compaction: CompactionSettings,
) -> None:
    """Mark as due what new messages of a conversation need; `turns` of them are no automated ones."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    shard = f"shard-{conversation.id.int % EMBED_SHARDS}"
    await store.upsert_job(conn, namespace_id, "embed", shard, carrier)
    await store.schedule_compaction(conn, namespace_id, conversation.id, turns, compaction, carrier)


async def schedule_sentences(
    conn: Connection,
    namespace_id: int,
    conversation: ConversationRecord,
    message_ids: Sequence[UUID],
) -> None:
    """Owe a sentence to tool calls without words. It comes after `schedule_work`: jobs are locked in one order."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    await store.owe_sentences(conn, namespace_id, message_ids)
    shard = f"shard-{conversation.id.int % EMBED_SHARDS}"
    await store.upsert_job(conn, namespace_id, "tool-sentences", shard, carrier)

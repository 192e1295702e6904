"""Write down what is to stay as it is: a memory that calendar summaries never consolidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from opentelemetry import propagate

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.times import local_time
from everword.domain.tokens import ConsistencyToken
from everword.rpc.long_work import beside_loop
from everword.text.analysis import indexed_text
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import message_traits, pack_record
from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY
from everword_ingest import store
from everword_ingest.requests import claim_request
from everword_ingest.scheduling import EMBED_SHARDS

#: What is cut and analysed at once; more is left to a thread.
_FEW_CHARS = 10_000


@dataclass(frozen=True)
class Significant:
    """What is to be kept, in the words in which it is to be remembered."""

    content: str
    title: str = ""
    instance: str = ""
    agent: str = ""
    subject: str = ""
    #: None for the time of the call.
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class Recorded:
    """What was written."""

    summary_id: UUID
    consistency_token: ConsistencyToken
    replayed: bool


async def record_significant(
    database: Database,
    namespace: NamespaceScope,
    significant: Significant,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> Recorded:
    """Store a memory and index it, or find that an equal call did. Raises RequestIdConflict.

    `wake` is called after the commit: there may be work to publish.
    """
    summary_id = new_id()
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(
            conn, namespace.id, request_id, body_hash, message_ids=[summary_id]
        )
        if earlier is None:
            highest = await _write(conn, namespace.id, summary_id, significant)
        else:
            [summary_id] = earlier.message_ids
            highest = await store.highest_passage(conn, namespace.id, [summary_id])
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return Recorded(summary_id, token, replayed=earlier is not None)


async def _write(
    conn: Connection, namespace_id: int, summary_id: UUID, significant: Significant
) -> int:
    """Write the memory and its passages; returns the highest id of a passage."""
    settings = await get_namespace_settings(conn, namespace_id)
    moment = significant.occurred_at or datetime.now(UTC)
    passages = await _build(significant.content, moment, settings)
    parameters = {
        "namespace_id": namespace_id,
        "id": summary_id,
        "content": significant.content,
        "title": significant.title,
        "instance": significant.instance,
        "agent": significant.agent,
        "subject": significant.subject,
        "occurred_at": moment,
        # As contexts count it: four bytes a token.
        "token_count": len(significant.content.encode()) // 4,
    }
    await store.insert_significant(conn, parameters)
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    shard = f"shard-{summary_id.int % EMBED_SHARDS}"
    await store.upsert_job(conn, namespace_id, "embed", shard, carrier)
    scope = {key: parameters[key] for key in ("namespace_id", "agent", "subject")}
    count = len(passages["content"])
    asked = await store.insert_memories(
        conn,
        {
            **scope,
            **passages,
            "kind": MEMORY_KIND_SUMMARY,
            "source_id": [summary_id] * count,
            "instance": [significant.instance] * count,
            "occurred_at": [moment] * count,
            "text_search_config": settings.text_search_config,
        },
    )
    [stored] = await asked.rows()
    return stored.highest


async def _build(content: str, moment: datetime, settings: NamespaceSettings) -> dict[str, Any]:
    """Do what `_passages` does, without holding the event loop for long."""
    if len(content) <= _FEW_CHARS:
        return _passages(content, moment, settings)
    return await beside_loop(_passages, content, moment, settings)


def _passages(content: str, moment: datetime, settings: NamespaceSettings) -> dict[str, Any]:
    """Return the arrays that `insert_memories` takes, for a memory that is of no conversation."""
    local = local_time(moment, ZoneInfo(settings.time_zone))
    traits = message_traits(content)
    passages = split_passages(content)
    count = len(passages)
    return {
        "part": list(range(count)),
        "content": passages,
        "indexed_text": [indexed_text(passage, "", local) for passage in passages],
        "literals": [literals_of(passage) for passage in passages],
        "ranking": [
            pack_record(passage, traits, settings.text_search_config) for passage in passages
        ],
        "conversation_id": None,
        "channel": "",
        "seq": [None] * count,
        "author": [""] * count,
        "role": [0] * count,
        "tags": ["{}"] * count,
        "importance_class": [0] * count,
        "automated": [False] * count,
        "author_names": [],
        **dict.fromkeys(("messages", "turns", "content_bytes"), 0),
    }

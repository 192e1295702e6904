"""Store sentences, and put them into the index, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from opentelemetry import propagate

from everword.db.blocking import Connection
from everword.domain.times import local_time
from everword.text.analysis import indexed_text
from everword.text.literals import literals_of
from everword.text.ranking_record import message_traits, pack_record
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.nodes.store import upsert_embed_job
from everword_compactor.nodes.write import EMBED_SHARDS
from everword_compactor.tools import store
from everword_compactor.tools.model import Sentence, ToolCall


def write_sentences(
    conn: Connection,
    namespace: NodeNamespace,
    calls: Mapping[UUID, ToolCall],
    sentences: Mapping[UUID, Sentence],
) -> None:
    """Keep sentences by their messages, in the place of earlier ones; `calls` holds all of those messages."""
    kept = sorted(store.upsert_sentences(conn, namespace.id, sentences))
    if not kept:
        return
    store.drop_sentence_passages(conn, namespace.id, kept)
    said = {message_id: sentences[message_id].content for message_id in kept}
    store.insert_sentence_passages(conn, _passages(namespace, calls, said))
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    shard = f"shard-{kept[0].int % EMBED_SHARDS}"
    upsert_embed_job(conn, namespace.id, shard, carrier)


def _passages(
    namespace: NodeNamespace, calls: Mapping[UUID, ToolCall], said: Mapping[UUID, str]
) -> dict[str, Any]:
    """Return the arrays that `insert_sentence_passages` takes: one element a sentence."""
    zone = ZoneInfo(namespace.time_zone)
    messages = [calls[message_id] for message_id in said]
    config = namespace.text_search_config
    return {
        "namespace_id": namespace.id,
        "message_ids": list(said),
        "contents": list(said.values()),
        "indexed_texts": [
            indexed_text(text, call.author, local_time(call.occurred_at, zone))
            for text, call in zip(said.values(), messages, strict=True)
        ],
        "literals": [literals_of(text) for text in said.values()],
        # Traits are the message's: a passage says whose it is, not what kind of passage it is.
        "rankings": [
            pack_record(text, message_traits(call.text), config)
            for text, call in zip(said.values(), messages, strict=True)
        ],
        "text_search_config": config,
    }

"""Writes a large append in portions: no statement holds the event loop for long, nor much memory at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from everword.db.pipeline import send_queued
from everword.db.pool import Connection
from everword.domain.records import ConversationRecord
from everword.index.builders import Language
from everword.index.passages import Passage
from everword.index.writer import Counts, add_passages
from everword_ingest import store
from everword_ingest.indexing import PlacedMessage, index_messages, message_columns

#: Messages that are written by one statement, and what they may have on the wire.
_MESSAGES = 250
_BYTES = 512 * 1024


async def insert_messages(
    conn: Connection, scope: dict[str, Any], placed: Sequence[PlacedMessage]
) -> None:
    """Store messages."""
    for portion in _portions(placed):
        await store.insert_messages(conn, {**scope, **message_columns(portion)})
        if portion[-1] is not placed[-1]:
            await send_queued(conn)
            await asyncio.sleep(0)


def _portions(placed: Sequence[PlacedMessage]) -> Iterator[Sequence[PlacedMessage]]:
    begin = size = 0
    for end, entry in enumerate(placed):
        if end > begin and (end - begin >= _MESSAGES or size + entry.message.wire_bytes > _BYTES):
            yield placed[begin:end]
            begin, size = end, 0
        size += entry.message.wire_bytes
    yield placed[begin:]


async def index_all_but_last(
    conn: Connection,
    namespace_id: int,
    conversation: ConversationRecord,
    placed: Sequence[PlacedMessage],
    language: Language,
) -> list[Passage]:
    """Index the passages of messages but for the last portion, which is returned: mostly it is the only one.

    Nothing is counted or locked by it. What locks rows that other writes need comes after it, and takes no time.
    """
    last: list[Passage] = []
    async for portion in index_messages(placed, conversation, language):
        if last:
            config = language.text_search_config
            written = await add_passages(conn, namespace_id, config, last, Counts())
            # Until it is written, what was sent is held; and no more is made than can be written.
            await written.rows()
        last = portion
    return last

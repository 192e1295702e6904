"""Store a stream of batches, each as an append of its own."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.compaction import CompactionSettings
from everword.domain.errors import EverwordError
from everword.domain.tokens import ConsistencyToken
from everword_ingest.messages.append_messages import append_messages
from everword_ingest.messages.model import AppendRequest


@dataclass
class ImportResult:
    """The result of an import."""

    batches: int = 0
    messages_written: int = 0
    messages_existing: int = 0
    #: Covers everything that was imported; None if nothing was.
    consistency_token: ConsistencyToken | None = None


async def import_messages(
    database: Database,
    namespace: NamespaceScope,
    requests: AsyncIterable[AppendRequest],
    compaction: CompactionSettings,
    wake: Callable[[], None],
) -> ImportResult:
    """Append batch by batch. Messages committed before an error stay; the error's metadata has their number."""
    result = ImportResult()
    try:
        async for request in requests:
            appended = await append_messages(database, namespace, request, compaction, wake)
            existed = sum(message.existed for message in appended.messages)
            result.batches += 1
            result.messages_existing += existed
            result.messages_written += len(appended.messages) - existed
            # A batch that was stored before may have lower ids than the batches before it.
            earlier = result.consistency_token
            result.consistency_token = appended.consistency_token.covering(earlier)
    except EverwordError as error:
        if result.messages_written:
            error.metadata["messages_written"] = str(result.messages_written)
        raise
    return result

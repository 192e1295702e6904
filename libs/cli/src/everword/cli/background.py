"""Waiting for background work, with a progress bar."""

from __future__ import annotations

import asyncio

from everword.cli.output import progress
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1.ingest_service_pb2 import INDEXING_STAGE_EMBEDDED, WaitForIndexingRequest
from everword.v1.search_service_pb2 import EmbeddingStats, StatsRequest

#: How often the bar is moved.
POLL_S = 0.3


async def wait_until_embedded(client: Client, token: str, timeout_s: float) -> EmbeddingStats:
    """Wait until everything that a consistency token covers has its vector or a reason, and return how things stand.

    Raises CallError after `timeout_s`; the work goes on.
    """
    request = WaitForIndexingRequest(consistency_token=token, stage=INDEXING_STAGE_EMBEDDED)

    async def wait() -> None:
        await client.ingest_service.WaitForIndexing(request, timeout=timeout_s)

    waiting = asyncio.create_task(wait())
    with progress() as display:
        task = display.add_task("embedding", total=None)
        while not waiting.done():
            stats = await client.search_service.Stats(StatsRequest())
            passages = stats.corpus.passages
            display.update(task, total=passages, completed=passages - stats.embedding.owed)
            await asyncio.wait({waiting}, timeout=POLL_S)
    await waiting
    return (await client.search_service.Stats(StatsRequest())).embedding


async def wait_for_sentences(client: Client, items: int) -> int:
    """Wait until no tool call is owed its sentence, or none is worked on; returns how many are left then.

    `items` is how many became owed.
    """
    service = client.maintenance_service
    with progress() as display:
        task = display.add_task("tool calls put into words", total=items)
        while True:
            queue = await service.QueueStatus(maintenance.QueueStatusRequest(task="tool-sentences"))
            status = await service.CompactionStatus(maintenance.CompactionStatusRequest())
            owed = status.owed_tool_sentences
            # Others may have owed some before.
            display.update(task, total=max(items, owed), completed=max(items, owed) - owed)
            if not owed or not any(each.pending or each.running for each in queue.tasks):
                return int(owed)
            await asyncio.sleep(POLL_S)

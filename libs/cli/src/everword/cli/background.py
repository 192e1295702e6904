"""Waiting for background work, with a progress bar."""

from __future__ import annotations

import asyncio

from everword.cli.output import progress
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1.ingest_service_pb2 import INDEXING_STAGE_EMBEDDED, WaitForIndexingRequest
from everword.v1.search_service_pb2 import GetStatsRequest
from everword.v1.stats_pb2 import EmbeddingStats

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
            stats = await client.search_service.GetStats(GetStatsRequest())
            passages = stats.corpus.passages
            display.update(task, total=passages, completed=passages - stats.embedding.pending)
            await asyncio.wait({waiting}, timeout=POLL_S)
    await waiting
    return (await client.search_service.GetStats(GetStatsRequest())).embedding


async def wait_for_sentences(client: Client, items: int) -> int:
    """Wait until every tool call has its sentence, or none is worked on; returns how many are left then.

    `items` is how many were scheduled.
    """
    service = client.maintenance_service
    with progress() as display:
        task = display.add_task("tool calls put into words", total=items)
        while True:
            queue = await service.GetQueueStatus(
                maintenance.GetQueueStatusRequest(task="tool-sentences")
            )
            status = await service.GetCompactionStatus(maintenance.GetCompactionStatusRequest())
            left = status.backlog.tool_sentences
            # Some may have waited before.
            display.update(task, total=max(items, left), completed=max(items, left) - left)
            if not left or not any(
                each.pending or each.scheduled or each.running for each in queue.tasks
            ):
                return int(left)
            await asyncio.sleep(POLL_S)

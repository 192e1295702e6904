"""Runs background work of the worker processes directly, when a test asks for it."""

from __future__ import annotations

import asyncio
from contextlib import closing

from everword.db.blocking import BlockingDatabase
from everword.domain.settings import NO_SECRET
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun
from everword_embedder.queue.charges import Charging
from everword_embedder.queue.drain import Drain
from everword_embedder.queue.remote import RemoteEmbedder
from everword_embedder.queue.schedule import backfill_generations
from support.stack import Stack


async def embed_everything(stack: Stack) -> None:
    """Compute all pending vectors, also for generations under construction."""
    await asyncio.to_thread(_embed, stack)


def _embed(stack: Stack) -> None:
    database = BlockingDatabase(stack.database.settings("embedder"), "embedder")
    database.open()
    charging = Charging(database)
    with (
        closing(database),
        closing(
            RemoteEmbedder(stack.addresses["embedder"], NO_SECRET, spent=charging.note)
        ) as model,
    ):
        backfill_generations(database)
        job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
        Drain(database, model, charging=charging).run(JobRun(job, lambda: None, lambda: None))

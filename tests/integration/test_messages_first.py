"""Messages are embedded before derived text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.blocking import BlockingDatabase
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun
from everword.v1.ingest_service_pb2 import (
    INDEXING_STAGE_EMBEDDED,
    WaitForIndexingRequest,
)
from everword_embedder.queue import drain as drain_module
from everword_embedder.queue.drain import Drain
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append
from support.compaction import compact
from support.earlier import earlier
from support.stack import Stack

TALK = [
    f"On day {number} we repaired the boat's {part} in the harbour of Sines, and it held."
    for number, part in enumerate(
        ["mast", "rudder", "keel", "sail", "anchor", "engine", "pump", "radio", "hull", "deck"]
    )
]


class RecordingModel:
    """Returns the same vector for every text, and records the order of texts."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        self.batches.append(list(texts))
        return np.ones((len(texts), 384), np.float32)


def drain(stack: Stack) -> list[list[str]]:
    """Make all vectors as a worker does; return the batches in order."""
    model = RecordingModel()
    with closing(BlockingDatabase(stack.database.settings("embedder"), "embedder")) as blocking:
        blocking.open()
        job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
        Drain(blocking, model).run(JobRun(job, lambda: None, lambda: None))
    return model.batches


async def summarize(stack: Stack) -> None:
    """Store ten messages with vectors, and a leaf over them whose vectors are pending."""
    await append(stack, *TALK)
    await embed_everything(stack)
    await asyncio.to_thread(compact, stack.database)


async def test_drain_embeds_messages_of_every_namespace_before_an_older_summary(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With two workers, the second one may embed the summary while the first one embeds the messages.
    monkeypatch.setattr(drain_module, "LANES", 1)
    await make_namespaces(stack, "other")
    await summarize(stack)
    said = ["The ferry leaves at noon.", "The ferry was late."]
    await append(stack, said[0])
    await append(stack, said[1], metadata=within("other"))
    batches = await asyncio.to_thread(drain, stack)
    order = [text for batch in batches for text in batch]
    derived = [text for text in order if text not in said]
    assert derived
    assert set(order[:2]) == set(said)


async def test_drain_embeds_a_summary_at_once_if_no_message_is_pending(stack: Stack) -> None:
    await summarize(stack)
    assert await asyncio.to_thread(drain, stack)
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM embedding_queue").fetchone() == (0,)


async def test_drain_delays_a_summary_by_at_most_a_minute(stack: Stack) -> None:
    await summarize(stack)
    with stack.database.connect() as conn:
        conn.execute(
            f"UPDATE embedding_queue SET enqueued_at = {earlier('enqueued_at', 60)}, "
            f"not_before = {earlier('not_before', 60)}".encode()
        )
    await append(stack, "The ferry leaves at noon.")
    first, *_ = await asyncio.to_thread(drain, stack)
    assert len(first) > 1


async def test_wait_for_indexing_of_an_append_does_not_wait_for_summaries(stack: Stack) -> None:
    await summarize(stack)
    written = await append(stack, "The ferry leaves at noon.")
    with stack.database.connect() as conn:
        # The message has its vector; those of the leaf, which have lower ids, are pending.
        conn.execute(
            "DELETE FROM embedding_queue WHERE not_before <= now()",
        )
        [pending] = conn.execute("SELECT count(*) FROM embedding_queue").fetchone() or (0,)
    assert pending
    await stack.ingest.WaitForIndexing(
        WaitForIndexingRequest(
            consistency_token=written.consistency_token, stage=INDEXING_STAGE_EMBEDDED
        ),
        timeout=5,
    )

"""An import until all of it has vectors, with every worker running, compared with the model alone on the same texts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import CorpusConversation, conversations
from everword.bench.speed.drain import BATCH, RATE, measure_embedding, texts_of
from everword.bench.speed.load import drained, scratch
from everword.bench.speed.row import Floor, Row
from everword.client.kinds import kind_number
from everword.importer import import_records
from everword.transcripts import Entry
from everword.v1.ingest_service_pb2 import (
    INDEXING_STAGE_EMBEDDED,
    ConversationTarget,
    WaitForIndexingRequest,
)

MOST_MESSAGES = 1_000
_STREAM = 6_000_000


@dataclass(frozen=True)
class ImportCost:
    """The cost of an import."""

    seconds: float
    #: Parts of `seconds`: until everything was stored, and from the last vector until a waiting caller was notified.
    stored_s: float
    summarised_s: float
    #: Number of summaries that the other workers had written by then.
    summaries: int


async def measure(bench: BenchStack, scale: int) -> Row:
    """Return the rate at which messages are stored and embedded. Nothing else may wait for the workers."""
    messages = min(MOST_MESSAGES, scale)
    corpus = list(conversations(messages, _STREAM))
    # The first import pays for preparation and is not measured.
    await _imported(bench, list(conversations(BATCH, _STREAM + 1)))
    async with bench.paced(texts=RATE):
        before_s = await measure_embedding(bench, texts_of(corpus))
        done = await _imported(bench, corpus)
        # Its namespace is erased by now: nothing more of it is summed up and embedded.
        after_s = await measure_embedding(bench, texts_of(corpus))
    floor = Floor(2 * messages / (before_s + after_s), "the stub alone, before and after")
    return Row(
        "import_embedded",
        scale,
        messages / done.seconds,
        "messages/s",
        floor,
        {
            "messages": messages,
            "stub_texts_per_s": [round(messages / elapsed, 1) for elapsed in (before_s, after_s)],
            "seconds": round(done.seconds, 3),
            "stored_s": round(done.stored_s, 3),
            "told_ms": round(1000 * done.summarised_s, 3),
            "summaries": done.summaries,
        },
    )


async def _imported(bench: BenchStack, corpus: Sequence[CorpusConversation]) -> ImportCost:
    """Import into a namespace of its own, and wait until all messages are embedded and Everword says so."""
    entries = list(_entries(corpus))
    async with scratch(bench, "import") as (client, name):
        started = time.perf_counter()
        summary = await import_records(client, entries)
        stored = time.perf_counter()
        # The service looks less and less often, up to a second apart: it is asked once there is nothing to wait for.
        await drained(bench, [name], kind=kind_number("message"))
        embedded = time.perf_counter()
        await client.ingest_service.WaitForIndexing(
            WaitForIndexingRequest(
                consistency_token=summary.consistency_token, stage=INDEXING_STAGE_EMBEDDED
            )
        )
        told = time.perf_counter()
        summaries = _summaries(bench, name)
    return ImportCost(told - started, stored - started, told - embedded, summaries)


def _entries(corpus: Sequence[CorpusConversation]) -> Iterator[Entry]:
    for each in corpus:
        for message in each.messages:
            yield Entry(ConversationTarget(key=each.key), message)


def _summaries(bench: BenchStack, namespace: str) -> int:
    with bench.connect() as conn:
        [number] = conn.execute(
            "SELECT count(*) FROM summaries s JOIN namespaces n ON n.id = s.namespace_id WHERE n.name = %s",
            [namespace],
        ).fetchone() or (0,)
    return int(number)

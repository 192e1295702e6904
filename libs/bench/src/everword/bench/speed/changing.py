"""Hybrid searches of a namespace in memory while passages of it are replaced and removed, beside the same in peace."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from uuid import NAMESPACE_URL, UUID, uuid5

import psycopg

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import FIRST, texts
from everword.bench.speed.load import drained
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.searches import ask, search
from everword.bench.speed.sustained import prepare
from everword.bench.speed.timing import Times, closed_loop
from everword.client import Client
from everword.embedded.process import log_path
from everword.index.builders import Language, build_passages
from everword.index.passages import Passage, Source
from everword.index.writer import replace_passages_blocking
from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY

#: What is changed, of all that there is; one half is replaced, the other removed.
SHARE = 0.01
#: How often every query is asked, both with changes and without.
ROUNDS = 2
_STREAM = 7_000_000
#: What the search service logs when it reads a namespace.
_LOADED = "a namespace is brought into memory"


@dataclass(frozen=True)
class Derived:
    """Passages as background work writes them: nothing else is ever replaced or removed."""

    conn: psycopg.Connection
    namespace_id: int
    language: Language
    ids: Sequence[UUID]

    def write(self, ids: Sequence[UUID], passages: Sequence[Passage]) -> None:
        """Put passages in the place of what these sources had; a source without any is removed."""
        with self.conn.transaction():
            self.conn.execute(
                "SELECT set_config('everword.namespace_id', %s, true)", [str(self.namespace_id)]
            )
            config = self.language.text_search_config
            replace_passages_blocking(self.conn, self.namespace_id, config, ids, passages)

    def passages(self, version: int) -> list[list[Passage]]:
        """Return what each source says, in one version of it."""
        said = texts(len(self.ids), _STREAM + version)
        return [
            list(build_passages(Source(id_, MEMORY_KIND_SUMMARY, FIRST), text, self.language))
            for id_, text in zip(self.ids, said, strict=True)
        ]


async def measure(
    bench: BenchStack, client: Client, name: str, scale: int, queries: Sequence[str]
) -> Row:
    """Return the p95 of searches while a share of the namespace changes; `details` has how often it was loaded anew."""
    call = partial(search, client)
    every = list(queries) * ROUNDS
    with _derived(bench, name, max(2, round(SHARE * scale))) as derived:
        await drained(bench, [name])
        await prepare(client, queries)
        before = await closed_loop(call, queries)
        loaded = _loads(bench, derived.namespace_id)
        changing = await _changing(client, every, derived)
        await drained(bench, [name])
        asked = await ask(bench, call, queries)
        reloads = _loads(bench, derived.namespace_id) - loaded
    quiet = Times([*before.each_s, *asked.times.each_s], before.wall_s + asked.times.wall_s)
    details = {
        **changing.details(),
        "quiet": quiet.details(),
        "replaced": len(derived.ids[::2]),
        "removed": len(derived.ids[1::2]),
        "reloads": reloads,
        "from_memory": asked.recording.from_memory(),
    }
    floor = Floor(quiet.ms(0.95), "the same searches without changes, before and after, p95")
    return Row("search_under_changes", scale, changing.ms(0.95), "ms", floor, details)


async def _changing(client: Client, queries: Sequence[str], derived: Derived) -> Times:
    """Search once for each query; beside each search a transaction makes its share of the changes."""
    # Made before, so that no search waits for this process.
    replaced = [
        passages if number % 2 == 0 else []
        for number, passages in enumerate(derived.passages(version=1))
    ]
    each: list[float] = []
    begun = time.perf_counter()
    for number, query in enumerate(queries):
        first, last = (len(replaced) * at // len(queries) for at in (number, number + 1))
        passages = [passage for source in replaced[first:last] for passage in source]
        writing = asyncio.to_thread(derived.write, derived.ids[first:last], passages)
        change = asyncio.create_task(writing) if first < last else None
        started = time.perf_counter()
        await search(client, query)
        each.append(time.perf_counter() - started)
        if change:
            await change
    return Times(each, time.perf_counter() - begun)


@contextmanager
def _derived(bench: BenchStack, namespace: str, number: int) -> Iterator[Derived]:
    """Lend a namespace's own derived passages, which are removed again."""
    # The same ids every time: what a run left that was cut off is replaced.
    ids = [uuid5(NAMESPACE_URL, f"everword:speed:{at}") for at in range(number)]
    with bench.connect() as conn:
        row = conn.execute(
            "SELECT id, text_search_config, time_zone FROM namespaces WHERE name = %s", [namespace]
        ).fetchone()
        assert row is not None
        derived = Derived(conn, row[0], Language(row[1], row[2]), ids)
        derived.write(
            ids, [passage for source in derived.passages(version=0) for passage in source]
        )
        try:
            yield derived
        finally:
            derived.write(ids, [])


def _loads(bench: BenchStack, namespace_id: int) -> int:
    """Return how often the search service has read a namespace since it started."""
    lines = log_path(bench.folder / "logs", "search").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines if _LOADED in line]
    return sum(event["namespace_id"] == namespace_id for event in events)

"""Hybrid searches of a namespace in memory while passages are replaced and removed, compared with a quiet namespace."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import psycopg

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import FIRST, texts
from everword.bench.speed.load import drained
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.searches import ask, search
from everword.bench.speed.sustained_rate import prepare
from everword.bench.speed.timers import Times
from everword.client import Client
from everword.domain.memory_kinds import MemoryKind
from everword.embedded.process import log_path
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import replace_passages_blocking

#: Share of the passages that change; one half is replaced, the other removed.
SHARE = 0.01
#: Largest number of rounds, and smallest number of changes in each. A round makes all queries twice: quietly, then
#: during its changes.
_ROUNDS, _LEAST_PART = 4, 10
#: After each answer, so that writes meet some searches, and some fall between them.
_PAUSE_S = 0.05
_STREAM = 7_000_000
#: Log event of the search service when it loads a namespace.
_LOADED = "cache.namespace_loading"
#: A source and its new passages; empty to remove it.
Change = tuple[UUID, Sequence[IndexedPassage]]


@dataclass(frozen=True)
class DerivedPassages:
    """Passages as background work writes them: nothing else is ever replaced or removed."""

    conn: psycopg.Connection
    namespace_id: int
    language: Language
    ids: Sequence[UUID]

    def write(self, changes: Sequence[Change]) -> None:
        """Make some changes in one transaction."""
        ids = [id_ for id_, _ in changes]
        passages = [passage for _, of_source in changes for passage in of_source]
        with self.conn.transaction():
            self.conn.execute(
                "SELECT set_config('everword.namespace_id', %s, true)", [str(self.namespace_id)]
            )
            replace_passages_blocking(self.conn, self.namespace_id, ids, passages)

    def version(self, number: int) -> list[Change]:
        """Return what all of them say in one version."""
        said = texts(len(self.ids), _STREAM + number)
        return [
            (
                id_,
                list(
                    build_passages(
                        IndexedSource(id_, MemoryKind.SUMMARY, FIRST), text, self.language
                    )
                ),
            )
            for id_, text in zip(self.ids, said, strict=True)
        ]


async def measure(
    bench: BenchStack, client: Client, name: str, scale: int, queries: Sequence[str]
) -> Row:
    """Return the p95 of searches while a share of the namespace changes; details have the number of reloads."""
    quiet, changing = Times([], 0.0), Times([], 0.0)
    with _derived(bench, name, max(2, round(SHARE * scale))) as derived:
        changes = [
            (id_, said if at % 2 else []) for at, (id_, said) in enumerate(derived.version(1))
        ]
        await drained(bench, [name])
        await prepare(client, queries)
        loaded = _loads(bench, derived.namespace_id)
        # In turn: what else the machine does changes from one minute to the next.
        for part in _parts(changes, min(_ROUNDS, max(1, len(changes) // _LEAST_PART))):
            peace = await _searches(client, queries)
            writing = _write(derived, _parts(part, len(queries)), peace.wall_s)
            disturbed = await _search_during(writing, client, queries)
            quiet, changing = _both(quiet, peace), _both(changing, disturbed)
            await drained(bench, [name])
            # This search applies the last changes, so that the next quiet search does not.
            await search(client, queries[0])
        reloads = _loads(bench, derived.namespace_id) - loaded
        asked = await ask(bench, partial(search, client), queries)
    details = {
        **changing.details(),
        "quiet": quiet.details(),
        "replaced": sum(bool(said) for _, said in changes),
        "removed": sum(not said for _, said in changes),
        "reloads": reloads,
        # So that nothing was read again because nothing was there.
        "from_memory": asked.recording.from_memory(),
    }
    floor = Floor(quiet.ms(0.95), "the same searches without changes, p95")
    return Row("search_under_changes", scale, changing.ms(0.95), "ms", floor, details)


async def _searches(client: Client, queries: Sequence[str]) -> Times:
    """Search once for each query, with a pause after each answer."""
    each: list[float] = []
    begun = time.perf_counter()
    for query in queries:
        started = time.perf_counter()
        await search(client, query)
        each.append(time.perf_counter() - started)
        await asyncio.sleep(_PAUSE_S)
    return Times(each, time.perf_counter() - begun)


async def _search_during(
    work: Coroutine[Any, Any, None], client: Client, queries: Sequence[str]
) -> Times:
    """Search while something else is done, and wait until that has ended, too."""
    task = asyncio.create_task(work)
    try:
        return await _searches(client, queries)
    finally:
        await task


async def _write(
    derived: DerivedPassages, parts: Sequence[Sequence[Change]], seconds: float
) -> None:
    """Make changes, one transaction for each part, evenly over `seconds`."""
    begun = time.perf_counter()
    for number, part in enumerate(parts):
        due = begun + seconds * number / len(parts)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await asyncio.to_thread(derived.write, part)


def _parts(changes: Sequence[Change], maximum: int) -> list[Sequence[Change]]:
    """Cut changes into parts of about the same size, none of them empty."""
    number = min(maximum, len(changes))
    bounds = [len(changes) * at // number for at in range(number + 1)] if number else []
    return [changes[first:last] for first, last in pairwise(bounds)]


def _both(first: Times, second: Times) -> Times:
    return Times([*first.each_s, *second.each_s], first.wall_s + second.wall_s)


@contextmanager
def _derived(bench: BenchStack, namespace: str, number: int) -> Iterator[DerivedPassages]:
    """Lend `number` derived passages in a namespace, which are removed at the end."""
    # The ids are always the same, so that leftovers of an interrupted run are replaced.
    ids = [uuid5(NAMESPACE_URL, f"everword:speed:{at}") for at in range(number)]
    with bench.connect() as conn:
        row = conn.execute(
            "SELECT id, text_search_config, time_zone FROM namespaces WHERE name = %s", [namespace]
        ).fetchone()
        assert row is not None
        derived = DerivedPassages(conn, row[0], Language(row[1], row[2]), ids)
        derived.write(derived.version(0))
        try:
            yield derived
        finally:
            derived.write([(id_, []) for id_ in ids])


def _loads(bench: BenchStack, namespace_id: int) -> int:
    """Return how often the search service has read a namespace since it started."""
    lines = log_path(bench.folder / "logs", "search").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines if _LOADED in line]
    return sum(event["namespace_id"] == namespace_id for event in events)

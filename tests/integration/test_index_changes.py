"""The next search sees changes of the index, in memory as in the database, without reloading."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio

from everword.domain.ids import new_id
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import (
    Counts,
    add_passages_blocking,
    close_passages_blocking,
    replace_passages_blocking,
)
from everword.jobs.enqueue import shard, shards
from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MEMORY_KIND_SUMMARY, MemoryFilter
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import asked, reference_search, warm_up, was_in_memory
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest, cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODES = ("LEXICAL", "SEMANTIC", "HYBRID", "TRIGRAM", "REGEX")
WORDS = ("harbour", "ferry", "lamp", "rope", "anchor", "captain", "v1.2.3", "buoy", "tide", "pier")
FILTERS = {
    "all": MemoryFilter(),
    "summaries": MemoryFilter(kinds=[MEMORY_KIND_SUMMARY]),
    "one agent": MemoryFilter(agents=["first"]),
}
SHARDS = shards()
LANGUAGE = Language("english", "UTC")
NOW = datetime.now(UTC)


@dataclass(frozen=True)
class Pair:
    """A stack with a cache, and a search of the same database without one."""

    stack: Stack
    reference: SearchServiceStub

    async def check_equal(self, rng: random.Random) -> list[bool]:
        """Check that both find the same in every mode; return whether the cache answered."""
        in_memory = []
        for mode, name in product(MODES, FILTERS):
            query = "a.*r" if mode == "REGEX" else " ".join(rng.sample(WORDS, 2))
            request = search_request(query, mode, filter=FILTERS[name], page_size=100)
            found, statements = await asked(self.stack.search, request)
            expected = await self.reference.Search(request)
            assert told(found) == told(expected), (mode, name, query)
            if mode in MODES[:3]:
                in_memory.append(was_in_memory(statements))
        return in_memory


def told(response: pb.SearchResponse) -> list[tuple[str, str]]:
    return [(result.memory.id, result.passage) for result in response.results]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(postgres_url: str) -> AsyncIterator[Pair]:
    with cloned(postgres_url) as database:
        async with (
            running_stack(database) as stack,
            reference_search(database, stack.addresses["embedder"]) as reference,
        ):
            await append(stack, *(f"The {word} was here." for word in WORDS))
            with Writer(database, SHARDS[0]) as writer:
                for _ in range(40):
                    writer.add(random.Random(1))
                writer.end(committed=True)
            await embed_everything(stack)
            yield Pair(stack, reference)


@dataclass
class Writer:
    """A writer with one transaction at a time, which changes only its own sources."""

    database: DatabaseUnderTest
    #: The shard of its jobs; writers that share one would wait for each other.
    shard: str
    sources: list[UUID] = field(default_factory=list)
    #: Sources at the beginning of the transaction.
    committed: list[UUID] = field(default_factory=list)

    def __enter__(self) -> Writer:
        self._lent: Any = self.database.connect()
        self.conn: psycopg.Connection = self._lent.__enter__()
        self.conn.autocommit = True
        return self

    def __exit__(self, *error: object) -> None:
        self._lent.__exit__(*error)

    def act(self, rng: random.Random) -> None:
        """Make a random change, in the open transaction or in a new one."""
        acts = [self.add, self.replace, self.remove, self.close]
        rng.choice(acts if self.sources else acts[:1])(rng)

    def add(self, rng: random.Random) -> None:
        self._begin()
        id_ = next(id_ for id_ in iter(new_id, None) if shard(id_) == self.shard)
        self.sources.append(id_)
        add_passages_blocking(self.conn, 1, passages_of(rng, id_), Counts())

    def replace(self, rng: random.Random) -> None:
        self._begin()
        id_ = rng.choice(self.sources)
        replace_passages_blocking(self.conn, 1, [id_], passages_of(rng, id_))

    def remove(self, rng: random.Random) -> None:
        self._begin()
        id_ = rng.choice(self.sources)
        self.sources.remove(id_)
        replace_passages_blocking(self.conn, 1, [id_], [])

    def close(self, rng: random.Random) -> None:
        self._begin()
        some = rng.sample(self.sources, rng.randint(1, min(3, len(self.sources))))
        until = NOW + timedelta(days=rng.choice((-1, 1)))
        limit: Any = {rng.choice(("valid_until", "known_until")): until}
        close_passages_blocking(self.conn, 1, some, **limit)

    def end(self, committed: bool) -> None:
        self.conn.execute("COMMIT" if committed else "ROLLBACK")
        if committed:
            self.committed = list(self.sources)
        self.sources = list(self.committed)

    @property
    def is_open(self) -> bool:
        return self.conn.info.transaction_status != psycopg.pq.TransactionStatus.IDLE

    def _begin(self) -> None:
        if not self.is_open:
            self.conn.execute("BEGIN")
            self.conn.execute("SELECT set_config('everword.namespace_id', '1', true)")


def passages_of(rng: random.Random, id_: UUID) -> list[IndexedPassage]:
    source = IndexedSource(id_, MEMORY_KIND_SUMMARY, NOW, agent=rng.choice(("first", "second")))
    words = " ".join(rng.choices(WORDS, k=rng.randint(3, 8)))
    return list(build_passages(source, f"{words} {rng.randint(0, 9)}.", LANGUAGE))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 6))]
)
async def test_cache_and_database_return_the_same_under_concurrent_writes(
    pair: Pair, seed: int
) -> None:
    """Random writes, replacements, removals and closings in overlapping transactions."""
    rng = random.Random(seed)
    await warm_up(pair.stack)
    in_memory: list[bool] = []
    database = pair.stack.database
    with ExitStack() as open_:
        writers = [open_.enter_context(Writer(database, each)) for each in SHARDS[:3]]
        for _ in range(12):
            for writer in rng.choices(writers, k=3):
                if rng.random() < 0.6:
                    writer.act(rng)
                else:
                    writer.end(committed=rng.random() < 0.8)
            if any(writer.is_open for writer in writers):
                pass  # These would wait for it.
            elif rng.random() < 0.5:
                await append(pair.stack, f"The {rng.choice(WORDS)} again.", session_key=str(seed))
            else:
                await embed_everything(pair.stack)
            in_memory += await pair.check_equal(rng)
        for writer in writers:
            writer.end(committed=True)
        in_memory += await pair.check_equal(rng)
    # No change causes a reload, and no search waits for one.
    assert all(in_memory)


async def test_closed_passage_is_found_until_its_valid_until_time(pair: Pair) -> None:
    """Requests as of an earlier time are answered by the database."""
    rng = random.Random(99)
    await warm_up(pair.stack)
    with Writer(pair.stack.database, SHARDS[0]) as writer:
        writer.add(rng)
        writer.end(committed=True)
        [id_] = writer.sources
        request = search_request("harbour ferry lamp rope anchor captain buoy tide pier", "LEXICAL")
        request.page_size = 100
        assert str(id_) in ids_of(await pair.stack.search.Search(request))
        writer._begin()
        close_passages_blocking(writer.conn, 1, [id_], valid_until=NOW + timedelta(days=1))
        writer.end(committed=True)
        assert str(id_) in ids_of(await pair.stack.search.Search(request))
        writer._begin()
        close_passages_blocking(writer.conn, 1, [id_], valid_until=NOW - timedelta(days=1))
        writer.end(committed=True)
        for stub in (pair.stack.search, pair.reference):
            assert str(id_) not in ids_of(await stub.Search(request))


def ids_of(response: pb.SearchResponse) -> list[str]:
    return [result.memory.id for result in response.results]

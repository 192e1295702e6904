"""The approximate index misses next to nothing of an exact scan's results, with any filter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from everword.v1.memory_pb2 import MemoryFilter
from everword_search.passages.store import SQL
from everword_search.passages.vectors import EXACT_PASSAGES
from everword_search.retrieval.arms import semantic
from support.corpus import search_request
from support.databases import DatabaseUnderTest, cloned
from support.running_stack import embed_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
DIMENSIONS = 48
#: More than twice the limit of exact scans, so that half of it is searched with the index, too.
CROWD = 22_000
TOPICS = 40
QUERIES = 20
K = 10


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    normalised: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return normalised


class Topics(ScriptedEmbedder):
    """A model whose texts lie around topics, as with real models; queries lie near one of the first ten topics."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self._random = np.random.default_rng(11)
        self.centres = unit(self._normal(TOPICS))

    def _normal(self, count: int) -> NDArray[np.float32]:
        return self._random.standard_normal((count, self.dimensions)).astype(np.float32)

    def crowd(self) -> NDArray[np.float32]:
        """Return a vector for each memory; number n belongs to topic n mod TOPICS."""
        noise = 0.8 * self._normal(CROWD) / np.sqrt(self.dimensions)
        return unit(self.centres[np.arange(CROWD) % TOPICS] + noise)

    def vector(self, text: str) -> NDArray[np.float32]:
        seed = int(text.removeprefix("query ")) if text.startswith("query ") else 0
        noise = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return unit(self.centres[seed % 10] + 0.8 * noise / np.sqrt(self.dimensions))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def crowded(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database, Topics().running() as model:
        assert isinstance(model, Topics)
        fill(database, model.crowd(), embed_with(database, model))
        async with running_stack(database) as stack:
            yield stack


def fill(database: DatabaseUnderTest, vectors: NDArray[np.float32], generation: int) -> None:
    """Store a memory for each vector as the owner, since embedding them would take minutes."""
    with database.connect() as conn:
        conn.execute(
            """
            INSERT INTO memories (namespace_id, id, kind, source_id, agent, subject, occurred_at, content, lexemes,
                                  lexeme_count)
            SELECT 1, n, 1, gen_random_uuid(),
                   CASE WHEN n / %(topics)s %% 2 = 0 THEN 'half' WHEN n / %(topics)s %% 20 = 1 THEN 'rare' ELSE '' END,
                   'topic ' || (n - 1) %% %(topics)s, now() - make_interval(secs => n), 'memory ' || n, '', 0
              FROM generate_series(1, %(crowd)s) AS n
            """,
            {"topics": TOPICS, "crowd": CROWD},
        )
        # No relevance threshold: the ten nearest are compared, however far they are.
        conn.execute("UPDATE model_generations SET background_mean = -1, background_deviation = 0")
        copy = f"COPY memory_vectors_{generation} (namespace_id, memory_id, embedding) FROM STDIN"
        with conn.cursor().copy(copy.encode()) as rows:
            for number, vector in enumerate(vectors.tolist(), start=1):
                rows.write_row((1, number, str(vector)))
        conn.execute("ANALYZE")


@contextmanager
def scanning(exact_passages: int) -> Iterator[None]:
    """Search with the index above `exact_passages` passages, even if the planner would prefer another plan."""
    prepare = SQL["prepare_hnsw"]
    unsorted = f"{prepare.sql.rstrip(';')}, set_config('enable_sort', 'off', true)"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(semantic, "EXACT_PASSAGES", exact_passages)
        patch.setitem(SQL, "prepare_hnsw", replace(prepare, sql=unsorted))
        yield


async def found(stack: Stack, query: int, only: MemoryFilter) -> set[str]:
    request = search_request(f"query {query}", "SEMANTIC", filter=only, page_size=K)
    response = await stack.search.Search(request)
    return {result.memory.content for result in response.results}


@pytest.mark.parametrize(
    ("only", "exact_passages"),
    [
        (MemoryFilter(), EXACT_PASSAGES),
        (MemoryFilter(agents=["half"]), EXACT_PASSAGES),
        # Fewer passages are scanned exactly; the index's recall for them matters in larger memories.
        (MemoryFilter(agents=["rare"]), 0),
        (MemoryFilter(subjects=[f"topic {n}" for n in range(10)]), 0),
        (MemoryFilter(subjects=[f"topic {n}" for n in range(30, 40)]), 0),
        (MemoryFilter(agents=["rare"], subjects=[f"topic {n}" for n in range(0, 40, 2)]), 0),
    ],
    ids=["all", "half", "a twentieth", "near", "far", "a fortieth"],
)
async def test_approximate_index_recall_is_at_least_95_percent(
    crowded: Stack, only: MemoryFilter, exact_passages: int
) -> None:
    shares = []
    for query in range(QUERIES):
        with scanning(CROWD):
            exact = await found(crowded, query, only)
        with scanning(exact_passages):
            approximate = await found(crowded, query, only)
        assert len(exact) == K
        shares.append(len(exact & approximate) / K)
    assert np.mean(shares) >= 0.95, shares

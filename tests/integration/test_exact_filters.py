"""Search by meaning with a filter returns the same results as a comparison of every vector."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest
import pytest_asyncio

from everword.internal.v1 import embedder_service_pb2
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = [pytest.mark.asyncio(loop_scope="module")]

QUERY = "Where did we put the keys of the boat?"
#: Passages, all in messages of conversations of a hundred. The first of them are far from the query.
PASSAGES, FAR, IN_CONVERSATION = 13_000, 10_500, 100
WANTED = 20
ADDRESS = "viking://default/conversations"


@dataclass(frozen=True)
class World:
    stack: Stack
    #: Cosine of each passage with the query, as stored.
    cosines: np.ndarray[Any, np.dtype[np.float64]]

    async def found(self, **fields: Any) -> list[int]:
        """Return the numbers of the passages found with a filter, best first."""
        request = pb.SearchRequest(
            query=QUERY,
            mode=pb.SEARCH_MODE_SEMANTIC,
            page_size=WANTED,
            filter=memory_pb2.MemoryFilter(**fields),
            # Goes to the database and not to the copy in memory.
            explain=True,
        )
        response = await self.stack.search.Search(request)
        return [UUID(each.memory.id).int for each in response.results]

    def exact(self, numbers: list[int]) -> list[int]:
        """Return the numbers of the nearest passages among `numbers`, best first."""
        return sorted(numbers, key=lambda number: -self.cosines[number])[:WANTED]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(postgres_url: str) -> AsyncIterator[World]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            request = embedder_service_pb2.EmbedRequest(
                texts=[QUERY], priority=embedder_service_pb2.EMBED_PRIORITY_QUERY
            )
            response = await stack.embedder.Embed(request)
            query = np.frombuffer(response.vectors[0], "<f4").astype(float)
            vectors = _vectors(query / np.linalg.norm(query))
            with database.connect() as conn:
                _fill(conn, vectors)
            stored = vectors.astype(np.float16).astype(float)
            asked = query.astype(np.float16).astype(float)
            lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(asked)
            yield World(stack, stored @ asked / lengths)


def _vectors(query: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, Any]:
    """Return vectors with cosines from .3 to .5 for the far passages, and from .55 to .8 for the others.

    Otherwise they differ in a few directions, as texts do: if vectors differ in all, a vector index finds little.
    """
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(8, len(query)))
    directions -= np.outer(directions @ query, query)
    aside = rng.normal(size=(PASSAGES, 8)) @ directions
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    cosines = rng.uniform(0.55, 0.8, PASSAGES)
    cosines[:FAR] = rng.uniform(0.3, 0.5, FAR)
    found: np.ndarray[Any, Any] = (
        np.outer(cosines, query) + np.sqrt(1 - cosines**2)[:, None] * aside
    )
    return found


def _fill(conn: psycopg.Connection, vectors: np.ndarray[Any, Any]) -> None:
    conn.execute(
        "INSERT INTO conversations (namespace_id, id, session_key, agent, task_id) "
        "SELECT 1, lpad(to_hex(n), 32, '0')::uuid, 's' || n, CASE WHEN n < %s THEN 'far' ELSE 'near' END, "
        "       'issue-' || n %% 40 FROM generate_series(0, %s) AS n",
        [FAR // IN_CONVERSATION, PASSAGES // IN_CONVERSATION - 1],
    )
    conn.execute(
        "INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, occurred_at) "
        "SELECT 1, lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n / %(size)s), 32, '0')::uuid, n %% %(size)s + 1, 2, "
        "       'The ropes and the fenders of berth ' || n || ' lie in the locker beside the harbour office.', now() "
        "  FROM generate_series(0, %(last)s) AS n",
        {"size": IN_CONVERSATION, "last": PASSAGES - 1},
    )
    conn.execute(
        "INSERT INTO memories (namespace_id, id, kind, source_id, conversation_id, seq, agent, role, tags, "
        "                      occurred_at, content, lexemes, lexeme_count) "
        "SELECT m.namespace_id, ('x' || right(m.id::text, 8))::bit(32)::bigint + 1, 1, m.id, m.conversation_id, m.seq, "
        "       c.agent, 2, CASE WHEN m.seq %% 20 = 0 THEN ARRAY['berth'] ELSE '{}' END, m.occurred_at, m.content, "
        "       to_tsvector('english', m.content), 9 "
        "  FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.namespace_id = 1".replace(
            "%%", "%"
        )
    )
    conn.execute("INSERT INTO corpus_counts (namespace_id, passages) VALUES (1, %s)", [PASSAGES])
    conn.execute("DROP INDEX memory_vectors_1_embedding_idx")
    copy = "COPY memory_vectors_1 (namespace_id, memory_id, embedding) FROM STDIN (FORMAT BINARY)"
    header = struct.pack(">hh", vectors.shape[1], 0)
    with conn.cursor().copy(copy.encode()) as rows:
        # The bytes of a halfvec, as pgvector reads them.
        rows.set_types(["int8", "int8", "bytea"])
        for number, vector in enumerate(vectors.astype(">f2")):
            rows.write_row((1, number + 1, header + vector.tobytes()))
    conn.execute("SELECT index_vectors(1)")
    conn.execute("ANALYZE memories, memory_vectors_1, conversations, messages")


def numbers_of(*conversations: int) -> list[int]:
    return [
        number
        for conversation in conversations
        for number in range(conversation * IN_CONVERSATION, (conversation + 1) * IN_CONVERSATION)
    ]


def tagged(numbers: list[int]) -> list[int]:
    return [number for number in numbers if (number % IN_CONVERSATION + 1) % 20 == 0]


OF_TASK = numbers_of(7, 47, 87, 127)
ALL, FAR_ONES = list(range(PASSAGES)), list(range(FAR))
CASES: list[tuple[dict[str, Any], list[int]]] = [
    ({"address_prefix": f"{ADDRESS}/{UUID(int=7)}"}, numbers_of(7)),
    ({"task_ids": ["issue-7"]}, OF_TASK),
    ({"tags": ["berth"]}, tagged(ALL)),
    ({"task_ids": ["issue-7"], "tags": ["berth"]}, tagged(OF_TASK)),
    ({"task_ids": ["issue-7"], "address_prefix": f"{ADDRESS}/{UUID(int=47)}"}, numbers_of(47)),
    ({"tags": ["berth"], "address_prefix": f"{ADDRESS}/{UUID(int=7)}/messages"}, tagged(numbers_of(7))),
    ({"agents": ["far"], "tags": ["berth"]}, tagged(FAR_ONES)),
    # More passages than are compared at once: the vector index is tried first, and finds none of them.
    ({"agents": ["far"]}, FAR_ONES),
    ({"agents": ["far"], "address_prefix": ADDRESS}, FAR_ONES),
]  # fmt: skip


async def test_filtered_search_equals_comparison_of_every_vector(world: World) -> None:
    for fields, numbers in CASES:
        assert await world.found(**fields) == world.exact(numbers), fields

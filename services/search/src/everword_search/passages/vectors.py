"""Statements over vectors as typed functions. Each model generation has a table of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array, ArrayParameter, HalfvecParameter, read_array
from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_optional
from everword_search.passages.ranked import Ranked
from everword_search.passages.store import NOTHING, SQL, RankedRow, Scope
from everword_search.records.store import namespaced

#: A scope of more passages is searched through the HNSW index; exact scans of fewer are faster, and miss nothing.
EXACT_PASSAGES = 10_000
#: Passages that are taken from the index: a third more than memories are wanted, since several may be of one, and
#: enough for the graph to be walked in breadth. A quarter more are in sight, for some do not pass the filter: to go on
#: takes as long as to begin.
MIN_TAKEN = 200
#: pgvector keeps no more.
MAX_IN_SIGHT = 1000
# What precedes the elements in Postgres' binary form of an array of one dimension.
_ARRAY_HEADER_BYTES = 20
_ARRAY_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f4")])


@dataclass(frozen=True)
class GenerationRow:
    """The facts about a model generation that a search needs, or about what needs none: that has no id."""

    id: int | None
    state: str
    #: `halfvec` or `array`.
    storage: str
    #: None for what needs no model.
    dimensions: int | None
    background_mean: float | None
    background_deviation: float | None
    #: The name that shipped calibrations know the model by.
    model: str | None
    #: The calibration that was stored for a profile; None where there is none.
    evidence: list[float] | None
    relevance: list[float] | None
    floor: float | None


@dataclass(frozen=True)
class VectorRow:
    """A memory found by its vector."""

    passage_id: int
    source_id: UUID
    raw: float
    score: float


@dataclass(frozen=True)
class _ComparedRow(RankedRow):
    """Memories of a small scope, or that it is a large one."""

    is_large: bool


@dataclass(frozen=True)
class _CosinesRow:
    """The likeness of passages to the query, a column each."""

    passage_ids: bytes
    cosines: bytes


@dataclass(frozen=True)
class PassageArrayRow:
    """A passage's vector in Postgres' binary form of an array."""

    passage_id: int
    embedding: bytes


@dataclass(frozen=True)
class ArrayRow:
    """A passage's vector in Postgres' binary form of an array."""

    passage_id: int
    source_id: UUID
    embedding: bytes


def array_of(binary: bytes) -> npt.NDArray[np.float32]:
    """Return a real[] from its binary form."""
    elements = np.frombuffer(binary, dtype=_ARRAY_ELEMENT, offset=_ARRAY_HEADER_BYTES)
    return elements["value"].astype(np.float32)


async def find_exact(
    conn: Connection, scope: Scope, generation_id: int, parameters: dict[str, Any], most: int
) -> Ranked | None:
    """Compare every vector of a scope; return None, and compare none, where it has more than `most` passages."""
    statement = SQL["find_semantic_exact"].of_generation(generation_id)
    asked = {**scope.parameters, **parameters, "most": most}
    found = await fetch_optional(conn, statement, asked, _ComparedRow)
    assert found is not None
    return None if found.is_large else found.ranked()


async def find_approximate(
    conn: Connection, scope: Scope, generation_id: int, parameters: dict[str, Any]
) -> Ranked:
    taken = max(parameters["limit"] * 4 // 3, MIN_TAKEN)
    await execute(conn, SQL["prepare_hnsw"], {"in_sight": str(min(taken * 5 // 4, MAX_IN_SIGHT))})
    statement = SQL["find_semantic_hnsw"].of_generation(generation_id)
    asked = {**scope.parameters, **parameters, "taken": taken}
    found = await fetch_optional(conn, statement, asked, RankedRow)
    return found.ranked() if found else NOTHING


async def score_vectors(
    conn: Connection,
    scope: Scope,
    generation_id: int,
    source_ids: Sequence[UUID],
    parameters: dict[str, Any],
) -> list[VectorRow]:
    statement = SQL["score_semantic"].of_generation(generation_id)
    given = {**scope.parameters, **parameters, "source_ids": list(source_ids)}
    return await fetch_all(conn, statement, given, VectorRow)


async def read_arrays(
    conn: Connection,
    scope: Scope,
    generation_id: int,
    source_ids: Sequence[UUID] | None = None,
) -> list[ArrayRow]:
    """Return the vectors of a scope, or of some memories in it."""
    statement = SQL["read_arrays"].of_generation(generation_id)
    given = None if source_ids is None else list(source_ids)
    return await fetch_all(conn, statement, {**scope.parameters, "source_ids": given}, ArrayRow)


async def score_passages(
    conn: Connection,
    namespace_id: int,
    generation_id: int,
    passage_ids: Array,
    vector: HalfvecParameter,
) -> Array:
    """Return the cosine of each of the passages; NaN for those that have no vector."""
    statement = SQL["score_passages"].of_generation(generation_id)
    parameters = {
        **namespaced(namespace_id),
        "passage_ids": ArrayParameter(passage_ids),
        "vector": vector,
    }
    found = await fetch_optional(conn, statement, parameters, _CosinesRow)
    assert found is not None
    known, cosines = read_array(found.passage_ids, "i8"), read_array(found.cosines, "f8")
    order = np.argsort(passage_ids)
    scored = np.full(len(passage_ids), np.nan)
    scored[order[np.searchsorted(passage_ids, known, sorter=order)]] = cosines
    return scored


async def read_passage_arrays(
    conn: Connection, namespace_id: int, generation_id: int, passage_ids: Array
) -> list[PassageArrayRow]:
    statement = SQL["read_passage_arrays"].of_generation(generation_id)
    parameters = {**namespaced(namespace_id), "passage_ids": ArrayParameter(passage_ids)}
    return await fetch_all(conn, statement, parameters, PassageArrayRow)


@dataclass(frozen=True, eq=False)
class QueryVector:
    """A query's vector, and the model generation whose vectors it can be compared with."""

    generation_id: int
    #: float32, of length 1.
    values: npt.NDArray[np.float32]


class QueryNotEmbedded(Exception):
    """There is no vector for the query; the message says why."""

    def __init__(self, reason: str, *, expected: bool = False) -> None:
        super().__init__(reason)
        #: Whether nothing failed: this deployment has no embedder, or the query gives it nothing to do.
        self.expected = expected

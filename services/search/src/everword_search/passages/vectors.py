"""The statements on vectors as typed functions. Each model generation has a table of its own."""

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
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.passages.store import SQL, RankedRow, Scope
from everword_search.records.store import namespaced

#: Larger scopes are searched with the HNSW index; for smaller ones an exact scan is faster and misses nothing.
EXACT_PASSAGES = 10_000
#: Larger scopes are not compared either if the index finds too little in them.
MOST_COMPARED = 50_000
#: The nearest vectors of a namespace among which a scan of the index looks for those of the scope: 2,000 take at most
#: 60 ms. Comparing a scope of 10,000 to 30,000 passages takes 70 to 220 ms and misses nothing. Larger scopes have no
#: other way. A limit on the rows that pgvector visits would not do: at its end, it returns visited rows, near or far.
VISITED, VISITED_AT_MOST = 2_000, 40_000
#: Minimum number of passages taken from the index. It takes a third more than the requested memories, since several
#: passages may belong to one memory. `ef_search` is a quarter higher again, because the filter rejects some and
#: resuming an index scan takes as long as starting it.
MIN_TAKEN = 200
#: The maximum `hnsw.ef_search` of pgvector.
MAX_IN_SIGHT = 1000
# The header before the elements of a one-dimensional array in PostgreSQL's binary form.
_ARRAY_HEADER_BYTES = 20
_ARRAY_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f4")])


@dataclass(frozen=True)
class GenerationRow:
    """A model generation as a search needs it; `id` is None for a calibration without a model."""

    id: int | None
    state: str
    #: `halfvec` or `array`.
    storage: str
    #: None without a model.
    dimensions: int | None
    background_mean: float | None
    background_deviation: float | None
    #: The name of the model in the calibrations shipped with Everword.
    model: str | None
    #: Calibration stored for the profile; None if there is none.
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
    """Memories of a small scope, or the flag that the scope is large."""

    is_large: bool


@dataclass(frozen=True)
class _IndexedRow(RankedRow):
    """Memories found with the index."""

    #: False if the scan ended before it found enough passages of the scope.
    is_complete: bool


@dataclass(frozen=True)
class _CosinesRow:
    """Passages with their cosines to the query, as columns."""

    passage_ids: bytes
    cosines: bytes


@dataclass(frozen=True)
class PassageArrayRow:
    """The vector of a passage as a PostgreSQL array in binary form."""

    passage_id: int
    embedding: bytes


@dataclass(frozen=True)
class ArrayRow:
    """The vector of a passage with its memory, as a PostgreSQL array in binary form."""

    passage_id: int
    source_id: UUID
    embedding: bytes


def array_of(binary: bytes) -> npt.NDArray[np.float32]:
    """Return the elements of a one-dimensional real[] in binary form."""
    elements = np.frombuffer(binary, dtype=_ARRAY_ELEMENT, offset=_ARRAY_HEADER_BYTES)
    return elements["value"].astype(np.float32)


async def find_exact(
    conn: Connection, scope: Scope, generation_id: int, parameters: dict[str, Any], maximum: int
) -> RankedMemories | None:
    """Compare the query with every vector of a scope.

    Return None, without comparing, if the scope has more than `maximum` passages.
    """
    statement = SQL["find_semantic_exact"].of_generation(generation_id)
    asked = {**scope.parameters, **parameters, "most": maximum}
    found = await fetch_optional(conn, statement, asked, _ComparedRow)
    assert found is not None
    return None if found.is_large else found.ranked()


async def find_approximate(
    conn: Connection, scope: Scope, generation_id: int, parameters: dict[str, Any], visited: int
) -> tuple[RankedMemories, bool]:
    """Return memories found with the index, and whether it found enough passages of the scope.

    It does not if most of the `visited` vectors nearest to the query belong to other scopes or namespaces.
    """
    taken = max(parameters["limit"] * 4 // 3, MIN_TAKEN)
    in_sight = min(taken * 5 // 4, MAX_IN_SIGHT)
    await execute(conn, SQL["prepare_hnsw"], {"in_sight": str(in_sight)})
    statement = SQL["find_semantic_hnsw"].of_generation(generation_id)
    asked = {**scope.parameters, **parameters, "taken": taken, "visited": visited}
    found = await fetch_optional(conn, statement, asked, _IndexedRow)
    assert found is not None
    return found.ranked(), found.is_complete


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
    """Return the cosine of each passage; NaN for passages without a vector."""
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
    """The vector of a query, and the model generation that it can be compared with."""

    generation_id: int
    #: float32, normalised to length 1.
    values: npt.NDArray[np.float32]
    #: Mean and standard deviation of its cosines with unrelated passages in English; None for the generation's.
    background: tuple[float, float] | None = None
    #: The same for passages in other languages; None if these do not differ.
    other_languages: tuple[float, float] | None = None
    #: Cosine from which passages count as similar; None for that of the backgrounds.
    floor: float | None = None


class QueryNotEmbedded(Exception):
    """The query has no vector; the message gives the reason."""

    def __init__(self, reason: str, *, expected: bool = False) -> None:
        super().__init__(reason)
        #: True if nothing failed: the deployment has no embedder, or the query has nothing to embed.
        self.expected = expected

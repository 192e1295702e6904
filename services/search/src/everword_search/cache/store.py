"""The statements that read passages for the cache as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array, ArrayParameter, read_array
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    fetch_optional,
    fetch_values,
    load_statements,
)
from everword.text.ranking_record import Records, unpack_records
from everword_search.kernels.arrays import Floats, Ints
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.cache")
# The header of a one-dimensional array. Each `halfvec` element follows with its length in bytes and its dimensions.
_ARRAY_HEADER_BYTES = 20


@dataclass(frozen=True, eq=False)
class Passages:
    """Passages in order of their ids, as columns with an element per passage. UUIDs are `S16`."""

    ids: Ints
    kinds: Array
    source_ids: Array
    parts: Array
    conversation_ids: Array
    #: -1 for memories without a position in a conversation.
    seqs: Ints
    agents: Sequence[str]
    subjects: Sequence[str]
    channels: Sequence[str]
    instances: Sequence[str]
    authors: Sequence[str]
    roles: Array
    automated: Array
    #: Time of occurrence, in seconds since 1970.
    moments: Array
    #: Document lengths for BM25.
    lengths: Array
    records: Records
    #: True if a passage was stored before records existed.
    lacks_records: bool
    stands_for: Array
    repeats: Array
    #: One element per word and passage: the passage's index from 0, the word's hash, and its occurrences.
    places: Ints
    words: Ints
    occurrences: Array
    #: One element per tag and passage: the passage's index from 0, and the tag.
    tag_places: Ints
    tags: Sequence[str]


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes to passages, other than additions."""

    removed_ids: Ints
    #: Passages whose validity or knowledge is limited now, including added ones, with the limits; see Intervals.
    limited_ids: Ints
    limits: Floats


@dataclass(frozen=True, kw_only=True)
class _LimitsRow:
    """Passages with limited intervals: arrays in binary, None if there are none."""

    limited_ids: bytes | None
    valid_from: bytes | None
    valid_until: bytes | None
    known_from: bytes | None
    known_until: bytes | None
    #: The highest number of a change; 0 if none has a number.
    last_change: int

    def limits(self, removed_ids: bytes | None = None) -> Changes:
        limits = (self.valid_from, self.valid_until, self.known_from, self.known_until)
        return Changes(
            _array(removed_ids, "i8"),
            _array(self.limited_ids, "i8"),
            np.stack([_array(each, "f8") for each in limits], axis=1),
        )


@dataclass(frozen=True, kw_only=True)
class AllPassageIdsRow(_LimitsRow):
    """The ids of all passages of a namespace, in binary, with the limits."""

    ids: bytes


@dataclass(frozen=True, kw_only=True)
class PassagesRow(_LimitsRow):
    """Passages, changes, and the namespace's number of passages: arrays in binary, None if empty."""

    ids: bytes | None
    kinds: bytes | None
    source_ids: bytes | None
    parts: bytes | None
    conversation_ids: bytes | None
    seqs: bytes | None
    agents: list[str] | None
    subjects: list[str] | None
    channels: list[str] | None
    instances: list[str] | None
    authors: list[str] | None
    roles: bytes | None
    automated: bytes | None
    moments: bytes | None
    lengths: bytes | None
    records: list[bytes | None] | None
    stands_for: bytes | None
    repeats: bytes | None
    places: bytes | None
    words: bytes | None
    occurrences: bytes | None
    tag_places: bytes | None
    tags: list[str] | None
    removed_ids: bytes | None
    passages: int
    #: Start of the transaction, in seconds since 1970.
    now: float

    def changes(self) -> Changes:
        return self.limits(self.removed_ids)

    def found(self) -> Passages:
        records = self.records or []
        return Passages(
            _array(self.ids, "i8"),
            _array(self.kinds, "i2"),
            _array(self.source_ids, "S16"),
            _array(self.parts, "i4"),
            _array(self.conversation_ids, "S16"),
            _array(self.seqs, "i8"),
            self.agents or [],
            self.subjects or [],
            self.channels or [],
            self.instances or [],
            self.authors or [],
            _array(self.roles, "i2"),
            _array(self.automated, "?"),
            _array(self.moments, "f8"),
            _array(self.lengths, "i4"),
            unpack_records(records),
            None in records,
            _array(self.stands_for, "i4"),
            _array(self.repeats, "?"),
            _array(self.places, "i8"),
            _array(self.words, "i8"),
            _array(self.occurrences, "i4"),
            _array(self.tag_places, "i8"),
            self.tags or [],
        )


@dataclass(frozen=True)
class _VectorsRow:
    passage_ids: bytes
    vectors: bytes
    pending_ids: bytes


def passages_after(
    namespace_id: int, after: int, but: Ints, limit: int, since: int | None = None
) -> BoundStatement[PassagesRow]:
    """Return the statement that reads at most `limit` passages after an id, except those in `but`.

    It also reads the changes after the number `since`, if given, and those without a number.
    """
    parameters = {
        **namespaced(namespace_id),
        "after": after,
        "but": ArrayParameter(but),
        "limit": limit,
        "since": since,
    }
    return BoundStatement(SQL["read_passages"], parameters, PassagesRow)


@dataclass(frozen=True)
class FoundVectors:
    """Passages that have a vector, these vectors as rows of float16, and passages that wait for one."""

    ids: Ints
    vectors: npt.NDArray[np.float16]
    pending_ids: Ints


async def read_vectors(
    conn: Connection, namespace_id: int, generation_id: int, passage_ids: Ints
) -> FoundVectors:
    statement = SQL["read_vectors"].of_generation(generation_id)
    parameters = {**namespaced(namespace_id), "passage_ids": ArrayParameter(passage_ids)}
    found = await fetch_optional(conn, statement, parameters, _VectorsRow)
    assert found is not None
    ids = read_array(found.passage_ids, "i8")
    return FoundVectors(
        ids, _halfvecs(found.vectors, len(ids)), read_array(found.pending_ids, "i8")
    )


async def read_everything(conn: Connection, namespace_id: int) -> tuple[Ints, AllPassageIdsRow]:
    """Return all passage ids of a namespace, ascending, and a row with the intervals of those limited in time."""
    found = await fetch_optional(
        conn, SQL["read_everything"], namespaced(namespace_id), AllPassageIdsRow
    )
    assert found is not None
    return read_array(found.ids, "i8"), found


async def active_namespaces(conn: Connection, namespace_ids: Sequence[int]) -> set[int]:
    """Return which of the namespaces exist and are not being erased."""
    parameters = {"namespace_ids": list(namespace_ids)}
    return set(await fetch_values(conn, SQL["active_namespaces"], parameters))


def _array(binary: bytes | None, element: str) -> Array:
    return np.zeros(0, element) if binary is None else read_array(binary, element)


def _halfvecs(binary: bytes, count: int) -> npt.NDArray[np.float16]:
    """Return a binary array of `halfvec` as rows; all have the same number of dimensions."""
    if not count:
        return np.zeros((0, 0), np.float16)
    size = (len(binary) - _ARRAY_HEADER_BYTES) // count
    element = np.dtype([("head", "S8"), ("values", ">f2", ((size - 8) // 2,))])
    framed = np.frombuffer(binary, element, offset=_ARRAY_HEADER_BYTES)
    return framed["values"].astype(np.float16)

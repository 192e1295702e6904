"""The statements that read ranking candidates, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from everword.db.arrays import Array, ArrayParameter, read_array
from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional
from everword.text.lexemes import analyse
from everword.text.ranking_record import Records, message_traits, pack_record, unpack_records
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.store import SQL, Scope
from everword_search.records.store import namespaced


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages of found memories and of neighbouring turns, as columns with an element per passage.

    Ordered by thread, then by sequence number, then by part of the memory.
    """

    passage_ids: Ints
    #: `S16`; see `everword.db.arrays`.
    source_ids: Array
    #: Identifies the conversation of a turn; a memory outside conversations is a thread of its own.
    threads: Array
    #: `S16`; empty for memories without a conversation. None if the candidates come from the cache; see `rows`.
    conversation_ids: Array | None
    seqs: Ints
    #: Indices of the authors in `author_names`.
    authors: Ints
    author_names: Sequence[str]
    roles: Array
    #: Time of occurrence, in seconds since 1970.
    moments: Floats
    records: Records
    #: Number of messages below a summary; 1 for other kinds.
    stands_for: Ints
    #: True for a summary that only quotes its messages word for word.
    repeats: Array
    #: True if an arm returned the passage; False for neighbours.
    found: Array
    #: True if the passage passes the search's filter.
    wanted: Array
    #: Rows in the cached namespace; None if the database returned the candidates.
    rows: Ints | None = None


@dataclass(frozen=True)
class _CandidatesRow:
    """The columns of `Candidates`; arrays are in binary."""

    passage_ids: bytes
    source_ids: bytes
    threads: bytes
    conversation_ids: bytes
    seqs: bytes
    authors: list[str]
    roles: bytes
    moments: bytes
    #: The text record; None if the passage was stored before records existed, and `contents` then has its text.
    records: list[bytes | None]
    contents: list[str | None]
    stands_for: bytes
    repeats: bytes
    wanted: bytes


@dataclass(frozen=True)
class MentionRow:
    """A word of the query that occurs in a conversation."""

    #: Index of the word in the request.
    word: int
    conversation_id: UUID


async def read_candidates(
    conn: Connection, scope: Scope, config: str, found: Ints, parameters: dict[str, Any]
) -> Candidates | None:
    """Return the candidates that exist; None if there are none.

    `config` is the namespace's text search configuration; `found` are the ids of passages that arms returned,
    ascending.
    """
    asked = {**scope.parameters, "passage_ids": ArrayParameter(found), **parameters}
    row = await fetch_optional(conn, SQL["read_candidates"], asked, _CandidatesRow)
    if row is None:
        return None
    records = [
        record or _record(content or "", config)
        for record, content in zip(row.records, row.contents, strict=True)
    ]
    passage_ids = read_array(row.passage_ids, "i8")
    names = {name: number for number, name in enumerate(dict.fromkeys(row.authors))}
    return Candidates(
        passage_ids,
        read_array(row.source_ids, "S16"),
        read_array(row.threads, "S16"),
        read_array(row.conversation_ids, "S16"),
        read_array(row.seqs, "i8"),
        np.array([names[author] for author in row.authors], np.int64),
        list(names),
        read_array(row.roles, "i2"),
        read_array(row.moments, "f8"),
        unpack_records(records),
        read_array(row.stands_for, "i8"),
        read_array(row.repeats, "?"),
        np.isin(passage_ids, found),
        read_array(row.wanted, "?"),
    )


def _record(text: str, config: str) -> bytes:
    """Return the record of a passage stored before records existed.

    Its traits are computed from the passage's own text.
    """
    return pack_record(text, message_traits(text), config)


async def find_mentions(
    conn: Connection,
    namespace_id: int,
    config: str,
    words: Sequence[str],
    conversation_ids: Sequence[UUID],
) -> list[MentionRow]:
    parameters = {
        **namespaced(namespace_id),
        "queries": [analyse(word, config).phrase for word in words],
        "conversation_ids": list(conversation_ids),
    }
    return await fetch_all(conn, SQL["find_mentions"], parameters, MentionRow)

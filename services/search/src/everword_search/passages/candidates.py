"""The ranking's statements as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from everword.db.arrays import Array, ArrayParameter, read_array
from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional
from everword.text.ranking_record import Records, message_traits, pack_record, unpack_records
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.store import SQL, Scope
from everword_search.records.store import namespaced


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages of memories that were found, and of turns near them: a column each, an element a passage.

    They come in the order of threads, of sequence in each, and of parts in each memory.
    """

    passage_ids: Ints
    #: `S16`; see `everword.db.arrays`.
    source_ids: Array
    #: What stands for the conversation of a turn; what has no place in one is a thread by itself.
    threads: Array
    #: `S16`; empty for what has none. None where they are in memory, by `rows`.
    conversation_ids: Array | None
    seqs: Ints
    #: Who said it: places in `author_names`.
    authors: Ints
    author_names: Sequence[str]
    roles: Array
    #: When it occurred, in seconds since 1970.
    moments: Floats
    records: Records
    #: How many messages are below a summary; 1 for anything else.
    stands_for: Ints
    #: Whether it is a summary that says nothing but what its messages say word for word.
    repeats: Array
    #: Whether an arm found the passage.
    found: Array
    #: Whether the search's filter lets the passage through.
    wanted: Array
    #: Where they are in memory; None where the database read them.
    rows: Ints | None = None


@dataclass(frozen=True)
class _CandidatesRow:
    """The columns of candidates, arrays in binary."""

    passage_ids: bytes
    source_ids: bytes
    threads: bytes
    conversation_ids: bytes
    seqs: bytes
    authors: list[str]
    roles: bytes
    moments: bytes
    #: None where it was stored before there were records, and then there is a content.
    records: list[bytes | None]
    contents: list[str | None]
    stands_for: bytes
    repeats: bytes
    wanted: bytes


@dataclass(frozen=True)
class MentionRow:
    """A word that occurs in a conversation."""

    #: Which one of those asked for, from 0.
    word: int
    conversation_id: UUID


async def read_candidates(
    conn: Connection, scope: Scope, config: str, found: Ints, parameters: dict[str, Any]
) -> Candidates | None:
    """Return the candidates that exist; None without any.

    `config` is the namespace's text search configuration, `found` are the passages that arms found, ascending.
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
    """Return the record of a passage that was stored before there were any; its traits are the passage's own."""
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
        "config": config,
        "words": list(words),
        "conversation_ids": list(conversation_ids),
    }
    return await fetch_all(conn, SQL["find_mentions"], parameters, MentionRow)

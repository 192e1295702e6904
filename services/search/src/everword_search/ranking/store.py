"""The ranking's statements as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.db.arrays import Array, read_array
from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional
from everword_search.ranking.arrays import Floats, Ints
from everword_search.store import SQL, Scope, namespaced


@dataclass(frozen=True, eq=False)
class Candidates:
    """Passages of memories that were found, and of turns near them: a column each, an element a passage.

    They come in the order of threads, of sequence in each, and of parts in each memory. UUIDs are `S16`; see
    `everword.db.arrays`.
    """

    passage_ids: Ints
    source_ids: Array
    #: The conversation of a turn; what has no place in one is a thread by itself.
    threads: Array
    #: Empty for what has none.
    conversation_ids: Array
    seqs: Ints
    authors: list[str]
    roles: Array
    #: When it occurred, in seconds since 1970.
    moments: Floats
    #: See `everword.text.ranking_record`; None where it was stored before there were any, and then there is a content.
    records: list[bytes | None]
    contents: list[str | None]
    #: How many messages are below a summary; 1 for anything else.
    stands_for: Ints
    #: Whether it is a summary that says nothing but what its messages say word for word.
    repeats: Array
    #: Whether the search's filter lets the passage through.
    wanted: Array


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
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> Candidates | None:
    """Return the candidates that exist; None without any."""
    asked = {**scope.parameters, **parameters}
    row = await fetch_optional(conn, SQL["read_candidates"], asked, _CandidatesRow)
    if row is None:
        return None
    return Candidates(
        read_array(row.passage_ids, "i8"),
        read_array(row.source_ids, "S16"),
        read_array(row.threads, "S16"),
        read_array(row.conversation_ids, "S16"),
        read_array(row.seqs, "i8"),
        row.authors,
        read_array(row.roles, "i2"),
        read_array(row.moments, "f8"),
        row.records,
        row.contents,
        read_array(row.stands_for, "i8"),
        read_array(row.repeats, "?"),
        read_array(row.wanted, "?"),
    )


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

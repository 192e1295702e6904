"""The ranking's statements as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional
from everword_search.store import SQL, Scope, namespaced


@dataclass(frozen=True)
class Candidates:
    """Passages of memories that were found, and of turns near them: a column each, an element a passage.

    They come in the order of threads, of sequence in each, and of parts in each memory.
    """

    passage_ids: list[int]
    source_ids: list[UUID]
    #: The conversation of a turn; what has no place in one is a thread by itself.
    threads: list[UUID]
    conversation_ids: list[UUID | None]
    seqs: list[int]
    authors: list[str]
    roles: list[int]
    #: When it occurred, in seconds since 1970.
    moments: list[float]
    #: See `everword.text.ranking_record`; None where it was stored before there were any, and then there is a content.
    records: list[bytes | None]
    contents: list[str | None]
    #: How many messages are below a summary; 1 for anything else.
    stands_for: list[int]
    #: Whether it is a summary that says nothing but what its messages say word for word.
    repeats: list[bool]
    #: Whether the search's filter lets the passage through.
    wanted: list[bool]


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
    statement = SQL["read_candidates"]
    return await fetch_optional(conn, statement, {**scope.parameters, **parameters}, Candidates)


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

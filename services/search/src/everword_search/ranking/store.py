"""The ranking's statements as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all
from everword_search.store import SQL, Scope, namespaced


@dataclass(frozen=True)
class CandidateRow:
    """A passage of a memory that was found, or of a turn near one."""

    passage_id: int
    source_id: UUID
    part: int
    conversation_id: UUID | None
    seq: int | None
    #: Whether it has a place in a conversation.
    is_turn: bool
    author: str
    role: int
    occurred_at: datetime
    #: See `everword.text.ranking_record`; None where it was stored before there were any, and then there is `content`.
    ranking: bytes | None
    content: str | None
    #: How many messages are below a summary; 1 for anything else.
    stands_for: int
    #: Whether it is a summary that says nothing but what its messages say word for word.
    repeats: bool
    #: Whether the search's filter lets the passage through.
    wanted: bool


@dataclass(frozen=True)
class MentionRow:
    """A word that occurs in a conversation."""

    #: Which one of those asked for, from 0.
    word: int
    conversation_id: UUID


async def read_candidates(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> list[CandidateRow]:
    statement = SQL["read_candidates"]
    return await fetch_all(conn, statement, {**scope.parameters, **parameters}, CandidateRow)


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

"""Rows of the index, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


# Not frozen: a frozen class takes thrice as long to make, and an append makes one for each message.
@dataclass
class IndexedSource:
    """A memory that is indexed: what all of its passages have in common, and can be filtered by."""

    id: UUID
    #: Values equal proto `MemoryKind`.
    kind: int
    occurred_at: datetime
    conversation_id: UUID | None = None
    #: Its place in the conversation, from 1.
    seq: int | None = None
    agent: str = ""
    subject: str = ""
    channel: str = ""
    instance: str = ""
    author: str = ""
    #: Values equal proto `Role`.
    role: int = 0
    tags: Sequence[str] = ()
    #: Values equal proto `ImportanceClass`.
    importance_class: int = 0
    automated: bool = False


@dataclass(slots=True)
class IndexedPassage:
    """A row of the index: a part of a memory's text, with its search and ranking data."""

    source: IndexedSource
    #: Which passage of its source, from 0; -1 for words that were made for it and are no part of its text.
    part: int
    content: str
    #: The words that it is found by, as the text of a tsvector; see `everword.text.lexemes`.
    lexemes: str
    #: Names of files, versions, addresses and the like; None without any.
    literals: str | None
    #: See `everword.text.ranking_record`.
    ranking: bytes

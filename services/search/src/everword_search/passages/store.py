"""Statements that find passages, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from everword.db.arrays import read_array
from everword.db.pool import Connection
from everword.db.statements import (
    fetch_all,
    fetch_optional,
    load_statements,
)
from everword.v1.memory_pb2 import ROLE_ASSISTANT
from everword_search.passages.ranked import Ranked
from everword_search.records.model import MemoryFilter, end_of_time
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.passages")


@dataclass(frozen=True)
class Scope:
    """The passages that all arms of one search look at."""

    namespace_id: int
    filter: MemoryFilter
    #: A tsquery as text that a passage must match beside what an arm looks for.
    constraint: str | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether nothing is asked to be left out but what is automated."""
        return self.constraint is None and self.filter.is_open

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            **namespaced(self.namespace_id),
            **vars(self.filter),
            "constraint": self.constraint,
        }


@dataclass(frozen=True)
class AnalysedText:
    """A text as text search reads it; empty for stop words."""

    text: str
    lexemes: list[str]
    #: What stands for each lexeme in memory.
    hashes: list[int]
    #: A tsquery as text.
    phrase: str


@dataclass(frozen=True)
class NearWordRow(AnalysedText):
    """A word that is said, and is a letter away from one that is asked for, or that one itself."""

    #: The place of the word that is asked for.
    place: int
    #: Passages that hold it, 100 at most.
    said: int


@dataclass(frozen=True)
class WordsAsked:
    """Words that are asked for, in lower case, and what is a letter away from each."""

    words: Sequence[str]
    #: Of each of `near`, the place of its word in `words`.
    places: Sequence[int]
    near: Sequence[str]


@dataclass(frozen=True)
class RelatedRow:
    """A memory that is related to a node."""

    passage_id: int
    source_id: UUID
    #: How sure the relation is.
    raw: float


@dataclass(frozen=True)
class RankedRow:
    """The memories that a statement found, best first: arrays in binary, an element a memory."""

    passage_ids: bytes
    source_ids: bytes
    raws: bytes
    scores: bytes

    def ranked(self) -> Ranked:
        return Ranked(
            read_array(self.passage_ids, "i8"),
            read_array(self.source_ids, "S16"),
            read_array(self.raws, "f8"),
            read_array(self.scores, "f8"),
        )


NOTHING = Ranked.of([])


@dataclass(frozen=True)
class LexicalRow(RankedRow):
    """Memories found by words, and the statistics of the namespace that their scores rest on."""

    passages: float
    mean_length: float
    #: One for each term that was asked for.
    document_frequencies: list[int]


@dataclass(frozen=True)
class FrequencyRow:
    """The frequency of each term in a passage."""

    passage_id: int
    source_id: UUID
    length: int
    frequencies: list[int]


@dataclass(frozen=True)
class TrigramRow:
    """A memory found by its literals."""

    passage_id: int
    source_id: UUID
    raw: float
    score: float


@dataclass(frozen=True)
class RegexRow:
    """A memory found by a regular expression."""

    passage_id: int
    source_id: UUID
    occurred_at: datetime


@dataclass(frozen=True)
class TimePlaceRow:
    """A memory's place in time."""

    source_id: UUID
    occurred_at: datetime


@dataclass(frozen=True)
class SignalRow:
    """The signals that rank a memory beside its words."""

    source_id: UUID
    occurred_at: datetime
    importance_class: int
    #: From 1 to 5; 0 for what is no note.
    note_importance: int
    use_count: int
    last_used_at: datetime | None


async def find_lexical(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> LexicalRow | None:
    """Return what matches; None where nothing does."""
    return await fetch_optional(
        conn, SQL["find_lexical"], {**scope.parameters, **parameters}, LexicalRow
    )


async def term_frequencies(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], terms: dict[str, Any]
) -> list[FrequencyRow]:
    parameters = {**scope.parameters, **terms, "source_ids": list(source_ids)}
    return await fetch_all(conn, SQL["term_frequencies"], parameters, FrequencyRow)


async def find_near_words(
    conn: Connection, namespace_id: int, asked: WordsAsked, *, only_unsaid: bool
) -> list[NearWordRow]:
    """Return what is said of the words and of what is near them; `only_unsaid`, of those that are said nowhere."""
    parameters = {
        **namespaced(namespace_id),
        "words": list(asked.words),
        "places": list(asked.places),
        "near": list(asked.near),
        "only_unsaid": only_unsaid,
    }
    return await fetch_all(conn, SQL["find_near_words"], parameters, NearWordRow)


async def find_alike(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> list[TrigramRow]:
    return await fetch_all(conn, SQL["find_alike"], {**scope.parameters, **parameters}, TrigramRow)


async def find_trigram(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> list[TrigramRow]:
    return await fetch_all(
        conn, SQL["find_trigram"], {**scope.parameters, **parameters}, TrigramRow
    )


async def score_trigram(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], tokens: Sequence[str]
) -> list[TrigramRow]:
    parameters = {
        **scope.parameters,
        "source_ids": list(source_ids),
        "tokens": list(tokens),
    }
    return await fetch_all(conn, SQL["score_trigram"], parameters, TrigramRow)


async def find_regex(conn: Connection, scope: Scope, parameters: dict[str, Any]) -> list[RegexRow]:
    return await fetch_all(conn, SQL["find_regex"], {**scope.parameters, **parameters}, RegexRow)


async def browse(
    conn: Connection,
    scope: Scope,
    newest_first: bool,
    after: tuple[str, str] | None,
    limit: int,
) -> list[TimePlaceRow]:
    """Return memories after a place (time of occurrence, id) in the order asked for."""
    statement = SQL["browse_newest" if newest_first else "browse_oldest"]
    occurred_at, source_id = after or end_of_time(newest_first)
    parameters = {
        **scope.parameters,
        "after_occurred_at": occurred_at,
        "after_source_id": source_id,
        "limit": limit,
    }
    return await fetch_all(conn, statement, parameters, TimePlaceRow)


async def find_log_entries(
    conn: Connection, scope: Scope, first_day: date, limit: int
) -> list[TimePlaceRow]:
    """Return entries of daily logs from a day on, newest first."""
    parameters = {**scope.parameters, "first_day": first_day, "limit": limit}
    return await fetch_all(conn, SQL["find_log_entries"], parameters, TimePlaceRow)


async def find_workspace_chunks(
    conn: Connection, scope: Scope, names: Sequence[str], most: int, conversation_id: UUID | None
) -> list[TimePlaceRow]:
    """Return parts of workspace files, file by file; `most` of each."""
    parameters = {
        **scope.parameters,
        "names": list(names),
        "most": most,
        "conversation_id": conversation_id,
        "assistant": ROLE_ASSISTANT,
    }
    return await fetch_all(conn, SQL["find_workspace_chunks"], parameters, TimePlaceRow)


async def read_signals(
    conn: Connection, namespace_id: int, source_ids: Sequence[UUID]
) -> list[SignalRow]:
    parameters = {**namespaced(namespace_id), "source_ids": list(source_ids)}
    return await fetch_all(conn, SQL["read_signals"], parameters, SignalRow)


async def find_related(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], fan_out: int, limit: int
) -> list[RelatedRow]:
    """Return what is related to memories that are nodes, whether or not the scope's filter lets it through."""
    parameters = {
        **scope.parameters,
        "source_ids": list(source_ids),
        "fan_out": fan_out,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_related"], parameters, RelatedRow)

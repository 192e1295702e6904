"""The statements that find passages as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from everword.db.arrays import read_array
from everword.db.pool import Connection
from everword.db.statements import (
    BoundStatement,
    fetch_all,
    fetch_optional,
    fetch_values,
    load_statements,
)
from everword.v1.memory_pb2 import ROLE_ASSISTANT
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.records.model import MemoryFilter, end_of_time
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.passages")


@dataclass(frozen=True)
class Scope:
    """The passages that all arms of a search consider."""

    namespace_id: int
    filter: MemoryFilter
    #: A tsquery as text that a passage must also match; None for no constraint.
    constraint: str | None = None

    @property
    def is_open(self) -> bool:
        """True if the scope excludes nothing, apart from automated memories."""
        return self.constraint is None and self.filter.is_open

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            **namespaced(self.namespace_id),
            **vars(self.filter),
            "constraint": self.constraint,
        }


@dataclass(frozen=True)
class PeriodNodeRow:
    """A summary of a day, week, month or year."""

    id: UUID
    level: int
    #: The first day.
    period: date
    parent_id: UUID | None
    #: The first passage of its text.
    passage_id: int


@dataclass(frozen=True)
class NearWordRow:
    """A word of the corpus that is a requested word or differs from one by one letter."""

    text: str
    #: Index of the requested word.
    place: int
    #: Number of passages with the word, 100 at most.
    said: int


@dataclass(frozen=True)
class QueriedWords:
    """Requested words in lower case, and their variants that differ by one letter."""

    words: Sequence[str]
    #: Index in `words` of the original of each variant in `near`.
    places: Sequence[int]
    near: Sequence[str]
    #: The tsqueries of `words` and of `near`, as text.
    word_queries: Sequence[str]
    near_queries: Sequence[str]


@dataclass(frozen=True)
class RelatedRow:
    """A memory related to a node."""

    passage_id: int
    source_id: UUID
    #: Confidence of the relation.
    raw: float


@dataclass(frozen=True)
class RankedRow:
    """Memories returned by a statement, best first: arrays in binary, an element per memory."""

    passage_ids: bytes
    source_ids: bytes
    raws: bytes
    scores: bytes

    def ranked(self) -> RankedMemories:
        return RankedMemories(
            read_array(self.passage_ids, "i8"),
            read_array(self.source_ids, "S16"),
            read_array(self.raws, "f8"),
            read_array(self.scores, "f8"),
        )


NOTHING = RankedMemories.of([])


@dataclass(frozen=True)
class LexicalRow(RankedRow):
    """Memories found by words, with the corpus statistics that their scores use."""

    passages: float
    mean_length: float
    #: One for each requested term.
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
    """A memory with its time of occurrence, which is its position in a list."""

    source_id: UUID
    occurred_at: datetime


@dataclass(frozen=True)
class SignalRow:
    """Ranking signals of a memory other than its words."""

    source_id: UUID
    occurred_at: datetime
    importance_class: int
    #: From 1 to 5; 0 for memories that are not notes.
    note_importance: int
    use_count: int
    last_used_at: datetime | None
    #: True for a short text without digits that ends with a question mark: it is unlikely to answer anything.
    only_asks: bool


async def find_period_nodes(
    conn: Connection, scope: Scope, first: date, end: date
) -> list[PeriodNodeRow]:
    parameters = {**scope.parameters, "first": first, "end": end}
    return await fetch_all(conn, SQL["find_period_nodes"], parameters, PeriodNodeRow)


async def find_lexical(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> LexicalRow | None:
    """Return the matching memories; None if there are none."""
    return await fetch_optional(
        conn, SQL["find_lexical"], {**scope.parameters, **parameters}, LexicalRow
    )


async def term_frequencies(
    conn: Connection, scope: Scope, source_ids: Sequence[UUID], terms: dict[str, Any]
) -> list[FrequencyRow]:
    parameters = {**scope.parameters, **terms, "source_ids": list(source_ids)}
    return await fetch_all(conn, SQL["term_frequencies"], parameters, FrequencyRow)


async def find_near_words(
    conn: Connection, namespace_id: int, queried: QueriedWords, *, only_unknown: bool
) -> list[NearWordRow]:
    """Return the requested words and variants that occur in the corpus.

    With `only_unknown`, return only variants of words that do not occur themselves.
    """
    parameters = {
        **namespaced(namespace_id),
        "words": list(queried.words),
        "places": list(queried.places),
        "near": list(queried.near),
        "word_queries": list(queried.word_queries),
        "near_queries": list(queried.near_queries),
        "only_unknown": only_unknown,
    }
    return await fetch_all(conn, SQL["find_near_words"], parameters, NearWordRow)


async def find_similar_tokens(
    conn: Connection, scope: Scope, parameters: dict[str, Any]
) -> list[TrigramRow]:
    return await fetch_all(
        conn, SQL["find_similar_tokens"], {**scope.parameters, **parameters}, TrigramRow
    )


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
    """Return memories after a position (time of occurrence, id) in the requested order."""
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
    """Return entries of daily logs since `first_day`, newest first."""
    parameters = {**scope.parameters, "first_day": first_day, "limit": limit}
    return await fetch_all(conn, SQL["find_log_entries"], parameters, TimePlaceRow)


async def find_earlier_conversations(
    conn: Connection, scope: Scope, conversation_id: UUID, limit: int
) -> list[UUID]:
    """Return the latest conversations of the filter's agents and subjects, without `conversation_id`."""
    parameters = {**scope.parameters, "conversation_id": conversation_id, "limit": limit}
    return await fetch_values(conn, SQL["find_earlier_conversations"], parameters)


def earlier_turns_statement(
    scope: Scope, conversation_ids: Sequence[UUID], limit: int
) -> BoundStatement[TimePlaceRow]:
    """Return the statement that finds the latest turns of conversations, newest conversation first."""
    parameters = {**scope.parameters, "earlier_ids": list(conversation_ids), "limit": limit}
    return BoundStatement(SQL["find_earlier_turns"], parameters, TimePlaceRow)


def earlier_summaries_statement(
    scope: Scope, conversation_ids: Sequence[UUID], limit: int
) -> BoundStatement[TimePlaceRow]:
    """Return the statement that finds the latest topmost summaries of conversations, latest first."""
    parameters = {**scope.parameters, "earlier_ids": list(conversation_ids), "limit": limit}
    return BoundStatement(SQL["find_earlier_summaries"], parameters, TimePlaceRow)


def latest_periods_statement(scope: Scope, limit: int) -> BoundStatement[TimePlaceRow]:
    """Return the statement that finds the latest day and week of the calendars of the filter's subjects."""
    return BoundStatement(
        SQL["find_latest_periods"], {**scope.parameters, "limit": limit}, TimePlaceRow
    )


def open_tasks_statement(scope: Scope, limit: int) -> BoundStatement[TimePlaceRow]:
    """Return the statement that finds the latest tasks of the filter's agents and subjects, latest first."""
    return BoundStatement(
        SQL["find_open_tasks"], {**scope.parameters, "limit": limit}, TimePlaceRow
    )


async def find_workspace_chunks(
    conn: Connection, scope: Scope, names: Sequence[str], maximum: int, conversation_id: UUID | None
) -> list[TimePlaceRow]:
    """Return chunks of workspace files, file by file, `maximum` of each."""
    parameters = {
        **scope.parameters,
        "names": list(names),
        "most": maximum,
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
    """Return memories related to node memories, regardless of the scope's filter."""
    parameters = {
        **scope.parameters,
        "source_ids": list(source_ids),
        "fan_out": fan_out,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_related"], parameters, RelatedRow)

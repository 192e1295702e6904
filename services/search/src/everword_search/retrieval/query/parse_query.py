"""Interpret a query in its namespace: its words, the authors that it names, and the model generations.

This takes one round trip, in a transaction that ends before the query is embedded, because a slow model must not occupy
a connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.db.statements import BoundStatement, fetch_each
from everword.domain.not_found import NamespaceNotFound
from everword.text.author_names import name_words
from everword.text.values.spellings import capitalised, find_spellings, first_letters
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.namespace_cache import NamespaceCache
from everword_search.passages.store import SQL
from everword_search.passages.vectors import GenerationRow, QueryVector
from everword_search.records.store import namespaced
from everword_search.retrieval.model import SearchMode, SearchRequest
from everword_search.retrieval.query.analysis import AnalysedQuery, analyse_query
from everword_search.retrieval.query.query import QueryClauses, parse_operands, parse_words

#: Modes that use the query's vector, and names of authors.
BY_MEANING = frozenset({SearchMode.HYBRID, SearchMode.SEMANTIC})
BY_WORDS = frozenset({SearchMode.HYBRID, SearchMode.LEXICAL})


@dataclass(frozen=True, kw_only=True)
class NamespaceRow(NamespaceSettings):
    """A namespace as needed for one query."""

    #: Number of passages.
    passages: int
    #: Total length of the passages in lexemes.
    lexemes: int
    has_endings: bool
    #: Words of the query that name authors, in lower case.
    names: list[str]
    #: Words that name authors and have the same initials as possible names in the query.
    like_names: list[str]
    #: True if the namespace has nodes.
    has_graph: bool


@dataclass(frozen=True)
class ParsedQuery:
    """A query as interpreted in its namespace."""

    settings: NamespaceRow
    #: Number of passages in the namespace.
    passages: int
    #: True if the namespace has facts.
    has_endings: bool
    names: frozenset[str]
    #: Words of the query that are authors' names in another spelling, with the author's spelling, in lower case.
    spellings: Mapping[str, str]
    query: QueryClauses
    analysed: AnalysedQuery
    #: Live model generations, and a row with id None for calibrations without a model.
    generations: Sequence[GenerationRow]
    #: None if the search must use the database.
    cached: CachedIndex | None = None
    #: Misspelt words in lower case, each with the word searched instead.
    corrections: Mapping[str, str] = field(default_factory=dict)

    def generation(self, generation_id: int | None) -> GenerationRow | None:
        """Return a generation; for None the active one, or else the row without a model.

        The result is None if the generation is newer than this query.
        """
        if generation_id is None:
            generation_id = self.active_id
        return next((row for row in self.generations if row.id == generation_id), None)

    def generation_of(self, vector: object) -> GenerationRow | None:
        """Return the generation of a query's vector; without a vector, the active one or the row without a model."""
        return self.generation(vector.generation_id if isinstance(vector, QueryVector) else None)

    @property
    def active_id(self) -> int | None:
        return next((row.id for row in self.generations if row.state == "active"), None)


async def parse_query(
    conn: Connection,
    namespace_id: int,
    request: SearchRequest,
    profile: str,
    cache: NamespaceCache,
    prefetch: Callable[[CachedNamespace], None],
) -> ParsedQuery:
    """Interpret a request's query; `profile` names the calibration to read.

    If the namespace is cached, `prefetch` is called while the database works.

    Raises NamespaceNotFound if the namespace does not exist or is being deleted.
    """
    query = _parse(request)
    statements = _statements(namespace_id, request, profile)
    # Only such searches can use the cache.
    may_be_cached = request.mode in BY_WORDS | BY_MEANING and not request.explain
    asked = cache.ask(namespace_id) if may_be_cached else None
    if asked:
        statements.append(asked.question)
    meanwhile = partial(prefetch, asked.copy) if asked else None
    [found, generations, *others] = await fetch_each(conn, *statements, meanwhile=meanwhile)
    if not found:
        cache.forget(namespace_id)
        raise NamespaceNotFound
    described: NamespaceRow = found[0]
    parsed = _parsed(request, described, query, generations)
    if asked:
        cached = cache.answer(asked, others[-1][0], parsed.active_id, request.filter)
        return replace(parsed, cached=cached)
    if may_be_cached:
        size = described.passages, described.lexemes
        cache.consider(namespace_id, *size, parsed.generation(None))
    return parsed


def _parsed(
    request: SearchRequest,
    described: NamespaceRow,
    query: QueryClauses,
    generations: Sequence[GenerationRow],
) -> ParsedQuery:
    return ParsedQuery(
        described,
        described.passages,
        described.has_endings,
        frozenset(described.names),
        find_spellings(_sought(request), {*described.names, *described.like_names}),
        query,
        analyse_query(query, described.text_search_config),
        generations,
    )


def _parse(request: SearchRequest) -> QueryClauses:
    """Return the clauses of the query.

    Requirements and exclusions apply in every mode by words or meaning; other modes take the text as it is.
    """
    if request.mode not in BY_WORDS | BY_MEANING:
        return QueryClauses(())
    query = parse_operands(request.text) if request.operators else parse_words(request.text)
    return query if request.mode in BY_WORDS or query.filters else QueryClauses(())


def _statements(
    namespace_id: int, request: SearchRequest, profile: str
) -> list[BoundStatement[Any]]:
    """Return the statements for the namespace and the model generations."""
    words = sorted(name_words(request.text)) if request.mode in BY_MEANING else []
    namespace = namespaced(namespace_id)
    initials = first_letters(_sought(request))
    return [
        BoundStatement(
            SQL["describe_namespace"],
            {**namespace, "words": words, "initials": initials},
            NamespaceRow,
        ),
        BoundStatement(SQL["list_generations"], {"profile": profile}, GenerationRow),
    ]


def _sought(request: SearchRequest) -> set[str]:
    """Return the capitalised words of a query, which may be names in another spelling."""
    return capitalised(request.text) if request.mode in BY_MEANING else set()

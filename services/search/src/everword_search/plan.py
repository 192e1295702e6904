"""Decides what a search runs: the arms of its mode, what they look at, and the question that is ranked by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword_search.analysis import AnalysedQuery, analyse_query
from everword_search.arms.base import Arm
from everword_search.arms.regex import RegexArm
from everword_search.arms.semantic import SemanticArm
from everword_search.arms.trigram import TrigramArm, literals_asked_for, tokens_asked_for
from everword_search.arms.tsvector import TsvectorArm
from everword_search.model import SearchMode, SearchRequest
from everword_search.query import Query, parse_query, parse_words
from everword_search.query_embedder import QueryNotEmbedded, QueryVector
from everword_search.ranking.features import Question
from everword_search.store import Scope


@dataclass(frozen=True)
class Plan:
    """What a search runs."""

    #: With what the query demands.
    scope: Scope
    arms: Sequence[Arm]
    #: None where one arm's order is asked for.
    question: Question | None = None


@dataclass(frozen=True)
class QueryMeaning:
    """What is known of a query before the database is asked."""

    vector: QueryVector | QueryNotEmbedded | None
    #: Its words that name authors, in lower case.
    names: frozenset[str]


async def plan_search(
    conn: Connection,
    scope: Scope,
    settings: NamespaceSettings,
    request: SearchRequest,
    meaning: QueryMeaning,
) -> Plan:
    """Return what the mode that is asked for runs."""
    if request.mode is SearchMode.REGEX:
        return Plan(scope, [RegexArm(scope, request.text)])
    if request.mode is SearchMode.TRIGRAM:
        return Plan(scope, [TrigramArm(scope, tokens_asked_for(request.text))])
    if request.mode is SearchMode.SEMANTIC:
        return Plan(scope, [SemanticArm(scope, meaning.vector)])
    query = parse_query(request.text) if request.operators else parse_words(request.text)
    analysed = await analyse_query(conn, settings.text_search_config, query)
    # What a query demands holds for every arm.
    scope = replace(scope, constraint=analysed.constraint)
    lexical = TsvectorArm(scope, analysed.terms, request.explain)
    if request.mode is SearchMode.LEXICAL:
        return Plan(scope, [lexical])
    literal = TrigramArm(scope, literals_asked_for(query))
    question = _question(query, analysed, settings, meaning.names)
    return Plan(scope, [lexical, literal, SemanticArm(scope, meaning.vector)], question)


def _question(
    query: Query, analysed: AnalysedQuery, settings: NamespaceSettings, names: frozenset[str]
) -> Question:
    """Return what is asked for, without operators and what is excluded."""
    text = " ".join(operand.text for operand in query.wanted)
    config = settings.text_search_config
    has_prefix = any(term.prefix is not None for term in analysed.terms)
    return Question.ask(text, names, analysed.ignored, config, settings.time_zone, has_prefix)

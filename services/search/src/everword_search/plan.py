"""Decides what a search runs: the arms of its mode, what they look at, and the question that is ranked by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from everword_search.arms.base import Arm
from everword_search.arms.cached import CachedLexicalArm, CachedSemanticArm
from everword_search.arms.frequent import FrequentWords
from everword_search.arms.large import LargeScopes
from everword_search.arms.regex import RegexArm
from everword_search.arms.semantic import SemanticArm
from everword_search.arms.trigram import TrigramArm, literals_asked_for, tokens_asked_for
from everword_search.arms.tsvector import TsvectorArm
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.prefetched_scan import PrefetchedScan
from everword_search.model import SearchMode, SearchRequest
from everword_search.parse_query import BY_WORDS, ParsedQuery
from everword_search.query_embedder import QueryNotEmbedded, QueryVector
from everword_search.ranking.features import RankingQuery
from everword_search.store import Scope

#: Passages of a namespace from which on it pays to know its frequent words.
LARGE = 10_000


@dataclass(frozen=True)
class Plan:
    """What a search runs."""

    #: With what the query demands.
    scope: Scope
    arms: Sequence[Arm]
    #: None where one arm's order is asked for.
    question: RankingQuery | None = None
    #: The namespace in memory; None where the database is to be asked.
    cached: CachedIndex | None = None
    #: What stands for words of the query in memory, by the word in lower case: for those of one lexeme.
    words: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """What a search runs by its query's words, whatever its vector is."""

    #: With what the query demands.
    scope: Scope
    lexical: TsvectorArm
    #: None where the lexical arm's order is asked for.
    question: RankingQuery | None
    #: The namespace in memory; None where the database is to be asked.
    cached: CachedIndex | None

    async def look_ahead(self) -> None:
        """Do what can be done while the vector is on its way."""
        if isinstance(self.lexical, CachedLexicalArm):
            await self.lexical.look_ahead()


def plan_words(
    scope: Scope, request: SearchRequest, parsed: ParsedQuery, frequent: FrequentWords
) -> Words | None:
    """Return what is looked for by words; None where the mode does not."""
    if request.mode not in BY_WORDS:
        return None
    # What a query demands holds for every arm.
    scope = replace(scope, constraint=parsed.analysed.constraint)
    terms = parsed.analysed.terms
    has_prefix = any(term.prefix is not None for term in terms)
    cached = None if scope.constraint or has_prefix else parsed.cached
    large = parsed.passages > LARGE
    lexical = (
        CachedLexicalArm(cached, scope, terms)
        if cached
        else TsvectorArm(scope, terms, request.explain, frequent if large else None)
    )
    is_ranked = request.mode is SearchMode.HYBRID
    question = _question(parsed, has_prefix) if is_ranked else None
    return Words(scope, lexical, question, cached)


def plan_search(
    scope: Scope,
    request: SearchRequest,
    parsed: ParsedQuery,
    words: Words | None,
    vector: QueryVector | QueryNotEmbedded | None,
    large_scopes: LargeScopes,
    prefetched: PrefetchedScan | None,
) -> Plan:
    """Return what the mode that is asked for runs."""
    if request.mode is SearchMode.REGEX:
        return Plan(scope, [RegexArm(scope, request.text)])
    if request.mode is SearchMode.TRIGRAM:
        return Plan(scope, [TrigramArm(scope, tokens_asked_for(request.text))])
    if words is None:
        scope = replace(scope, constraint=parsed.analysed.constraint)
        cached = None if scope.constraint else parsed.cached
        meaning = _semantic(scope, parsed, vector, large_scopes, cached, prefetched)
        return Plan(scope, [meaning])
    if request.mode is SearchMode.LEXICAL:
        return Plan(words.scope, [words.lexical])
    literal = TrigramArm(words.scope, literals_asked_for(parsed.query))
    meaning = _semantic(words.scope, parsed, vector, large_scopes, words.cached, prefetched)
    arms = [words.lexical, literal, meaning]
    return Plan(words.scope, arms, words.question, words.cached, parsed.analysed.words)


def _semantic(
    scope: Scope,
    parsed: ParsedQuery,
    vector: QueryVector | QueryNotEmbedded | None,
    large_scopes: LargeScopes,
    cached: CachedIndex | None,
    prefetched: PrefetchedScan | None,
) -> SemanticArm:
    generation = (
        parsed.generation(vector.generation_id) if isinstance(vector, QueryVector) else None
    )
    arguments = (scope, vector, generation, parsed.passages, large_scopes)
    known = cached.vectors if cached else None
    if cached and known and generation and known.generation_id == generation.id:
        return CachedSemanticArm(cached, known, prefetched, *arguments)
    return SemanticArm(*arguments)


def _question(parsed: ParsedQuery, has_prefix: bool) -> RankingQuery:
    """Return what is asked for, without operators and what is excluded."""
    text = " ".join(operand.text for operand in parsed.query.wanted)
    analysed, settings = parsed.analysed, parsed.settings
    return RankingQuery.ask(
        text,
        parsed.names,
        analysed.ignored,
        settings.text_search_config,
        settings.time_zone,
        has_prefix,
    )

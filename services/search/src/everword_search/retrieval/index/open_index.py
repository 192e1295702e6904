"""Choose between the cache and the database for a search."""

from __future__ import annotations

from dataclasses import replace

from everword_search.cache.prefetched_scan import PrefetchedScan
from everword_search.passages.store import Scope
from everword_search.retrieval.arms.frequent_words import FrequentWords
from everword_search.retrieval.arms.large_scopes import LargeScopes
from everword_search.retrieval.index.cache_index import CachedPassageIndex
from everword_search.retrieval.index.database_index import DatabaseIndex
from everword_search.retrieval.index.passage_index import PassageIndex
from everword_search.retrieval.query.parse_query import ParsedQuery


def open_index(
    scope: Scope,
    parsed: ParsedQuery,
    prefetched: PrefetchedScan | None,
    frequent: FrequentWords,
    large_scopes: LargeScopes,
) -> PassageIndex:
    """Return the index for a search.

    It is the cache if that has the namespace, unless the query has constraints or prefixes.
    """
    # Constraints of the query apply to every arm.
    scope = replace(scope, constraint=parsed.analysed.constraint)
    config = parsed.settings.text_search_config
    database = DatabaseIndex(scope, parsed.passages, config, frequent, large_scopes)
    if parsed.cached is None or scope.constraint or parsed.analysed.has_prefix:
        return database
    return CachedPassageIndex(parsed.cached, database, prefetched, parsed.analysed.words)

"""The objects that all searches share."""

from __future__ import annotations

from dataclasses import dataclass, field

from everword.admission.fair_share import ShareLimits
from everword.db.pool import Database
from everword.rpc.capacity import CallShare
from everword_search.cache.namespace_cache import NamespaceCache
from everword_search.ranking.models.ranker import Ranker
from everword_search.ranking.word_lists import WordLists
from everword_search.retrieval.arms.frequent_words import FrequentWords
from everword_search.retrieval.arms.large_scopes import LargeScopes
from everword_search.retrieval.query.query_embedder import QueryEmbedder

#: Limits of concurrent REGEX searches, in total and per namespace; excess ones are rejected at once.
EXPENSIVE = ShareLimits(total=4, of_group=2)


@dataclass(frozen=True)
class Sources:
    """The database, the embedder, the models and the caches that searches use."""

    database: Database
    embedder: QueryEmbedder
    ranker: Ranker
    cache: NamespaceCache
    frequent: FrequentWords = field(default_factory=FrequentWords)
    large_scopes: LargeScopes = field(default_factory=LargeScopes)
    word_lists: WordLists = field(default_factory=WordLists)
    #: Admits searches that read everything that passes the filter; each may occupy a processor of PostgreSQL for two
    #: seconds.
    expensive: CallShare = field(default_factory=lambda: CallShare(EXPENSIVE))

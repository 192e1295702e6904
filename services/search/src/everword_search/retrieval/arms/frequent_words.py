"""Frequent words of namespaces, as counted by recent searches."""

from __future__ import annotations

from collections.abc import Sequence

from cachetools import TTLCache

from everword_search.retrieval.arms.lexical import Term

#: Share of passages above which a word is frequent. Next to rarer words it hardly changes which passages are best, and
#: costs more than all of them.
SHARE = 0.05
#: Maximum words remembered, over all namespaces.
_SIZE = 50_000
#: Maximum characters of a remembered word; longer words are hardly ever frequent and would take much memory.
_LONGEST = 64
#: Seconds until a word is counted again; the topics of a namespace change slowly.
_TTL_S = 600.0


class FrequentWords:
    """A cache of frequent words. It holds stems only, and no rare words."""

    def __init__(self) -> None:
        self._known: TTLCache[tuple[int, str], None] = TTLCache(_SIZE, _TTL_S)

    def learn(
        self, namespace_id: int, terms: Sequence[Term], frequencies: Sequence[int], passages: float
    ) -> None:
        """Remember the frequent ones among `terms`; `frequencies` gives the number of `passages` with each."""
        for term, frequency in zip(terms, frequencies, strict=True):
            # The matches of a prefix are no evidence for the word of its stem.
            if (
                term.prefix is None
                and frequency > SHARE * passages
                and len(term.lexeme) <= _LONGEST
            ):
                self._known[namespace_id, term.lexeme] = None

    def without(self, namespace_id: int, terms: Sequence[Term]) -> list[Term]:
        """Return the terms that are not known to be frequent."""
        return [term for term in terms if (namespace_id, term.lexeme) not in self._known]

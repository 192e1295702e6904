"""The words that are frequent in a namespace, as its searches have found lately."""

from __future__ import annotations

from collections.abc import Sequence

from cachetools import TTLCache

from everword_search.retrieval.arms.lexical import Term

#: A word that more passages hold finds next to everything and tells next to nothing: beside rarer ones it changes
#: little of which passages are the best, and costs more than all of them.
SHARE = 0.05
#: Words that are remembered, over all namespaces.
_SIZE = 50_000
#: Characters of a word that is remembered: a longer one is hardly frequent, and many of them would take much memory.
_LONGEST = 64
#: Seconds until a word is counted again: what a namespace is about changes slowly.
_TTL_S = 600.0


class FrequentWords:
    """Remembers frequent words. Holds stems alone, and none of a rare word."""

    def __init__(self) -> None:
        self._known: TTLCache[tuple[int, str], None] = TTLCache(_SIZE, _TTL_S)

    def learn(
        self, namespace_id: int, terms: Sequence[Term], frequencies: Sequence[int], passages: float
    ) -> None:
        """Remember which of `terms` are frequent; `frequencies` are in how many of `passages` each occurs."""
        for term, frequency in zip(terms, frequencies, strict=True):
            # What a prefix matches says nothing of the word that it is.
            if (
                term.prefix is None
                and frequency > SHARE * passages
                and len(term.lexeme) <= _LONGEST
            ):
                self._known[namespace_id, term.lexeme] = None

    def without(self, namespace_id: int, terms: Sequence[Term]) -> list[Term]:
        """Return those of `terms` that are not known to be frequent."""
        return [term for term in terms if (namespace_id, term.lexeme) not in self._known]

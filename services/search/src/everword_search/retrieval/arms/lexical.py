"""The lexical arm: true BM25 in Lucene's form, behind an interface that hides where the postings come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from everword_search.retrieval.arms.base import RankingArm
from everword_search.retrieval.model import SearchArm

#: Saturation of repeated terms.
K1 = 0.9
#: How much long passages are held back.
B = 0.4
#: Terms of a query that are scored, in its order; the others are passed over: each costs a walk through the index.
MAX_TERMS = 64


@dataclass(frozen=True)
class Term:
    """A lexeme, or the beginning of lexemes, that passages are scored by."""

    #: The word as it was asked.
    word: str
    lexeme: str
    #: Of a prefix: its letters as they were asked; `lexeme` is then what stemming makes of them.
    prefix: str | None = None
    #: What stands for the lexeme in memory; of a prefix, nothing.
    hash: int = 0


class LexicalArm(RankingArm):
    """Ranks passages by BM25 over the namespace's statistics, whatever the filter.

    The score is BM25 ÷ Σ idf·(k1+1) over the query's terms, which no passage can reach.
    """

    name = SearchArm.LEXICAL

    async def look_ahead(self) -> None:
        """Do what can be done without a connection, while the query's vector is on its way."""


def inverse_document_frequency(passages: float, document_frequency: float) -> float:
    """Return how much a term tells: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (passages - document_frequency + 0.5) / (document_frequency + 0.5))


def term_score(idf: float, frequency: float, length: float, mean_length: float) -> float:
    """Return one term's part of a passage's BM25; the operations are in the order of find_lexical's."""
    return idf * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / mean_length))

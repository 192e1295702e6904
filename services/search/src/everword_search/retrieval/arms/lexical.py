"""The lexical arm: true BM25 in Lucene's form, behind an interface that hides where the postings come from."""

from __future__ import annotations

from dataclasses import dataclass

from everword_search.retrieval.arms.base import RankingArm, SearchArm

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


def quote_lexeme(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def prefix_query(prefix: str, stem: str) -> str:
    """Return a query for lexemes that begin with a prefix as it was asked, or as it is stemmed.

    Both are needed: `migrations*` is meant to find the lexeme `migrat`, and `every*` to find `everyon`, where the stem
    of `every` is `everi`.
    """
    return " | ".join(f"{quote_lexeme(text)}:*" for text in dict.fromkeys((prefix, stem)))

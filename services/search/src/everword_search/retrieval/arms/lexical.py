"""The lexical arm: BM25 as in Lucene, independent of the source of postings."""

from __future__ import annotations

from dataclasses import dataclass

from everword.text.lexemes import quote_lexeme
from everword_search.retrieval.arms.base import RankingArm, SearchArm

#: Maximum terms scored, in the order of the query; each further one would cost an index scan.
MAX_TERMS = 64


@dataclass(frozen=True)
class Term:
    """A lexeme or prefix that passages are scored by."""

    #: The word as written in the query.
    word: str
    lexeme: str
    #: For a prefix, its letters as written; `lexeme` is then their stem.
    prefix: str | None = None
    #: Hash of the lexeme in the cache; 0 for a prefix.
    hash: int = 0


class LexicalArm(RankingArm):
    """Ranks passages by BM25 with statistics of the whole namespace, regardless of the filter.

    score = BM25 / Σ idf·(k1+1) over the query's terms, an upper bound that no passage reaches.
    """

    name = SearchArm.LEXICAL

    async def prepare_search(self) -> None:
        """Do the work that needs no connection, while the query is being embedded."""


def prefix_query(prefix: str, stem: str) -> str:
    """Return a tsquery for lexemes that begin with the prefix as written or with its stem.

    `migrations*` should match the lexeme `migrat`, and `every*` the lexeme `everyon`, although the stem of `every` is
    `everi`.
    """
    return " | ".join(f"{quote_lexeme(text)}:*" for text in dict.fromkeys((prefix, stem)))

"""The trigram arm: literals such as file names and versions, by the likeness of their letters."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Connection
from everword.text.literals import literal_tokens
from everword_search.retrieval.arms.base import RankingArm, Window, scored_position
from everword_search.retrieval.index import store
from everword_search.retrieval.index.store import Scope, TrigramRow
from everword_search.retrieval.model import Candidate, Ranked, SearchArm
from everword_search.retrieval.query.query import Query

#: Tokens of a query that are looked up; the others are passed over.
MAX_TOKENS = 16
_MIN_CHARS = 3
_MAX_CHARS = 200


class TrigramArm(RankingArm):
    """Ranks passages by the mean word similarity of the query's literals to theirs.

    A passage matches where at least one literal is alike; the score is the mean over all of them.
    """

    name = SearchArm.TRIGRAM

    def __init__(self, scope: Scope, tokens: Sequence[str]) -> None:
        self._scope = scope
        self._tokens = list(tokens)[:MAX_TOKENS]

    @property
    def idle_reason(self) -> str:
        return "" if self._tokens else "the query has nothing that looks like a literal"

    async def rank(self, conn: Connection, window: Window) -> Ranked:
        parameters = {**scored_position(window), "tokens": self._tokens}
        rows = await store.find_trigram(conn, self._scope, parameters)
        return Ranked.of([_candidate(row) for row in rows])

    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        rows = await store.score_trigram(conn, self._scope, source_ids, self._tokens)
        return [_candidate(row) for row in rows]


def literals_asked_for(query: Query) -> list[str]:
    """Return what looks like a literal in the parts of a query that a passage may be found by."""
    return literal_tokens(" ".join(operand.text for operand in query.wanted))


def tokens_asked_for(text: str) -> list[str]:
    """Return the tokens of a text that is to be looked up letter by letter, whatever they look like."""
    tokens = (token.lower() for token in text.split())
    # Without a letter or digit a token has no trigrams, and would be compared with everything.
    return list(
        dict.fromkeys(
            token
            for token in tokens
            if _MIN_CHARS <= len(token) <= _MAX_CHARS and any(c.isalnum() for c in token)
        )
    )


def _candidate(row: TrigramRow) -> Candidate:
    position = [row.score, row.passage_id]
    return Candidate(row.source_id, row.passage_id, row.raw, row.score, position)

"""The trigram arm: literals such as file names and versions, by similarity of their letters."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Connection
from everword.text.analysis import folded_words
from everword.text.case_folding import fold_case
from everword.text.lexemes import analyse
from everword_search.passages import store
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window
from everword_search.passages.store import NearWordRow, QueriedWords, Scope
from everword_search.retrieval.arms.base import RankingArm, SearchArm, scored_position
from everword_search.retrieval.arms.near_words import queried_words

#: Maximum tokens of a query that are looked up; further ones are ignored.
MAX_TOKENS = 16
#: Maximum words among them for which similar words are looked up, and maximum similar words of each.
MAX_WORDS, MAX_NEAR = 4, 8
#: Factor for the similarity of summaries and other retold text, so that they rank after the original text.
RETOLD = 0.99
_MIN_CHARS = 3
_MAX_CHARS = 200


class TrigramArm(RankingArm):
    """Ranks passages by the mean word similarity of the query's literals to theirs.

    A passage matches if at least one literal is similar; the score is the mean over all literals.
    """

    name = SearchArm.TRIGRAM

    def __init__(self, scope: Scope, tokens: Sequence[str]) -> None:
        self._scope = scope
        self._tokens = list(tokens)[:MAX_TOKENS]

    @property
    def idle_reason(self) -> str:
        return "" if self._tokens else "the query has nothing that looks like a literal"

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        parameters = {**scored_position(window), "tokens": self._tokens}
        rows = await store.find_trigram(conn, self._scope, parameters)
        return RankedMemories.of([Candidate.of_row(row) for row in rows])

    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        rows = await store.score_trigram(conn, self._scope, source_ids, self._tokens)
        return [Candidate.of_row(row) for row in rows]


class TokenSimilarityArm(TrigramArm):
    """Ranks passages by the mean similarity of tokens to their literals and words.

    A word that differs by one letter counts with the share of equal letters: `Rotterdm` counts .89 for Rotterdam.
    """

    def __init__(self, scope: Scope, tokens: Sequence[str], text_search_config: str) -> None:
        super().__init__(scope, tokens)
        self._config = text_search_config

    @property
    def idle_reason(self) -> str:
        return "" if self._tokens else "the query has nothing of three characters"

    async def rank(self, conn: Connection, window: Window) -> RankedMemories:
        words = [
            (place, word) for place, token in enumerate(self._tokens) if (word := _word(token))
        ]
        texts = [word for _, word in words[:MAX_WORDS]]
        asked = await asyncio.to_thread(queried_words, texts, self._config)
        namespace_id = self._scope.namespace_id
        rows = await store.find_near_words(conn, namespace_id, asked, only_unknown=False)
        alike = _words_by_similarity(rows, asked, self._config)
        parameters = {
            **scored_position(window),
            "tokens": self._tokens,
            "retold": RETOLD,
            "queries": [analyse(row.text, self._config).phrase for row, _ in alike],
            "places": [words[row.place][0] for row, _ in alike],
            "likenesses": [similarity for _, similarity in alike],
        }
        found = await store.find_similar_tokens(conn, self._scope, parameters)
        return RankedMemories.of([Candidate.of_row(row) for row in found])


def query_tokens(text: str) -> list[str]:
    """Return the tokens of a text for a search by letters, whether or not they look like literals."""
    tokens = (token.lower() for token in text.split())
    # A token without letters or digits has no trigrams and would be compared with every literal.
    return list(
        dict.fromkeys(
            token
            for token in tokens
            if _MIN_CHARS <= len(token) <= _MAX_CHARS and any(c.isalnum() for c in token)
        )
    )


def _word(token: str) -> str:
    """Return the single word of a token without surrounding punctuation; empty if the token has other contents."""
    words = folded_words(token)
    return words[0] if len(words) == 1 and words[0] in fold_case(token) else ""


def _words_by_similarity(
    rows: Sequence[NearWordRow], queried: QueriedWords, config: str
) -> list[tuple[NearWordRow, float]]:
    """Return the occurring words similar to each requested word, with their similarity; each lexeme once.

    The most similar come first, then the most frequent.
    """
    told = [(row, _letter_similarity(queried.words[row.place], row.text)) for row in rows]
    told.sort(key=lambda each: (-each[1], -each[0].said, each[0].text))
    retained: dict[tuple[int, str], tuple[NearWordRow, float]] = {}
    counts: Counter[int] = Counter()
    for row, similarity in told:
        phrase = analyse(row.text, config).phrase
        if (row.place, phrase) not in retained and counts[row.place] < MAX_NEAR:
            retained[row.place, phrase] = row, similarity
            counts[row.place] += 1
    return list(retained.values())


def _letter_similarity(word: str, other: str) -> float:
    """Return the share of equal letters of two words that differ by at most one letter."""
    return 1.0 if word == other else 1 - 1 / max(len(word), len(other))

"""The vector of a search's query: cached, requested in advance, or requested when needed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from everword.domain.errors import EmbedderUnavailable
from everword.text.author_names import name_words, without_names
from everword.text.values.spellings import capitalised, find_spellings
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.retrieval.model import SearchMode, SearchRequest
from everword_search.retrieval.query.misspellings import correct
from everword_search.retrieval.query.parse_query import BY_MEANING, ParsedQuery
from everword_search.retrieval.query.query import parse_operands
from everword_search.retrieval.query.query_embedder import QueryEmbedder


@dataclass(frozen=True)
class ExpectedVector:
    """The likely vector of a query, before the database has returned which words name authors."""

    text: str
    generation_id: int
    #: The cached vector; None if it is not cached.
    known: QueryVector | None
    #: The running request; None if the vector is cached.
    coming: asyncio.Task[QueryVector] | None

    def close(self) -> None:
        """Cancel the request if it is still running."""
        if self.coming:
            self.coming.cancel()


@dataclass(frozen=True)
class QueryEmbedding:
    """Obtains the vector for the query of one request."""

    embedder: QueryEmbedder
    namespace_id: int
    request: SearchRequest

    @property
    def is_wanted(self) -> bool:
        return self.request.mode in BY_MEANING

    def expect(self, copy: CachedNamespace | None) -> ExpectedVector | None:
        """Start requesting the vector if the namespace is cached; the copy knows nearly all authors' names."""
        asked = self._embedding_text
        if not (self.is_wanted and asked and copy) or copy.generation_id is None:
            return None
        authors = copy.index.author_words
        respelt = find_spellings(capitalised(asked), authors)
        text = without_names(asked, (name_words(asked) & authors) | respelt.keys())
        known = self.embedder.known(self.namespace_id, text, copy.generation_id)
        if known:
            return ExpectedVector(text, copy.generation_id, known, None)
        coming = asyncio.create_task(
            self.embedder.embed(self.namespace_id, text, copy.generation_id)
        )
        coming.add_done_callback(_see)
        return ExpectedVector(text, copy.generation_id, None, coming)

    def at_hand(self, parsed: ParsedQuery) -> QueryVector | QueryNotEmbedded | None:
        """Return the cached vector, or the reason why there will be none; None if it must be requested."""
        if not self._embedding_text:
            reason = (
                "only says what to leave out" if self._words(self.request.text) else "has no words"
            )
            return QueryNotEmbedded(f"the query {reason}", expected=True)
        return self.embedder.known(self.namespace_id, self._text(parsed), parsed.active_id)

    async def embed(
        self, parsed: ParsedQuery, expected: ExpectedVector | None
    ) -> QueryVector | QueryNotEmbedded:
        """Wait for the vector, or return the reason for its absence.

        Raises EmbedderUnavailable if the mode has no other arm.
        """
        text, generation_id = self._text(parsed), parsed.active_id
        try:
            if expected and expected.coming:
                if (expected.text, expected.generation_id) == (text, generation_id):
                    return await expected.coming
                # Cancelled first, so that the model does not work on it before the wanted text.
                expected.close()
            return await self.embedder.embed(self.namespace_id, text, generation_id)
        except QueryNotEmbedded as error:
            return self.missing(error)

    def missing(self, error: QueryNotEmbedded) -> QueryNotEmbedded:
        """Return the error as the reason for the missing vector.

        Raises EmbedderUnavailable if the mode has no other arm.
        """
        if self.request.mode is SearchMode.SEMANTIC:
            raise EmbedderUnavailable(
                f"A search with mode SEMANTIC is not possible: {error}."
            ) from error
        return error

    @property
    def _embedding_text(self) -> str:
        """The text to embed, without excluded words: their vector would be near the query all the same.

        It is empty if no words remain: models give all texts of unknown symbols the same vector.
        """
        return self._words(self._wanted_text)

    def _words(self, text: str) -> str:
        return text if any(map(str.isalnum, text)) else ""

    @property
    def _wanted_text(self) -> str:
        request = self.request
        # Most queries exclude nothing; this check avoids parsing them.
        if not request.operators or not ("-" in request.text or "NOT" in request.text):
            return request.text
        query = parse_operands(request.text)
        return " ".join(each.text for each in query.wanted) if query.excludes else request.text

    def _text(self, parsed: ParsedQuery) -> str:
        """Return the text to embed, without authors' names.

        Passages are embedded without their author, so a name would only distort the vector.
        """
        text = correct(self._embedding_text, parsed.corrections)
        return without_names(text, parsed.names | parsed.spellings.keys())


def _see(coming: asyncio.Task[QueryVector]) -> None:
    # Mark the error as retrieved; a search that needs the vector requests it again.
    if not coming.cancelled():
        coming.exception()

"""The vector of a search's query: kept from before, asked for in advance, or asked for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from everword.domain.errors import EmbedderUnavailable
from everword.text.author_names import name_words, without_names
from everword.text.values.spellings import capitalised, find_spellings
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.retrieval.model import SearchMode, SearchRequest
from everword_search.retrieval.query.misspelt import correct
from everword_search.retrieval.query.parse_query import BY_MEANING, ParsedQuery
from everword_search.retrieval.query.query import parse_operands
from everword_search.retrieval.query.query_embedder import QueryEmbedder


@dataclass(frozen=True)
class ExpectedVector:
    """The likely vector of a query, before the database tells which of its words name authors."""

    text: str
    generation_id: int
    #: At hand already.
    known: QueryVector | None
    #: Asked for.
    coming: asyncio.Task[QueryVector] | None

    def close(self) -> None:
        """Let go what was asked for, where it is not wanted any more."""
        if self.coming:
            self.coming.cancel()


@dataclass(frozen=True)
class QueryEmbedding:
    """The way from the query of one request to its vector."""

    embedder: QueryEmbedder
    namespace_id: int
    request: SearchRequest

    @property
    def is_wanted(self) -> bool:
        return self.request.mode in BY_MEANING

    def expect(self, copy: CachedNamespace | None) -> ExpectedVector | None:
        """Begin to ask for the vector, where the namespace is in memory: a copy hardly lacks an author."""
        asked = self._asked
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
        """Return the vector, or why there is none; None where it has to be asked for."""
        if not self._asked:
            return QueryNotEmbedded("the query only says what to leave out", expected=True)
        return self.embedder.known(self.namespace_id, self._text(parsed), parsed.active_id)

    async def embed(
        self, parsed: ParsedQuery, expected: ExpectedVector | None
    ) -> QueryVector | QueryNotEmbedded:
        """Wait for the vector. Raises EmbedderUnavailable where there is none, and nothing else would answer."""
        text, generation_id = self._text(parsed), parsed.active_id
        try:
            if expected and expected.coming:
                if (expected.text, expected.generation_id) == (text, generation_id):
                    return await expected.coming
                # The model should not work on what is not wanted first.
                expected.close()
            return await self.embedder.embed(self.namespace_id, text, generation_id)
        except QueryNotEmbedded as error:
            return self.missing(error)

    def missing(self, error: QueryNotEmbedded) -> QueryNotEmbedded:
        """Return why there is no vector. Raises EmbedderUnavailable where nothing else would answer."""
        if self.request.mode is SearchMode.SEMANTIC:
            raise EmbedderUnavailable(
                f"Search by meaning alone is not possible: {error}."
            ) from error
        return error

    @property
    def _asked(self) -> str:
        """Return the text to embed: without what the query leaves out, which is near it all the same."""
        request = self.request
        # Most queries leave nothing out, and need not be parsed to tell.
        if not request.operators or not ("-" in request.text or "NOT" in request.text):
            return request.text
        query = parse_operands(request.text)
        return " ".join(each.text for each in query.wanted) if query.excludes else request.text

    def _text(self, parsed: ParsedQuery) -> str:
        """Return the query as it is embedded: passages are without who spoke, so a name would only draw it away."""
        text = correct(self._asked, parsed.corrections)
        return without_names(text, parsed.names | parsed.spellings.keys())


def _see(coming: asyncio.Task[QueryVector]) -> None:
    # What fails and is not waited for is no news: whoever needs the vector asks for it.
    if not coming.cancelled():
        coming.exception()

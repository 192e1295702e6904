"""The vector of one search's query, on its way: kept from before, asked for in advance, or asked for."""

from __future__ import annotations

import asyncio

from everword.domain.errors import EmbedderUnavailable
from everword.text.author_names import name_words, without_names
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.model import SearchMode, SearchRequest
from everword_search.parse_query import BY_MEANING, ParsedQuery
from everword_search.query import parse_operands
from everword_search.query_embedder import QueryEmbedder, QueryNotEmbedded, QueryVector


class QueryEmbedding:
    """Gets the vector of a request's query, or the reason why there is none."""

    def __init__(self, embedder: QueryEmbedder, namespace_id: int, request: SearchRequest) -> None:
        self._embedder = embedder
        self._namespace_id = namespace_id
        self._request = request
        self._asked = _asked(request)
        self.found: QueryVector | QueryNotEmbedded | None = None
        if not self._asked:
            self.found = QueryNotEmbedded("the query only says what to leave out", expected=True)
        #: What it will most likely be, where that is known before the database tells.
        self.prefetched: QueryVector | None = None
        #: What was asked for in advance: a text, a generation, and its vector to come.
        self._expected: tuple[str, int, asyncio.Task[QueryVector]] | None = None

    @property
    def generation_id(self) -> int | None:
        """The model generation of the vector; None without one."""
        return self.found.generation_id if isinstance(self.found, QueryVector) else None

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.found is not None or self._request.mode not in BY_MEANING

    def expect(self, copy: CachedNamespace) -> None:
        """Begin to ask for the vector before the database tells which words name authors: a copy hardly lacks one."""
        if self.is_settled or copy.generation_id is None:
            return
        text = without_names(self._asked, name_words(self._asked) & copy.index.author_words)
        self.prefetched = self._embedder.known(self._namespace_id, text, copy.generation_id)
        if self.prefetched is None:
            asked = self._embedder.embed(self._namespace_id, text, copy.generation_id)
            coming = asyncio.create_task(asked)
            coming.add_done_callback(_see)
            self._expected = text, copy.generation_id, coming

    def look(self, parsed: ParsedQuery) -> None:
        """Take the vector if it is at hand."""
        if not self.is_settled:
            text = self._text(parsed)
            self.found = self._embedder.known(self._namespace_id, text, parsed.active_id)

    async def embed(self, parsed: ParsedQuery) -> None:
        """Wait for the vector. Raises EmbedderUnavailable where there is none, and nothing else would answer."""
        text, generation_id = self._text(parsed), parsed.active_id
        try:
            if self._expected and self._expected[:2] == (text, generation_id):
                self.found = await self._expected[2]
            else:
                # The model should not work on what is not wanted first.
                self.close()
                self.found = await self._embedder.embed(self._namespace_id, text, generation_id)
        except QueryNotEmbedded as error:
            self.miss(error)

    def miss(self, error: QueryNotEmbedded) -> None:
        """Go on without a vector. Raises EmbedderUnavailable where nothing else would answer."""
        if self._request.mode is SearchMode.SEMANTIC:
            raise EmbedderUnavailable(
                f"Search by meaning alone is not possible: {error}."
            ) from error
        self.found = error

    def close(self) -> None:
        """Let go what was asked for and is not wanted any more."""
        if self._expected:
            self._expected[2].cancel()
            self._expected = None

    def _text(self, parsed: ParsedQuery) -> str:
        """Return the query as it is embedded: passages are without who spoke, so a name would only draw it away."""
        return without_names(self._asked, parsed.names)


def _asked(request: SearchRequest) -> str:
    """Return what is to be like the query: without what it leaves out, which is near it all the same."""
    # Most queries leave nothing out, and need not be parsed to tell.
    if not request.operators or not ("-" in request.text or "NOT" in request.text):
        return request.text
    query = parse_operands(request.text)
    return " ".join(each.text for each in query.wanted) if query.excludes else request.text


def _see(coming: asyncio.Task[QueryVector]) -> None:
    # What fails and is not waited for is no news: whoever needs the vector asks for it.
    if not coming.cancelled():
        coming.exception()

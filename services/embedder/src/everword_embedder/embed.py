"""Turn texts into vectors of a model generation."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from cachetools import TTLCache
from psycopg_pool import PoolTimeout

from everword.db.pool import Database
from everword.domain.errors import EmbedderUnavailable, EverwordError, InvalidArgument
from everword.text.credentials import mask_credentials
from everword_embedder import store
from everword_embedder.batcher import Batcher, Priority
from everword_embedder.providers.errors import (
    INPUT_TOKENS,
    ProviderMisconfigured,
    ProviderUnavailable,
)
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.generation import LOCAL, ModelGeneration
from everword_embedder.providers.isolation import Outcome
from everword_embedder.providers.local_model import query_background
from everword_embedder.providers.openai.provider import ServerState
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.space_map import Background
from everword_embedder.providers.telemetry import receipt
from everword_embedder.providers.vectors import Vector
from everword_embedder.providers.weights import WeightChoice

log = logging.getLogger(__name__)
#: Memory for the vectors of queries: 20,000 of the local model.
CACHE_BYTES = 32 * 1024 * 1024
#: A query's vector never changes; what people asked is forgotten after this long all the same.
CACHE_TTL_S = 3600.0
#: Seconds after a switch when the memory of the old model is freed.
UNLOAD_S = 600.0
#: Embedded at the start: a text in English, and one that is not.
WARM_UP, OTHER_WARM_UP = "warm-up", "Wo wohnt meine Schwester jetzt?"


@dataclass(frozen=True)
class EmbeddedTexts:
    """Vectors of one generation, one for each text."""

    generation_id: int
    dimensions: int
    vectors: list[Vector]
    #: Tokens read by the model in the calls of this request.
    input_tokens: int = 0
    #: Cosines of the first query with unrelated texts, if they differ from the generation's.
    background: Background | None = None


class Embedder:
    """The models of all generations, each behind its queue."""

    def __init__(self, database: Database, settings: EmbedSettings) -> None:
        self._database = database
        self._factory = ProviderFactory(settings)
        # Generations never change and are few.
        self._generations: dict[int, ModelGeneration] = {}
        self._batchers: dict[int, Batcher] = {}
        self._active: ModelGeneration | None = None
        #: Generations that are known to have embedded texts that are not English.
        self._with_other_languages: set[int] = set()
        self._cache: TTLCache[tuple[int, int, bytes], Vector] = TTLCache(
            CACHE_BYTES, CACHE_TTL_S, getsizeof=lambda vector: vector.nbytes
        )

    async def embed(
        self,
        texts: Sequence[str],
        priority: Priority,
        generation_id: int = 0,
        namespace_id: int = 0,
    ) -> EmbeddedTexts:
        """Return a vector for each text, of the active generation for 0. Those of queries are kept for their namespace.

        Raises EmbedderUnavailable where the model is away, InvalidArgument naming each text that it cannot take while
        it takes others, and Overloaded. The first two say in their metadata how many tokens the model read.
        """
        generation = await self._generation(generation_id)
        vectors: dict[str, Vector] = {}
        if priority is Priority.QUERY:
            vectors = self._cached(namespace_id, generation, texts)
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        with receipt() as read:
            sent: Sequence[str] = missing
            if priority is Priority.QUERY and missing:
                sent = await self._sent(generation, namespace_id, missing)
            outcomes = await self._outcomes(generation, sent, priority)
        try:
            vectors |= _vectors_or_raise(texts, dict(zip(missing, outcomes, strict=True)))
        except EverwordError as error:
            # Tokens of failed calls are charged, too.
            error.metadata[INPUT_TOKENS] = str(sum(read))
            raise
        if priority is Priority.QUERY:
            self._cache.update(
                {_key(namespace_id, generation, text): vectors[text] for text in missing}
            )
        await self._note_other_languages(generation)
        asked = [vectors[text] for text in texts]
        background = None
        if priority is Priority.QUERY and generation.provider == LOCAL:
            background = query_background(generation.model, texts[0])
        return EmbeddedTexts(generation.id, generation.dimensions, asked, sum(read), background)

    async def warm_up(self) -> None:
        """Load the local model if it is the active one, so that the first query does not wait for it.

        The part for other languages, 200 MB, is loaded only if it was needed before.
        An error is only logged: the next call that needs the model tries again and raises it.
        """
        try:
            generation = await self._generation(0)
            if generation.provider == LOCAL:
                texts = [WARM_UP, OTHER_WARM_UP] if generation.other_languages else [WARM_UP]
                await self.embed(texts, Priority.QUERY, generation.id)
        except (EverwordError, psycopg.Error, PoolTimeout) as error:
            log.warning("model not warmed up", extra={"error": str(error)})

    async def describe_model(self) -> WeightChoice | ServerState | None:
        """Return how fast the active model is, local or on a server; None before its first use."""
        generation = await self._generation(0)
        return self._factory.describe_local_model(generation) or self._factory.describe_server(
            generation
        )

    async def close(self) -> None:
        for batcher in self._batchers.values():
            await batcher.close()
        self._factory.close()

    async def _generation(self, generation_id: int) -> ModelGeneration:
        if known := self._generations.get(generation_id):
            return known
        async with self._database.connection() as conn:
            found = await store.read_generation(conn, generation_id)
        if found is None and generation_id:
            raise InvalidArgument(
                violations=(("generation_id", "there is no such model generation"),)
            )
        if found is None:
            raise EmbedderUnavailable("No model generation is active.")
        if not generation_id:
            self._note_active(found)
        return self._generations.setdefault(found.id, found)

    def _note_active(self, active: ModelGeneration) -> None:
        """Free the memory of the model that was active before, once searches that began with it have ended."""
        before, self._active = self._active, active
        if before and before.id != active.id:
            asyncio.get_running_loop().call_later(UNLOAD_S, self._factory.unload, before)

    async def _note_other_languages(self, generation: ModelGeneration) -> None:
        """Have later starts load the part of the model for other languages, now that texts have needed it."""
        known = generation.other_languages or generation.id in self._with_other_languages
        if known or not self._factory.has_loaded_other_languages(generation):
            return
        self._with_other_languages.add(generation.id)
        try:
            async with self._database.connection() as conn:
                await store.note_other_languages(conn, generation.id)
        except (psycopg.Error, PoolTimeout) as error:
            # A later start is slower; these vectors are right.
            log.warning("other languages not noted", extra={"error": str(error)})

    def _cached(
        self, namespace_id: int, generation: ModelGeneration, texts: Sequence[str]
    ) -> dict[str, Vector]:
        found = {text: self._cache.get(_key(namespace_id, generation, text)) for text in texts}
        return {text: vector for text, vector in found.items() if vector is not None}

    async def _sent(
        self, generation: ModelGeneration, namespace_id: int, queries: Sequence[str]
    ) -> Sequence[str]:
        """Return queries as sent to the model: for a model on a server, without credentials, like passages.

        The query of a context may be a message, if its caller gives none.
        """
        if generation.provider == LOCAL:
            return queries
        async with self._database.connection() as conn:
            if not await store.masks_credentials(conn, namespace_id):
                return queries
        return await asyncio.to_thread(lambda: list(map(mask_credentials, queries)))

    async def _outcomes(
        self, generation: ModelGeneration, texts: Sequence[str], priority: Priority
    ) -> list[Outcome]:
        query = priority is Priority.QUERY
        prefix = generation.query_prefix if query else generation.passage_prefix
        return await self._batcher(generation).embed([prefix + text for text in texts], priority)

    def _batcher(self, generation: ModelGeneration) -> Batcher:
        if generation.id not in self._batchers:
            try:
                provider = self._factory.open(generation)
            except ProviderMisconfigured as error:
                raise _unavailable(error) from error
            self._batchers[generation.id] = Batcher(provider)
        return self._batchers[generation.id]


def _key(namespace_id: int, generation: ModelGeneration, text: str) -> tuple[int, int, bytes]:
    """Return where a query's vector is kept; the text itself, which may be long and private, is not."""
    return namespace_id, generation.id, hashlib.blake2b(text.encode(), digest_size=16).digest()


def _vectors_or_raise(texts: Sequence[str], outcomes: dict[str, Outcome]) -> dict[str, Vector]:
    """Return the vectors by text, or raise what kept one of them from being made."""
    vectors: dict[str, Vector] = {}
    refused: dict[str, str] = {}
    for text, outcome in outcomes.items():
        if isinstance(outcome, ProviderUnavailable):
            raise _unavailable(outcome)
        if isinstance(outcome, Exception):
            refused[text] = str(outcome)
        else:
            vectors[text] = outcome
    if refused:
        raise InvalidArgument(
            violations=tuple(
                (f"texts[{index}]", refused[text])
                for index, text in enumerate(texts)
                if text in refused
            )
        )
    return vectors


def _unavailable(error: ProviderUnavailable) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"No embedding model answers: {error}")

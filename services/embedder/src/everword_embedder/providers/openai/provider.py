"""Embeds texts by a server with OpenAI's `/v1/embeddings`: vLLM, Ollama, OpenAI itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderError,
    ProviderMisconfigured,
    ProviderUnavailable,
    WrongAnswer,
)
from everword_embedder.providers.generation import OPENAI, ModelGeneration
from everword_embedder.providers.openai.answers import tokens_of, vectors_of
from everword_embedder.providers.openai.models import HELLO, ListedModel, listed_model
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.provider import BatchLimits
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.telemetry import record_tokens
from everword_embedder.providers.vectors import Vectors, unit_vectors

#: Characters; a longer batch is split into several requests. About 30 passages.
_BATCH_CHARACTERS = 24_000
#: Seconds for which the learned fields of a server are kept after a refusal.
RELEARN_S = 10.0


@dataclass(frozen=True)
class EmbeddingDialect:
    """The optional request fields that a server accepts, its model's token limit, and when both were learned."""

    options: dict[str, Any]
    max_tokens: int | None
    learned_at: float


@dataclass(frozen=True)
class ServerState:
    """The state of a server, from the requests so far."""

    dimensions: int
    #: None if the server does not say.
    max_tokens: int | None
    base64: bool
    #: Duration of the last successful request in milliseconds.
    request_ms: float
    #: Error message of the last request; empty if it succeeded.
    error: str


class OpenAIProvider:
    """Embeds texts by requests to a server."""

    name = OPENAI

    def __init__(
        self,
        generation: ModelGeneration,
        server: OpenAIServer,
        settings: EmbedSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = generation.model
        self.dimensions = generation.dimensions
        self.limits = BatchLimits(
            settings.batch, _BATCH_CHARACTERS, settings.concurrency, queries=settings.batch
        )
        self._matryoshka = generation.matryoshka
        self._server = server
        self._clock = clock
        self._dialect: EmbeddingDialect | None = None
        self._learning = asyncio.Lock()
        self._request_ms = 0.0
        #: None before the first request.
        self._error: str | None = None

    @property
    def max_tokens(self) -> int | None:
        return self._dialect.max_tokens if self._dialect else None

    def describe(self) -> ServerState | None:
        """Return the state of the server; None before the first request."""
        if self._error is None:
            return None
        binary = self._dialect is not None and "encoding_format" in self._dialect.options
        return ServerState(self.dimensions, self.max_tokens, binary, self._request_ms, self._error)

    async def embed(self, texts: Sequence[str], *, urgent: bool = True) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)  # a server refuses an empty list
        try:
            return await self._embed_learned(texts)
        except ProviderUnavailable as error:
            self._error = str(error)
            raise

    async def _embed_learned(self, texts: Sequence[str]) -> Vectors:
        dialect = await self._learned()
        try:
            return await self._embed(texts, dialect.options)
        except BatchRefused:
            # The server may have been updated, so that it refuses an option, not the texts: learn the options again.
            if self._clock() - dialect.learned_at >= RELEARN_S:
                self._dialect = None
            raise

    async def close(self) -> None:
        await self._server.close()

    async def _embed(self, texts: Sequence[str], options: dict[str, Any]) -> Vectors:
        body = {"model": self.model, "input": list(texts), **options}
        started = self._clock()
        answer = await self._server.post("/v1/embeddings", body, texts)
        self._request_ms, self._error = (self._clock() - started) * 1000, ""
        record_tokens(self, tokens_of(answer))
        native = vectors_of(answer, len(texts))
        return unit_vectors(native, len(texts), self.dimensions, self._matryoshka)

    async def _learned(self) -> EmbeddingDialect:
        """Return the server's dialect. It is learned before any texts are sent, so a refusal is due to the texts."""
        async with self._learning:
            if self._dialect is None:
                served = await listed_model(self._server, self.model)
                options = await self._accepted_options(served)
                self._dialect = EmbeddingDialect(options, served.max_tokens, self._clock())
            return self._dialect

    async def _accepted_options(self, served: ListedModel) -> dict[str, Any]:
        """Return the largest set of optional fields that the server accepts. Raises ProviderMisconfigured if none."""
        refusal: ProviderError | None = None
        for options in self._options_to_try(served):
            try:
                await self._embed([HELLO], options)
            except (BatchRefused, WrongAnswer) as error:
                refusal = error.with_traceback(None)
            else:
                return options
        raise ProviderMisconfigured(str(refusal)) from refusal

    def _options_to_try(self, served: ListedModel) -> list[dict[str, Any]]:
        # vLLM answers 400 to the whole batch for one long text, unless it may cut it.
        cut: dict[str, Any] = {"truncate_prompt_tokens": -1} if served.vllm else {}
        # Base64 takes a third of the bytes of numbers in JSON.
        binary = {"encoding_format": "base64"}
        # vLLM refuses `dimensions` unless the model is configured as Matryoshka; vectors are then cut here.
        short = {"dimensions": self.dimensions} if self._matryoshka else {}
        tries = [{**cut, **binary, **short}, {**cut, **binary}, cut, {}]
        return [options for at, options in enumerate(tries) if options not in tries[:at]]

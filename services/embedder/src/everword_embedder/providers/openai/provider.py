"""The provider of any server with OpenAI's `/v1/embeddings`: vLLM, Ollama, OpenAI itself."""

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

#: A batch of long texts is sent in parts: about 30 passages.
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
    """A server as the requests to it found it."""

    dimensions: int
    #: None if the server does not say.
    max_tokens: int | None
    base64: bool
    #: Milliseconds of the last request that was answered.
    request_ms: float
    #: Of the last request; empty if it was answered.
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
        """Return what the requests so far have shown; None before the first."""
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
            # Another release of the server may answer by now, and refuse an option and not the texts.
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
        """Return the dialect of the server; learned once, so that a later refusal can only be due to the texts."""
        async with self._learning:
            if self._dialect is None:
                served = await listed_model(self._server, self.model)
                options = await self._accepted_options(served)
                self._dialect = EmbeddingDialect(options, served.max_tokens, self._clock())
            return self._dialect

    async def _accepted_options(self, served: ListedModel) -> dict[str, Any]:
        """Return the most fields that the server accepts. Raises ProviderMisconfigured if it refuses all."""
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
        # A third of the bytes of numbers in JSON.
        binary = {"encoding_format": "base64"}
        # Refused by vLLM unless the model is declared Matryoshka there too; then vectors are cut here.
        short = {"dimensions": self.dimensions} if self._matryoshka else {}
        tries = [{**cut, **binary, **short}, {**cut, **binary}, cut, {}]
        return [options for at, options in enumerate(tries) if options not in tries[:at]]

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
    WrongAnswer,
)
from everword_embedder.providers.generation import OPENAI, ModelGeneration
from everword_embedder.providers.openai_answers import tokens_of, vectors_of
from everword_embedder.providers.openai_server import OpenAIServer
from everword_embedder.providers.provider import BatchLimits
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.telemetry import record_tokens
from everword_embedder.providers.vectors import Vectors, unit_vectors

#: Embedded to learn what a server takes; every model can.
_HELLO = "hello"
#: A batch of long texts is sent in parts: about 30 passages.
_BATCH_CHARACTERS = 24_000
#: How long it is taken for granted what a server takes, once it refuses something.
RELEARN_S = 10.0


@dataclass(frozen=True)
class ServedModel:
    """What a server says of a model."""

    model: str
    max_tokens: int | None
    vllm: bool


@dataclass(frozen=True)
class Dialect:
    """What a server takes beside the model and the texts, and when that was learned."""

    options: dict[str, Any]
    max_tokens: int | None
    learned_at: float


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
        self.limits = BatchLimits(settings.batch, _BATCH_CHARACTERS, settings.concurrency)
        self._matryoshka = generation.matryoshka
        self._server = server
        self._clock = clock
        self._dialect: Dialect | None = None
        self._learning = asyncio.Lock()

    @property
    def max_tokens(self) -> int | None:
        return self._dialect.max_tokens if self._dialect else None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)  # a server refuses an empty list
        dialect = await self._learned()
        try:
            return await self._embed(texts, dialect.options)
        except BatchRefused:
            # Another release of the server may answer by now, and refuse an option and not the texts.
            if self._clock() - dialect.learned_at >= RELEARN_S:
                self._dialect = None
            raise

    async def check(self) -> None:
        await self._server.check()

    async def close(self) -> None:
        await self._server.close()

    async def _embed(self, texts: Sequence[str], options: dict[str, Any]) -> Vectors:
        body = {"model": self.model, "input": list(texts), **options}
        answer = await self._server.post("/v1/embeddings", body, texts)
        record_tokens(self, tokens_of(answer))
        native = vectors_of(answer, len(texts))
        return unit_vectors(native, len(texts), self.dimensions, self._matryoshka)

    async def _learned(self) -> Dialect:
        """Return what the server takes; learned once, so that a refusal later can only be for the texts."""
        async with self._learning:
            if self._dialect is None:
                served = await served_model(self._server, self.model)
                options = await self._accepted_options(served)
                self._dialect = Dialect(options, served.max_tokens, self._clock())
            return self._dialect

    async def _accepted_options(self, served: ServedModel) -> dict[str, Any]:
        """Return the most that the server does not refuse. Raises ProviderMisconfigured where it refuses everything."""
        refusal: ProviderError | None = None
        for options in self._options_to_try(served):
            try:
                await self._embed([_HELLO], options)
            except BatchRefused as error:
                refusal = error
            else:
                return options
        raise ProviderMisconfigured(str(refusal)) from refusal

    def _options_to_try(self, served: ServedModel) -> list[dict[str, Any]]:
        # vLLM answers 400 to the whole batch for one long text, unless it may cut it.
        cut = {"truncate_prompt_tokens": -1} if served.vllm else {}
        # A third of the bytes of numbers in JSON.
        binary = {"encoding_format": "base64"}
        # Refused by vLLM unless the model is declared Matryoshka there too; then vectors are cut here.
        short = {"dimensions": self.dimensions} if self._matryoshka else {}
        tries = [{**cut, **binary, **short}, {**cut, **binary}, cut, {}]
        return [options for at, options in enumerate(tries) if options not in tries[:at]]


async def served_model(server: OpenAIServer, model: str) -> ServedModel:
    """Return what `/v1/models` says of `model`, or of the server's only model where it is empty.

    Raises ProviderMisconfigured where the name is needed and not given.
    """
    try:
        body = await server.get("/v1/models")
    except (ProviderMisconfigured, BatchRefused, WrongAnswer):
        # Not every server lists its models, and not every key may ask; a wrong key is refused by the first request.
        body = {}
    data = body.get("data")
    listed = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    if not model and len(listed) != 1:
        raise ProviderMisconfigured(
            f"the server has {len(listed)} models; name one with EVERWORD_EMBED_MODEL"
        )
    entry = next((entry for entry in listed if not model or entry.get("id") == model), {})
    limit = entry.get("max_model_len")
    return ServedModel(
        model=model or str(entry.get("id", "")),
        max_tokens=limit if isinstance(limit, int) else None,
        vllm=entry.get("owned_by") == "vllm",
    )


async def native_dimensions(server: OpenAIServer, model: str) -> int:
    """Return how many dimensions a served model's vectors have, for a generation that is to be made."""
    body = {"model": model, "input": [_HELLO]}
    answer = await server.post("/v1/embeddings", body, [_HELLO])
    return int(vectors_of(answer, 1).shape[1])

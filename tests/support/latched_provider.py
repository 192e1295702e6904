"""A provider that blocks every call until the test releases it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np

from everword_embedder.providers.errors import BatchRefused, ProviderError
from everword_embedder.providers.provider import BatchLimits
from everword_embedder.providers.vectors import Vector, Vectors


class Call:
    """One call of the provider, blocked until released."""

    def __init__(self, texts: Sequence[str], *, urgent: bool) -> None:
        self.texts = list(texts)
        self.urgent = urgent
        self.gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.cancelled = False

    def let_go(self) -> None:
        self.gate.set_result(None)

    def fail(self, error: Exception) -> None:
        self.gate.set_exception(error)


class LatchedProvider:
    """Gives each text the vector (its length, 1). If `latched` is false, calls are not blocked."""

    name = "latched"
    model = "latched"
    dimensions = 2
    max_tokens: int | None = None

    def __init__(
        self, texts: int = 4, characters: int = 1000, background: int = 1, *, latched: bool = True
    ) -> None:
        self.limits = BatchLimits(texts, characters, background, queries=texts)
        self.latched = latched
        self.closed = False
        #: All calls so far, and the calls that still wait for their gate.
        self.calls: list[Call] = []
        self.held: list[Call] = []
        #: Returns whether a text makes its whole batch fail.
        self.refuses: Callable[[str], bool] = lambda text: False
        self.refusal: ProviderError = BatchRefused("no")

    @property
    def texts(self) -> list[list[str]]:
        return [call.texts for call in self.calls]

    async def embed(self, texts: Sequence[str], *, urgent: bool = True) -> Vectors:
        call = Call(texts, urgent=urgent)
        self.calls.append(call)
        if self.latched:
            self.held.append(call)
            try:
                await call.gate
            except asyncio.CancelledError:
                call.cancelled = True
                raise
            finally:
                self.held.remove(call)
        if any(self.refuses(text) for text in texts):
            raise self.refusal
        return np.array([vector_of(text) for text in texts])

    async def close(self) -> None:
        self.closed = True


def vector_of(text: str) -> Vector:
    return np.array([len(text), 1], np.float32)

"""Makes calls as a careful client does: it retries failed calls with the same request."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypeVar

import grpc

from everword.client import CallError, Client, ClientSettings
from everword.embedded.folder import RunningStack
from faults.history import History, Promise

Answer = TypeVar("Answer")
#: Status codes that a fault explains; others are bugs.
PASSING = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
    }
)
PAUSE_S = 0.5


@dataclass(frozen=True)
class Caller:
    """A client in one namespace that calls until it is stopped, and records the answers."""

    client: Client
    namespace: str
    history: History
    stopped: asyncio.Event
    random: random.Random
    #: Mean pause between two calls.
    pause_s: float

    async def repeat(self, once: Callable[[int], Awaitable[None]]) -> None:
        """Call `once` repeatedly with a running number, and a pause after each call."""
        number = 0
        while not self.stopped.is_set():
            await once(number)
            number += 1
            await self.rest()

    async def rest(self) -> None:
        await asyncio.sleep(self.random.uniform(0.0, 2 * self.pause_s))

    async def until_answered(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """Return the answer of a call, with retries; record errors that no fault explains."""
        while True:
            try:
                answer = await call()
            except CallError as error:
                self.history.retried[error.code.name] += 1
                if error.code not in PASSING:
                    self.history.hold(Promise.ERRORS, False, f"{self.namespace}: {error}")
                await asyncio.sleep(error.retry_after_s or PAUSE_S)
            else:
                self.history.looked[Promise.ERRORS] += 1
                return answer


def connect(stack: RunningStack, namespace: str) -> AbstractAsyncContextManager[Client]:
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)
    return Client.connect(settings)

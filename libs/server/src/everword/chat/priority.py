"""Lets interactive calls go before background calls of the same model server.

A key in Redis exists while such a call is in flight, and for a second or two afterwards, because people ask more than
one question. Without Redis, or while it is unavailable, no call waits for another.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import redis
import redis.asyncio

log = logging.getLogger(__name__)
#: Lifetime of the key, and the pause before it is renewed.
MARK_S, RENEW_S = 2.0, 1.0
#: Longest wait of one background call: a busy model answers people first, but not them alone.
MAX_WAIT_S = 120.0
_POLL_S = 0.25
_TIMEOUT_S = 1.0


def _key(endpoint: str) -> str:
    return f"everword:chat:interactive:{endpoint}"


class InteractiveCalls:
    """Announces interactive calls."""

    def __init__(self, redis_url: str, endpoint: str) -> None:
        """`endpoint` is the host and port of the model server."""
        self._key = _key(endpoint)
        self._tasks = set[asyncio.Task[None]]()
        self._redis = redis.asyncio.Redis.from_url(
            redis_url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
        )

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Let background calls wait during the block. It never delays the block."""
        ended = asyncio.Event()
        announcing = asyncio.create_task(self._announce(ended))
        # The event loop alone does not keep a task alive.
        self._tasks.add(announcing)
        announcing.add_done_callback(self._tasks.discard)
        try:
            yield
        finally:
            # The task is not awaited: Redis' client may swallow a cancellation, and then the event ends the task.
            ended.set()
            announcing.cancel()

    async def close(self) -> None:
        await self._redis.aclose()

    async def _announce(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            try:
                await self._redis.set(self._key, 1, px=int(MARK_S * 1000))
            except redis.RedisError as error:
                log.debug("interactive call not announced", extra={"error": str(error)})
            await asyncio.sleep(RENEW_S)


class BackgroundTurn:
    """Makes background calls wait for announced ones."""

    def __init__(self, redis_url: str, endpoint: str) -> None:
        self._key = _key(endpoint)
        self._redis = redis.Redis.from_url(
            redis_url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
        )

    def wait(self, beat: Callable[[], None]) -> None:
        """Return once no announced call is in flight, or after `MAX_WAIT_S`; call `beat` meanwhile."""
        ends = time.monotonic() + MAX_WAIT_S
        while self._is_announced() and time.monotonic() < ends:
            time.sleep(_POLL_S)
            beat()

    def close(self) -> None:
        self._redis.close()

    def _is_announced(self) -> bool:
        try:
            return bool(self._redis.exists(self._key))
        except redis.RedisError:
            return False

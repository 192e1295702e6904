"""An event loop in a thread of its own, for callers that have none."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

from everword.client.errors import CallError

_Result = TypeVar("_Result")


class BackgroundLoop:
    """Runs coroutines for threads. It begins with the first, and ends with `close` or the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine, and return its result or raise its error."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        except CallError as error:
            # The frames inside the loop say nothing to the caller.
            raise error.with_traceback(None) from None
        except BaseException:
            # Ctrl-C ends the call with the wait for it.
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Return what `coroutine` returns, while the caller's own loop goes on."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        return await asyncio.wrap_future(future)

    def iterate(self, items: AsyncIterator[_Result]) -> Iterator[_Result]:
        """Iterate over `items`; nothing is fetched before it is asked for."""

        async def following() -> tuple[_Result] | None:
            try:
                return (await anext(items),)
            except StopAsyncIteration:
                return None

        while (item := self.run(following())) is not None:
            yield item[0]

    def close(self) -> None:
        """End the loop; the next coroutine begins another."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            with contextlib.closing(loop):
                loop.run_until_complete(loop.shutdown_asyncgens())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="everword", daemon=True
                )
                self._thread.start()
            return self._loop

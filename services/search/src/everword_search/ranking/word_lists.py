"""Reads the lists of English words beside the start of a service."""

from __future__ import annotations

import asyncio

from everword_search.ranking.frequencies import zipf
from everword_search.ranking.proper_names import may_be_name


class WordLists:
    """Makes `zipf` and `may_be_name` ready in a thread: neither the start of a service nor its event loop waits."""

    def __init__(self) -> None:
        self._reading: asyncio.Future[None] | None = None

    def read(self) -> asyncio.Future[None]:
        """Begin to read, once."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(asyncio.to_thread(_read))
            # What fails is told by whoever looks a word up.
            self._reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._reading

    async def ready(self) -> None:
        """Wait until words can be looked up at once. Raises nothing: who looks a word up tries again what failed."""
        reading = self.read()
        if not reading.done():
            # Many wait for it: one that is cancelled must not take it from the others.
            await asyncio.wait([reading])


def _read() -> None:
    zipf("the", "english")
    may_be_name("the", "english")

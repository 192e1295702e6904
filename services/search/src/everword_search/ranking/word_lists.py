"""Reads the lists of words beside the start of a service and its searches."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from everword.processes.heap import give_back
from everword_search.ranking.times.periods import named_periods
from everword_search.ranking.words.frequencies import language_of, zipf
from everword_search.ranking.words.proper_names import may_be_name

_ENGLISH = "english"


class WordLists:
    """Makes `zipf` and `may_be_name` ready in a thread: neither the start of a service nor its event loop waits."""

    def __init__(self) -> None:
        self._reading: dict[str, asyncio.Future[None]] = {}

    def read(self, config: str = _ENGLISH) -> asyncio.Future[None]:
        """Begin to read the lists for a text search configuration, once."""
        language = language_of(config)
        if language not in self._reading:
            reading = asyncio.ensure_future(asyncio.to_thread(_read, config))
            # What fails is told by whoever looks a word up.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._reading[language] = reading
        return self._reading[language]

    def are_ready(self, config: str) -> bool:
        """Tell whether words can be looked up at once, as far as they can be."""
        return self.read(config).done()

    async def ready(self, config: str = _ENGLISH) -> None:
        """Wait until words can be looked up at once. Raises nothing: who looks a word up tries again what failed."""
        reading = self.read(config)
        if not reading.done():
            # Many wait for it: one that is cancelled must not take it from the others.
            await asyncio.wait([reading])


def _read(config: str) -> None:
    zipf("the", config)
    may_be_name("the", config)
    named_periods("2001-02 today yesterday", config, datetime.now(UTC), "UTC")
    # What was compared takes ten times as much as what is kept of it.
    give_back()

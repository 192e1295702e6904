"""Load word lists in the background of the service's start and searches."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from everword.processes.heap import give_back
from everword_search.ranking.times.periods import named_periods
from everword_search.ranking.words.frequencies import language_of, zipf
from everword_search.ranking.words.proper_names import may_be_name

_ENGLISH = "english"


class WordLists:
    """Loads the data of `zipf` and `may_be_name`.

    It is loaded in a thread, so that neither start-up nor the event loop is blocked.
    """

    def __init__(self) -> None:
        self._reading: dict[str, asyncio.Future[None]] = {}

    def read(self, config: str = _ENGLISH) -> asyncio.Future[None]:
        """Start loading the lists for a text search configuration, unless they are loaded or loading."""
        language = language_of(config)
        if language not in self._reading:
            reading = asyncio.ensure_future(asyncio.to_thread(_read, config))
            # A failure is not raised here; the next look-up of a word tries again and raises it.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._reading[language] = reading
        return self._reading[language]

    def are_ready(self, config: str) -> bool:
        """Return whether loading has ended, successfully or not."""
        return self.read(config).done()

    async def ready(self, config: str = _ENGLISH) -> None:
        """Wait until loading has ended. Never raises: a failed load is repeated by the next look-up."""
        reading = self.read(config)
        if not reading.done():
            # `wait` does not cancel the shared future if one of its waiters is cancelled.
            await asyncio.wait([reading])


def _read(config: str) -> None:
    zipf("the", config)
    may_be_name("the", config)
    named_periods("today", config, datetime.now(UTC), "UTC")
    # Comparing lists takes ten times as much memory as the result, so return it to the system.
    give_back()

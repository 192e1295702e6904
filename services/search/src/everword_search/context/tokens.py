"""Load the tokenizer in the background of the service's start."""

from __future__ import annotations

import asyncio
from pathlib import Path

from everword.text.tokens.counter import TokenCounter, packaged_counter, read_counter


class Tokens:
    """Loads the packaged tokenizer in a thread, so that neither start-up nor the event loop is blocked."""

    def __init__(self, path: Path | None = None) -> None:
        #: An operator's file is read at once, so that an invalid one fails at start-up.
        self._counter = read_counter(path) if path else None
        self._reading: asyncio.Future[TokenCounter] | None = None

    def read(self) -> asyncio.Future[TokenCounter]:
        """Start loading the packaged tokenizer, once."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(asyncio.to_thread(packaged_counter))
        return self._reading

    async def ready(self) -> TokenCounter:
        """Return the tokenizer, after waiting until it is loaded."""
        if self._counter is None:
            # The shared future must survive if one of its waiters is cancelled.
            self._counter = await asyncio.shield(self.read())
        return self._counter

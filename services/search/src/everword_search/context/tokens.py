"""Makes the tokenizer ready beside the start of the service."""

from __future__ import annotations

import asyncio
from pathlib import Path

from everword.text.tokens.counter import TokenCounter, packaged_counter, read_counter


class Tokens:
    """Reads the tokenizer in a thread: neither the start of a service nor its event loop waits for the packaged one."""

    def __init__(self, path: Path | None = None) -> None:
        #: A file of the operator's is read at once: what is wrong with it is told at the start.
        self._counter = read_counter(path) if path else None
        self._reading: asyncio.Future[TokenCounter] | None = None

    def read(self) -> asyncio.Future[TokenCounter]:
        """Begin to read the packaged tokenizer, once."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(asyncio.to_thread(packaged_counter))
        return self._reading

    async def ready(self) -> TokenCounter:
        """Return the tokenizer, once it is read."""
        if self._counter is None:
            # Many wait for it: one that is cancelled must not take it from the others.
            self._counter = await asyncio.shield(self.read())
        return self._counter

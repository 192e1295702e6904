"""What reads have to see: the last write of whoever reads."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

_Response = TypeVar("_Response")


class Freshness:
    """The consistency token of the last write, also where several writes are under way at once."""

    def __init__(self) -> None:
        self.token = ""
        self._finished = 0

    def begin(self) -> int:
        """Return what `wrote` has to be given once a write that begins now has been answered."""
        return self._finished

    def wrote(self, token: str, begun: int) -> None:
        """Keep the token of a write.

        Of writes that were under way together the one that was answered last need not be the last one: the greater
        token is. One that began after all others were answered stands for them too.
        """
        overlapped = begun != self._finished
        self.token = max(self.token, token) if overlapped else token
        self._finished += 1

    async def write(self, call: Awaitable[_Response]) -> _Response:
        """Return the response of a write that begins now, and keep its token."""
        begun = self.begin()
        response = await call
        self.wrote(response.consistency_token, begun)  # type: ignore[attr-defined]
        return response

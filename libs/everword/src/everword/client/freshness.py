"""The consistency token of the last write, which later reads must see."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

_Response = TypeVar("_Response")


class Freshness:
    """The consistency token of the last write, also if several writes run at once."""

    def __init__(self) -> None:
        self.token = ""
        self._finished = 0

    def begin(self) -> int:
        """Return what `wrote` has to be given once a write that begins now has been answered."""
        return self._finished

    def wrote(self, token: str, begun: int) -> None:
        """Store the token of a write.

        If writes overlapped, the last answer need not be the last write, so the greater token counts. A write that
        began after all others were answered covers them, too.
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

"""Errors of a namespace that is at a limit which its operator set."""

from __future__ import annotations

from everword.domain.errors import Exhausted


class RateLimitReached(Exhausted):
    """The namespace has done as much in this minute as it may."""

    reason = "RATE_LIMIT_REACHED"

    def __init__(self, limit: str, most: int, retry_after_s: float) -> None:
        #: Never sooner than the minute is over.
        self.retry_after_s = max(retry_after_s, 0.0) + 0.01
        what = limit.partition("_")[0]
        super().__init__(
            f"The namespace may make {most} {what} in a minute; call again in {self.retry_after_s:.0f} s, "
            "or ask its operator for a higher limit.",
            limit=limit,
            most=most,
        )


class StorageLimitReached(Exhausted):
    """The namespace holds as much text as it may."""

    reason = "STORAGE_LIMIT_REACHED"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The namespace may hold {most} bytes of text, and does; erase what is not needed, or ask its operator for "
            "a higher limit.",
            limit="stored_bytes",
            most=most,
        )

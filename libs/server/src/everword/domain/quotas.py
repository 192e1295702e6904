"""Errors of a namespace that is at a limit which its operator set."""

from __future__ import annotations

from typing import Self

from everword.domain.errors import LimitReached


class RateLimitReached(LimitReached):
    """The namespace has done as much in this minute as it may."""

    reason = "RATE_LIMIT_REACHED"

    @classmethod
    def of(cls, limit: str, cap: int, retry_after_s: float) -> Self:
        """Return the error for a field of NamespaceLimits, `cap` of which are allowed, and the rest of the minute."""
        # Never sooner than the minute is over.
        delay_s = max(retry_after_s, 0.0) + 0.01
        what = limit.partition("_")[0]
        error = cls(
            f"The namespace may make {cap} {what} in a minute; call again in {delay_s:.0f} s, "
            "or ask its operator for a higher limit.",
            limit=limit,
            most=cap,
        )
        error.retry_after_s = delay_s
        return error


class StorageLimitReached(LimitReached):
    """The namespace holds as much text as it may."""

    reason = "STORAGE_LIMIT_REACHED"

    @classmethod
    def of(cls, cap: int) -> Self:
        """Return the error for the bytes that are allowed."""
        return cls(
            f"The namespace has reached its limit of {cap} bytes of text; erase data, or ask the operator for a "
            "higher limit.",
            limit="stored_bytes",
            most=cap,
        )

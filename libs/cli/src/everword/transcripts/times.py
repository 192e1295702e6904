"""Times as files have them: ISO 8601, or a number since 1970."""

from __future__ import annotations

from datetime import UTC, datetime

from everword.transcripts.errors import RecordError

#: From here on a number is too large to be seconds (they would be after the year 5138), milliseconds, or microseconds.
_FINER = 1e11
_STEP = 1000
#: Units that are finer than seconds.
_FINER_UNITS = 3


def time_of(value: object, place: str) -> str:
    """Return a time as RFC 3339 in UTC; empty if `value` is None, empty or 0.

    A number counts seconds, milliseconds, microseconds or nanoseconds, whichever gives a plausible date. A time without
    a zone is in UTC.

    Raises: RecordError, with `place`, if the value is not a time.
    """
    if value is None or value == "" or value == 0:
        return ""
    try:
        moment = _moment(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        raise RecordError(place, f"{str(value)[:100]!r} is not a time") from None


def _moment(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    text = str(value).strip()
    if isinstance(value, bool) or not _is_count(text):
        return datetime.fromisoformat(text.removesuffix(" UTC"))
    count = float(text)
    for _ in range(_FINER_UNITS):
        if abs(count) >= _FINER:
            count /= _STEP
    return datetime.fromtimestamp(count, UTC)


def _is_count(text: str) -> bool:
    """Return whether a text is a number, as opposed to a date without dashes, such as 20260302."""
    whole, _, part = text.lstrip("-").partition(".")
    return len(whole) != len("20260302") and f"{whole}{part or '0'}".isdigit()

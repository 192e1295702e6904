"""Days of requests as values."""

from __future__ import annotations

from datetime import date

from everword.domain.errors import InvalidArgument


def to_day(sent: str, field: str) -> date | None:
    """Return a day such as `2026-04-18`; None where none was sent."""
    if not sent:
        return None
    try:
        return date.fromisoformat(sent)
    except ValueError:
        raise InvalidArgument(violations=((field, "is no day of the calendar"),)) from None

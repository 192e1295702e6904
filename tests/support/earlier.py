"""Times in the past, for updates of tests."""

from __future__ import annotations


def earlier(column: str, seconds: float) -> str:
    """Return SQL for a time before that of a column.

    Citus refuses the operator of timestamptz and interval, which is not immutable, in an UPDATE.
    """
    return f"to_timestamp(extract(epoch FROM {column}) - {seconds})"

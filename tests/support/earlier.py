"""Times in the past, for updates of tests."""

from __future__ import annotations


def earlier(column: str, seconds: float) -> str:
    """Return SQL for a time before that of a column.

    Citus wants immutable functions in an UPDATE. The operator of timestamptz and interval is not, and `extract` is only
    for intervals.
    """
    return f"to_timestamp(extract(epoch FROM {column} - timestamptz '1970-01-01Z') - {seconds})"

"""Bounds of what is read: characters, passages, and the place before the first memory."""

from __future__ import annotations

from uuid import UUID

DEFAULT_CONTENT_CHARS = 2000


def max_parts(chars: int) -> int:
    """Return how many passages of a text surely hold its first `chars` characters.

    Two passages in a row have at least 80 words together, and a word has at least one character.
    """
    return chars // 40 + 2


def end_of_time(newest_first: bool) -> tuple[str, str]:
    """Return the place before the first memory in the order asked for."""
    if newest_first:
        return "infinity", str(UUID(int=2**128 - 1))
    return "-infinity", str(UUID(int=0))

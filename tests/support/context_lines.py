"""Lines of a context in its text form."""

from __future__ import annotations

import re

_MARKS = re.compile(r"\[\d+[^\]]*\](?:\d+%)? ")


def without_marks(line: str) -> str:
    """Return an item's line without its number, kind, relevance and other marks."""
    return _MARKS.sub("", line, count=1)

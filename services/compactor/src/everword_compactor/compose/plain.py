"""Sources as lines of their own, where nothing is chosen from them and nobody rewrites them."""

from __future__ import annotations

from everword.domain.times import write_minute
from everword_compactor.compose.model import Source


def plain_line(source: Source) -> str:
    """Return a source as it is, with its time and speaker; a node is such lines already."""
    if source.level:
        return source.text
    who = source.author or source.agent
    return f"- [{write_minute(source.earliest_at)}{' ' if who else ''}{who}] {source.text}"

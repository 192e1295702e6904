"""Holds the statements of a text against its sources."""

from __future__ import annotations

from collections.abc import Iterable

from everword.text.statements.misstated import find_misstated
from everword.text.statements.obeyed import find_obeyed
from everword.text.statements.sources import StatedSource, Statements


def misstatements(text: str, sources: Iterable[StatedSource]) -> list[str]:
    """Return the clauses of a text that its sources contradict, and the sentences that one of them ordered."""
    said = list(sources)
    obeyed = list(find_obeyed(text, (source.text for source in said)))
    return obeyed + list(find_misstated(text, Statements(said)))

"""Hold an answer against the memories that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from everword.domain.records import MemoryRecord
from everword.text.values.evidence import Evidence, find_values
from everword_search.answers.prompt import without_citations

#: Values that are named at most.
MAX_UNSUPPORTED = 50


def find_unsupported(answer: str, query: str, cited: Sequence[MemoryRecord]) -> list[str]:
    """Return numbers, dates, identifiers and quotations of the answer that no cited memory holds, nor the query."""
    texts = [query]
    for memory in cited:
        texts += [memory.content, memory.author, memory.agent, memory.channel, memory.instance]
    times = [memory.occurred_at.astimezone(UTC) for memory in cited]
    missing = Evidence(texts, times).missing(find_values(without_citations(answer)))
    return list(dict.fromkeys(value.text for value in missing))[:MAX_UNSUPPORTED]

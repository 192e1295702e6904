"""The sources of summaries among search results, as text for a model."""

from __future__ import annotations

from collections.abc import Iterator

from everword.adapters.tools.text import heading, level_of, one_line, when
from everword.v1.search_service_pb2 import Expansion

#: Characters of each source; memory_get_full returns the whole.
_CHARS = 200


def source_lines(expansion: Expansion, depth: int = 1) -> Iterator[str]:
    """Yield a line for each summary and message that a summary was made from, indented by level."""
    indent = "    " * depth + "- "
    for child in expansion.children:
        summary = child.summary
        title = f"{level_of(summary.level)} summary · {when(summary.latest_time)} · id {summary.id}"
        yield f"{indent}{title}: {one_line(summary.content, _CHARS)}"
        yield from source_lines(child, depth + 1)
    for source in expansion.sources:
        yield f"{indent}{heading(source)}: {one_line(source.content or source.synthesized_content, _CHARS)}"
    if expansion.omitted:
        yield f"{indent}{expansion.omitted} more"

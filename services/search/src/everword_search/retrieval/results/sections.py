"""Read the text around the passages that matched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.records import INDEXED_TOOL_RESULT_CHARS, MemoryRecord
from everword.v1.memory_pb2 import ROLE_TOOL
from everword_search.records.model import max_parts
from everword_search.records.store import SurroundingRow, read_surroundings
from everword_search.retrieval.full_text import FullText
from everword_search.retrieval.model import SearchResult

#: Minimum passages read before and after the one that matched: these contain a section.
_SECTION_PARTS = 4
#: Characters of most passages.
_PASSAGE_CHARS = 500


async def with_full_texts(
    conn: Connection,
    database: Database,
    namespace_id: int,
    results: Sequence[SearchResult],
    chars: int,
) -> list[SearchResult]:
    """Return the results with the text around their passages: whole memories, or of long ones a part.

    For the best long memory at most about `chars` characters are read on each side, of the second half as many, and so
    on, but at least a section of each. Short memories cost no statement.
    """
    long = [each for each in results if each.memory.content_truncated and _matches_text(each)]
    read = dict[UUID, FullText]()
    if long:
        most = min(max_parts(chars), chars // _PASSAGE_CHARS)
        reaches = [max(_SECTION_PARTS, most // place) for place in range(1, len(long) + 1)]
        ids = [each.memory.id for each in long]
        passages = [each.hit.passage_id for each in long]
        async with database.bound(conn, namespace_id):
            rows = await read_surroundings(conn, namespace_id, ids, passages, reaches)
        reach = dict(zip(ids, reaches, strict=True))
        near = groupby(rows, key=lambda row: row.memory_id)
        read = {id_: _joined(own, reach[id_]) for id_, own in near}
    return [
        replace(each, full=_of_memory(read.get(each.memory.id) or _short(each), each.memory))
        for each in results
    ]


def _matches_text(result: SearchResult) -> bool:
    """Return whether the passage is a part of the text, and not the sentence for a tool call."""
    return result.passage != result.memory.synthesized_content


def _short(result: SearchResult) -> FullText | None:
    memory = result.memory
    if memory.content_truncated or not _matches_text(result):
        return None
    return FullText.of(memory.content, result.passage)


def _joined(rows: Iterable[SurroundingRow], reach: int) -> FullText:
    known = list(rows)
    before = "".join(row.content for row in known if row.distance < 0)
    passage = "".join(row.content for row in known if row.distance == 0)
    after = "".join(row.content for row in known if row.distance > 0)
    goes_after = known[-1].distance == reach
    return replace(
        FullText.around(before, passage, after),
        goes_before=known[0].part > 0,
        goes_after=goes_after,
    )


def _of_memory(full: FullText | None, memory: MemoryRecord) -> FullText | None:
    if full is None or not (memory.tool_name or memory.role == ROLE_TOOL):
        return full
    # The end of a long tool result is not indexed, so it has no passages.
    is_cut = len(full.text) >= INDEXED_TOOL_RESULT_CHARS
    return replace(full, of_tool=True, goes_after=full.goes_after or is_cut)

"""Names in questions about documents, whose parts belong to no conversation."""

from __future__ import annotations

import pytest

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.databases import cloned
from support.document_calls import write
from support.stack import Stack, running_stack

NOVEL = """# Chapter 8

From this time Captain Wentworth and Anne Elliot were repeatedly in the same circle. They were soon dining in company
together at the house of the squire, for the little boy's state could no longer supply his aunt with a pretence.

# Chapter 9

The first ship that he commanded was the Asp, quite worn out and broken up. She was reported fit for home service for a
year or two, and so he was sent off to the West Indies, where he took privateers enough to be very entertaining.
"""


async def _best(stack: Stack, query: str) -> pb.SearchResult:
    request = pb.SearchRequest(
        query=query,
        explain=True,
        filter=memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_CHUNK]),
    )
    return (await stack.search.Search(request)).results[0]


def _absent(result: pb.SearchResult) -> float:
    return next(each.value for each in result.explanation.features if each.name == "m_absent")


@pytest.mark.parametrize("cache_mb", [0, None], ids=["database", "cache"])
async def test_name_that_another_part_of_the_document_mentions_is_not_absent(
    postgres_url: str, cache_mb: int | None
) -> None:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False, cache_mb=cache_mb) as stack:
            await write(stack, NOVEL, "Persuasion")
            question = "Which worn out ship did Captain {} command first?"
            known = await _best(stack, question.format("Wentworth"))
            foreign = await _best(stack, question.format("Nemo"))
    assert known.memory.headings == foreign.memory.headings == ["Chapter 9"]
    assert (_absent(known), _absent(foreign)) == (0, 1)
    assert known.relevance > foreign.relevance

"""Questions with many answers, and requests for a summary, by RPC with the default settings."""

from __future__ import annotations

from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import running_stack

SPORTS = (
    "After work I played two sets of tennis with Mia, and my shoulder has been complaining ever since.",
    "On Sunday my brother dragged me to the golf course again, eighteen holes in the rain.",
    "The volleyball group meets in the school hall now, because the beach is far too cold.",
)
OTHERS = (
    "They cancelled the sports page of the local paper, and nobody at the office even noticed.",
    "My nephew wants a sports car for his birthday, he has plainly no idea of what one costs.",
    "The sports shop on the corner closed, so the whole street is getting a bit quiet.",
    "You play that song so often that I hum it in meetings, it is really embarrassing.",
    "I play with the thought of changing jobs, but the pension here is hard to beat.",
    "Our conversations about the budget always end the same way, with a list of open questions.",
    "Can you give me the order number of the lamp? The summary in the mail does not have it.",
)
KITCHEN = (
    "The kitchen tiles arrived today, in the wrong colour, so the shop will send new ones.",
    "The plumber moved the kitchen sink to the window and left a hole in the wall.",
)


async def test_search_finds_things_of_the_asked_type_and_topics(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database) as stack:
        await append(stack, *map(message, (*OTHERS, *SPORTS, *KITCHEN)))
        await embed_everything(stack)

        async def first(query: str, number: int) -> set[str]:
            response = await stack.search.Search(pb.SearchRequest(query=query))
            return {each.memory.content for each in response.results[:number]}

        # Five other messages share a word with the question.
        assert {*SPORTS[:2]} <= await first("What sports do I play?", 5)
        request = (
            "Can you give me a summary of how the kitchen developed throughout our conversations?"
        )
        assert await first(request, 2) == {*KITCHEN}

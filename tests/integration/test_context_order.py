"""A context has its blocks in a fixed order, independent of the order of writes."""

from __future__ import annotations

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_service_pb2, lore_service_pb2
from support import graphs
from support.background import embed_everything
from support.calls import append_request, message, target
from support.databases import DatabaseUnderTest
from support.document_calls import write, write_file
from support.lore import book_key, entry, write_book
from support.stack import Stack, running_stack

ORDER = ("BASE", "IDENTITY", "LOREBOOK", "DOCUMENTS", "MEMORIES", "CHAT_HISTORY", "GRAPH")


async def say(stack: Stack, session_key: str, words: str) -> str:
    request = append_request(message(words))
    request.conversation.CopyFrom(target(session_key, agent="mira", subject="ana"))
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def test_context_blocks_are_in_prompt_order(database: DatabaseUnderTest) -> None:
    async with running_stack(database) as stack:
        built = await _build(stack)
    names = [
        context.ContextSource.Name(block.source).removeprefix("CONTEXT_SOURCE_")
        for block in built.blocks
    ]
    assert [name for name in names if name in ORDER] == list(ORDER)
    assert built.text.index("You are Mira") < built.text.index("crane driver")
    assert built.token_count <= 4000


async def _build(stack: Stack) -> context.BuildContextResponse:
    """Write one memory of each kind, in reverse order of the prompt, and build a context."""
    await graphs.write(
        stack,
        graphs.node("Ana"),
        graphs.node("Rotterdam harbour", "place"),
        graphs.edge("Ana", "works at", "Rotterdam harbour"),
    )
    conversation_id = await say(stack, "today", "What about the harbour of Rotterdam?")
    await say(stack, "earlier", "The harbour of Rotterdam closes its north gate in May.")
    await write(stack, "# Cranes\n\nCrane 4 of Rotterdam harbour lifts 80 tons.", "Manual")
    await write_book(stack, "places")
    rotterdam = entry("Rotterdam", "Has the largest harbour of the continent.", "Rotterdam")
    await stack.lore.WriteLoreEntry(
        lore_service_pb2.WriteLoreEntryRequest(key=book_key("places"), entry=rotterdam)
    )
    remember = fact_service_pb2.RememberRequest(
        subject="ana", attribute="job", value="crane driver at Rotterdam harbour"
    )
    await stack.facts.Remember(remember)
    await write_file(stack, "SOUL", "You are Mira, and calm.", writer="HUMAN")
    await embed_everything(stack)
    return await stack.context.BuildContext(
        context.BuildContextRequest(
            query="What do I need to know about Rotterdam harbour, its gate and cranes?",
            conversation_id=conversation_id,
        )
    )

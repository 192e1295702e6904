"""A context is injected into a prompt; the archive behind it contains everything."""

from __future__ import annotations

from everword.v1 import context_service_pb2 as pb
from everword.v1 import search_service_pb2
from support.calls import append, message
from support.stack import Stack


async def test_context_has_4000_tokens_of_the_best_matches_and_the_archive_keeps_all(
    stack: Stack,
) -> None:
    relevant = [message(f"harbour report {n} " + f"detail{n} " * 30) for n in range(160)]
    best = message("harbour report")
    appended = await append(stack, *relevant, best)
    request = pb.BuildContextRequest(query="harbour reports", max_memories=200)
    built = await stack.context.BuildContext(request)
    assert 3_500 < built.token_count <= 4_000
    [memories] = built.blocks
    assert appended.messages[-1].message_id in {item.memory_id for item in memories.items}
    assert 0 < len(memories.items) < 160
    listing = search_service_pb2.ListMessagesRequest(
        conversation_id=appended.conversation_id, page_size=200
    )
    kept = (await stack.search.ListMessages(listing)).messages
    sent = [entry.content for entry in (*relevant, best)]
    assert [entry.body.content for entry in reversed(kept)] == sent

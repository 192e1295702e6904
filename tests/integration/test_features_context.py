"""A context is injected into a prompt; the archive behind it contains everything."""

from __future__ import annotations

from everword.v1 import context_service_pb2 as pb
from everword.v1 import search_service_pb2
from support.calls import append, message
from support.stack import Stack


async def test_context_has_4000_tokens_of_the_best_matches_and_the_archive_keeps_all(
    stack: Stack,
) -> None:
    relevant = [
        message(
            f"Harbour report {n}: {3 + n % 9} ferries and {n + 20} yachts came in, crane {n % 5} was serviced, berth "
            f"{n} is closed for divers until day {n % 30}, and the pilot boat used {200 + n} litres of diesel."
        )
        for n in range(160)
    ]
    best = message(
        "The harbour reports of May and June are missing; the master will send them on Friday."
    )
    appended = await append(stack, *relevant, best)
    asked = "Which harbour reports are missing?"
    default = await stack.context.BuildContext(pb.BuildContextRequest(query=asked))
    assert appended.messages[-1].message_id in {
        item.memory_id for block in default.blocks for item in block.items
    }
    # A minimum instead of the usual floor fills the budget.
    request = pb.BuildContextRequest(query="harbour reports", min_relevance=0.0001)
    built = await stack.context.BuildContext(request)
    assert 3_500 < built.token_count <= 4_000
    [memories] = built.blocks
    assert 0 < len(memories.items) < 160
    listing = search_service_pb2.ListMessagesRequest(
        conversation_id=appended.conversation_id, page_size=200
    )
    kept = (await stack.search.ListMessages(listing)).messages
    sent = [entry.content for entry in (*relevant, best)]
    assert [entry.body.content for entry in reversed(kept)] == sent

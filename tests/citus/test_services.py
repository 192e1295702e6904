"""Messages can be appended, listed, searched by words and built into contexts on a distributed database."""

from __future__ import annotations

import asyncio

import pytest

from everword.v1 import context_service_pb2 as context_pb
from everword.v1 import search_service_pb2 as pb
from support.callers import make_namespaces, within
from support.calls import append_request, message
from support.citus_database import Distributed
from support.stack import Stack, running_stack

TEXTS = ("The ferry to Kirkwall leaves at seven.", "My sister Ines sings alto.")


async def _append(stack: Stack, namespace: str, request_id: str) -> str:
    request = append_request(
        *(message(text) for text in TEXTS), session_key="harbour", request_id=request_id
    )
    stored = await stack.ingest.AppendMessages(request, metadata=within(namespace))
    return stored.conversation_id


async def _found(stack: Stack, namespace: str, mode: pb.SearchMode.ValueType) -> list[str]:
    request = pb.SearchRequest(query="When does the ferry leave?", mode=mode)
    found = await stack.search.Search(request, metadata=within(namespace))
    return [result.memory.content for result in found.results]


@pytest.mark.parametrize("mode", ["SEARCH_MODE_HYBRID", "SEARCH_MODE_LEXICAL"])
def test_appended_messages_are_listed_and_found(distributed: Distributed, mode: str) -> None:
    async def run() -> None:
        async with running_stack(distributed.database, embedder=False) as stack:
            namespace = f"harbour-{mode.lower().replace('_', '-')}"
            await make_namespaces(stack, namespace)
            first = await _append(stack, namespace, "one")
            assert await _append(stack, namespace, "one") == first, "a repeated request"
            request = pb.ListMessagesRequest(conversation_id=first)
            listed = await stack.search.ListMessages(request, metadata=within(namespace))
            assert [each.body.content for each in reversed(listed.messages)] == [*TEXTS]
            found = await _found(stack, namespace, pb.SearchMode.Value(mode))
            assert found[0] == TEXTS[0]
            assert await _found(stack, "ours", pb.SearchMode.Value(mode)) == []
            built = await stack.context.BuildContext(
                context_pb.BuildContextRequest(query="When does the ferry leave?"),
                metadata=within(namespace),
            )
            assert TEXTS[0] in built.text

    asyncio.run(run())

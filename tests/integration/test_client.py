"""The client against real services."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import grpc
import pytest

import everword.client
from everword.client import CallError, Client, ClientSettings
from everword.v1 import (
    admin_service_pb2,
    context_service_pb2,
    cost_pb2,
    memory_pb2,
    search_service_pb2,
)
from everword.v1.conversation_pb2 import ConversationDetails, ConversationKey
from everword.v1.ingest_service_pb2 import AppendMessagesRequest, MarkUsedRequest
from support.calls import message
from support.command_line import run
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack

README = Path(__file__).parents[2] / "README.md"
KEY = ConversationKey(session_key="thread-7", agent="opus", channel="cli")


def settings(stack: Stack, api_key: str = "", namespace: str = "") -> ClientSettings:
    at = stack.addresses
    return ClientSettings(
        at["ingest"], at["search"], at["compactor"], api_key, namespace, timeout_s=20.0
    )


def snippet() -> str:
    """Return the example of the client's documentation."""
    match = re.search(r"```python\n(.*?)```", everword.client.__doc__ or "", re.DOTALL)
    assert match
    return match[1]


async def test_the_documented_example_runs_and_finds_what_it_wrote(stack: Stack) -> None:
    done = await run(stack, sys.executable, "-c", snippet())
    assert done.errors == ""
    assert re.search(r"^\d\.\d\d user: .*VPN drops every day at noon", done.output, re.MULTILINE)


def test_the_readme_shows_the_documented_example() -> None:
    assert snippet() in README.read_text(encoding="utf-8")


async def test_appended_messages_are_listed_browsed_searched_and_in_context(
    stack: Stack,
) -> None:
    texts = [f"note number {n} about the harvest" for n in range(7)]
    async with Client.connect(settings(stack)) as memory:
        details = ConversationDetails(title="Harvest")
        written = await memory.append(KEY, map(message, texts), details=details)
        conversation = await memory.get_conversation(KEY)
        assert conversation.id == written.conversation_id
        assert conversation.details.title == "Harvest"
        listed = [m.body.content async for m in memory.iter_messages(conversation.id, page_size=3)]
        assert listed == texts
        newest_first = [m.content async for m in memory.iter_browse(page_size=2)]
        assert len(newest_first) == 7
        only = memory_pb2.MemoryFilter(agents=["nobody"])
        assert [m async for m in memory.iter_browse(only)] == []
        found = await memory.search(
            "harvest 4",
            mode=search_service_pb2.SEARCH_MODE_LEXICAL,
            limit=3,
            at_least_as_fresh=written.consistency_token,
        )
        assert len(found.results) == 3
        assert found.results[0].memory.content == texts[4]
        context = await memory.build_context("harvest", conversation_id=conversation.id)
        assert texts[6] in context.text


async def test_search_passes_profile_and_min_relevance(stack: Stack) -> None:
    async with Client.connect(settings(stack)) as memory:
        written = await memory.append(KEY, [message("the harvest was good")])
        fresh = written.consistency_token
        for profile in ("", "balanced"):
            found = await memory.search("harvest", profile=profile, at_least_as_fresh=fresh)
            assert len(found.results) == 1
        with pytest.raises(CallError) as caught:
            await memory.search("harvest", profile="loudest")
        assert [named for named, _ in caught.value.violations] == ["profile"]
        with pytest.raises(CallError) as caught:
            await memory.search("harvest", min_relevance=1.5)
        assert [named for named, _ in caught.value.violations] == ["min_relevance"]


async def test_append_with_same_request_id_is_stored_once(stack: Stack) -> None:
    async with Client.connect(settings(stack)) as memory:
        first = await memory.append(KEY, [message("once")], request_id="r-1")
        second = await memory.append(KEY, [message("once")], request_id="r-1")
        third = await memory.append(KEY, [message("once")])
    assert second.replayed
    assert first.messages[0].message_id == second.messages[0].message_id
    assert third.messages[0].seq == 2


async def test_call_error_has_code_reason_metadata_and_violations(stack: Stack) -> None:
    unknown = "01900000-0000-7000-8000-000000000000"
    async with Client.connect(settings(stack)) as memory:
        with pytest.raises(CallError) as caught:
            await memory.ingest_service.AppendMessages(
                AppendMessagesRequest(conversation_id=unknown, messages=[message()])
            )
        assert caught.value.code is grpc.StatusCode.NOT_FOUND
        assert caught.value.reason == "CONVERSATION_NOT_FOUND"
        assert caught.value.metadata["conversation_id"] == unknown
        assert caught.value.metadata["request_id"] == caught.value.request_id
        with pytest.raises(CallError) as caught:
            await memory.ingest_service.MarkUsed(MarkUsedRequest(memory_ids=["x"]))
        assert [field for field, _ in caught.value.violations] == ["memory_ids[0]"]


async def test_api_key_gives_access_to_its_namespace_only(database: DatabaseUnderTest) -> None:
    async with running_stack(database, admin_key="boss", embedder=False) as stack:
        async with Client.connect(settings(stack, "boss")) as operator:
            await operator.admin_service.CreateNamespace(
                admin_service_pb2.CreateNamespaceRequest(
                    namespace=admin_service_pb2.Namespace(name="acme")
                )
            )
            made = await operator.admin_service.CreateApiKey(
                admin_service_pb2.CreateApiKeyRequest(
                    api_key=admin_service_pb2.ApiKey(
                        namespace="acme", role=admin_service_pb2.API_KEY_ROLE_WRITE
                    )
                )
            )
        async with Client.connect(settings(stack, made.secret)) as tenant:
            await tenant.append(KEY, [message("ours")])
            assert [m.content async for m in tenant.iter_browse()] == ["ours"]
        async with Client.connect(settings(stack, made.secret, namespace="default")) as tenant:
            with pytest.raises(CallError) as caught:
                await tenant.get_conversation(KEY)
            assert caught.value.reason == "ACCESS_DENIED"
        async with Client.connect(settings(stack)) as stranger:
            with pytest.raises(CallError) as caught:
                await stranger.get_conversation(KEY)
            assert caught.value.reason == "CREDENTIALS_MISSING"
        async with Client.connect(settings(stack, "boss", namespace="acme")) as operator:
            assert (await operator.get_conversation(KEY)).message_count == 1


async def test_the_client_streams_contexts_and_reports_uses_and_costs(stack: Stack) -> None:
    async with Client.connect(settings(stack)) as client:
        appended = await client.append(KEY, [message("The heron flew at dawn.")])
        memory_id = appended.messages[0].message_id
        await client.mark_used(memory_id)
        await client.set_importance(memory_id, memory_pb2.IMPORTANCE_CLASS_FACT)
        asked = context_service_pb2.BuildContextRequest(query="heron")
        parts = [part async for part in client.stream_context(asked)]
        assert parts[-1].HasField("end")
        usage = cost_pb2.ModelUsage(model="house-model", input_tokens=5, output_tokens=1)
        recorded = await client.record_usage(usage)
        assert [each.model for each in recorded.usages] == ["house-model"]
        found = await client.search("heron")
        [memory] = [each.memory for each in found.results if each.memory.id == memory_id]
        assert memory.importance_class == memory_pb2.IMPORTANCE_CLASS_FACT

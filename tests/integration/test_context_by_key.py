"""Contexts of conversations by the caller's own key, before and after the conversation exists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.client import AsyncEverword, CallError, Everword
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as pb
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import ingest_service_pb2 as ingest
from support.callers import bearer
from support.calls import message, reason, target, violated_fields
from support.command_line import everword
from support.databases import cloned
from support.keyed_stack import keyed
from support.mcp import over_stdio, said
from support.row_counts import RowCounts, changed
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATOR = bearer("boss")
AGENT, SUBJECT = "helper", "ana"
QUERY = "Where is the boat moored?"
BOAT = "The boat of the harbour club is moored at pier nine."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Everword with data to recall: a message without an agent, and a message and a fact of an agent and a subject."""
    with cloned(postgres_url) as database:
        async with (
            running_stack(database, admin_key="boss", embedder=False) as stack,
            keyed(stack, "boss") as own,
        ):
            for key in (target("shared"), target("earlier", agent=AGENT, subject=SUBJECT)):
                await own.ingest.AppendMessages(
                    ingest.AppendMessagesRequest(conversation=key, messages=[message(BOAT)])
                )
            await own.facts.Remember(
                facts.RememberRequest(subject=SUBJECT, attribute="residence", value="Lisbon")
            )
            yield stack


async def make_key(stack: Stack, **fields: Any) -> str:
    key = admin.ApiKey(namespace="default", role=admin.API_KEY_ROLE_READ, **fields)
    request = admin.CreateApiKeyRequest(api_key=key)
    return (await stack.admin.CreateApiKey(request, metadata=OPERATOR)).secret


@asynccontextmanager
async def nothing_written(stack: Stack) -> AsyncIterator[None]:
    """Check that the block writes no row of any table."""
    with closing(RowCounts(stack, "default")) as counts:
        before = counts.now()
        yield
        # The compactor's daily check may enqueue jobs meanwhile.
        assert changed(before, counts.now()).keys() <= {"jobs"}


def request(session: str, agent: str = AGENT, **fields: Any) -> pb.BuildContextRequest:
    fields.setdefault("query", QUERY)
    named = pb.ContextConversation(
        key=conversation.ConversationKey(session_key=session, agent=agent), subject=SUBJECT
    )
    return pb.BuildContextRequest(conversation=named, **fields)


async def test_build_context_for_an_unknown_key_writes_nothing(stack: Stack) -> None:
    secret = await make_key(stack)
    async with keyed(stack, secret) as reader, nothing_written(stack):
        built = await reader.context.BuildContext(request("new"))
        streamed = [
            part
            async for part in reader.context.StreamContext(
                pb.StreamContextRequest(context=request("new"))
            )
        ]
        silent = await reader.context.BuildContext(request("new", query=""))
    assert BOAT in built.text
    assert "Lisbon" in built.text
    assert pb.CONTEXT_SOURCE_CHAT_HISTORY not in {block.source for block in built.blocks}
    assert any(BOAT in part.block.text for part in streamed)
    # Without a query, the context still has the end of the earlier conversation.
    assert {block.source for block in silent.blocks} == {
        pb.CONTEXT_SOURCE_IDENTITY,
        pb.CONTEXT_SOURCE_EARLIER_CONVERSATIONS,
    }


async def test_context_for_unknown_key_equals_that_of_new_conversation(stack: Stack) -> None:
    secret = await make_key(stack)
    async with keyed(stack, secret) as reader:
        before = await reader.context.BuildContext(request("made later", skip_use_count=True))
        key = target("made later", agent=AGENT, subject=SUBJECT)
        made = await stack.ingest.EnsureConversation(
            ingest.EnsureConversationRequest(key=key.key, details=key.details), metadata=OPERATOR
        )
        by_key = await reader.context.BuildContext(request("made later", skip_use_count=True))
        by_id = await reader.context.BuildContext(
            pb.BuildContextRequest(
                query=QUERY, conversation_id=made.conversation.id, skip_use_count=True
            )
        )
    assert before.text == by_key.text == by_id.text != ""


async def test_context_by_key_has_turns_of_conversation(stack: Stack) -> None:
    appended = ingest.AppendMessagesRequest(
        conversation=target("going on", agent=AGENT, subject=SUBJECT),
        messages=[message("Good morning from the lighthouse.")],
    )
    stored = await stack.ingest.AppendMessages(appended, metadata=OPERATOR)
    built = await stack.context.BuildContext(request("going on"), metadata=OPERATOR)
    by_id = await stack.context.BuildContext(
        pb.BuildContextRequest(query=QUERY, conversation_id=stored.conversation_id),
        metadata=OPERATOR,
    )
    assert "Good morning from the lighthouse." in built.text
    assert built.text == by_id.text
    # The same key of another agent names another conversation.
    other = await stack.context.BuildContext(request("going on", "other"), metadata=OPERATOR)
    assert "lighthouse" not in other.text


async def test_context_with_both_id_and_key_is_refused(stack: Stack) -> None:
    both = request("s", conversation_id="01900000-0000-7000-8000-000000000000")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.context.BuildContext(both, metadata=OPERATOR)
    assert reason(caught.value) == "VALIDATION_FAILED"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.context.BuildContext(request(""), metadata=OPERATOR)
    assert violated_fields(caught.value) == ["conversation.key.session_key"]


async def test_api_key_of_agent_cannot_use_conversations_of_other_agents(stack: Stack) -> None:
    secret = await make_key(stack, agent=AGENT)
    appended = ingest.AppendMessagesRequest(
        conversation=target("of the helper", agent=AGENT, subject=SUBJECT),
        messages=[message("Said to the helper.")],
    )
    await stack.ingest.AppendMessages(appended, metadata=OPERATOR)
    async with keyed(stack, secret) as reader, nothing_written(stack):
        # The API key's agent is the default for the request's agent.
        own = await reader.context.BuildContext(request("of the helper", "", skip_use_count=True))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await reader.context.BuildContext(request("of the helper", "other"))
        asked = pb.StreamContextRequest(context=request("of the helper", "other"))
        with pytest.raises(grpc.aio.AioRpcError) as streamed:
            await reader.context.StreamContext(asked).read()
    assert "Said to the helper." in own.text
    assert reason(caught.value) == reason(streamed.value) == "KEY_OUT_OF_SCOPE"


async def test_api_key_of_subject_cannot_use_conversations_of_other_subjects(stack: Stack) -> None:
    secret = await make_key(stack, subject="bo")
    async with keyed(stack, secret) as reader:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await reader.context.BuildContext(request("earlier"))
        asked = request("earlier")
        asked.conversation.subject = ""
        built = await reader.context.BuildContext(asked)
    assert reason(caught.value) == "KEY_OUT_OF_SCOPE"
    # The API key does not see the other subject's conversation.
    assert "boat" not in built.text
    assert "Lisbon" not in built.text


def by_environment(stack: Stack, secret: str, patch: pytest.MonkeyPatch) -> None:
    for name in ("ingest", "search", "compactor"):
        patch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
    patch.setenv("EVERWORD_API_KEY", secret)


async def test_clients_build_context_for_new_session_with_read_key(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = await make_key(stack)
    by_environment(stack, secret, monkeypatch)

    def without_a_loop() -> str:
        with Everword(agent=AGENT) as memory:
            return memory.context(QUERY, session="blocking", subject=SUBJECT).text

    async with nothing_written(stack):
        async with AsyncEverword(agent=AGENT) as memory:
            plain = (await memory.context(QUERY, session="plain", subject=SUBJECT)).text
            empty = (await memory.context(session="plain", subject=SUBJECT)).text
            with pytest.raises(CallError) as caught:
                _ = [each async for each in memory.messages("plain")]
        blocking = await asyncio.to_thread(without_a_loop)
    assert caught.value.reason == "CONVERSATION_NOT_FOUND"
    assert BOAT in plain
    assert blocking == plain
    # Without a query, the context has the end of the earlier conversation.
    assert "## Earlier conversations" in empty
    assert "## Relevant memories" not in empty


async def test_mcp_tool_and_cli_build_context_for_new_session_with_read_key(
    stack: Stack,
) -> None:
    secret = await make_key(stack)
    async with nothing_written(stack):
        limits = ("--agent", AGENT)
        async with over_stdio(stack, options=limits, EVERWORD_API_KEY=secret) as agents:
            asked = {"query": QUERY, "conversation": "thread-9", "subject": SUBJECT}
            told = said(await agents.call_tool("memory_context", asked))
        shown = await everword(
            stack,
            *("context", QUERY, "--conversation", "thread-9"),
            *("--agent", AGENT, "--subject", SUBJECT),
            EVERWORD_API_KEY=secret,
        )
    assert BOAT in told
    assert shown.status == 0, shown.errors
    assert BOAT in shown.output
    assert "Lisbon" in shown.output


async def test_one_session_key_is_refused_for_two_subjects(stack: Stack) -> None:
    own = target("s-17", agent=AGENT, subject="ana")
    anonymous = target("s-18", agent=AGENT)
    async with keyed(stack, "boss") as backend:

        async def append(named: ingest.ConversationTarget, text: str) -> str:
            sent = ingest.AppendMessagesRequest(conversation=named, messages=[message(text)])
            try:
                return (await backend.ingest.AppendMessages(sent)).conversation_id
            except grpc.aio.AioRpcError as error:
                return reason(error)

        of_ana, of_nobody = await append(own, BOAT), await append(anonymous, BOAT)
        for key, stored in (("s-17", of_ana), ("s-18", of_nobody)):
            other = target(key, agent=AGENT, subject="bo")
            assert await append(other, "The boat is mine.") == "SUBJECT_CONFLICT"
            ensured = ingest.EnsureConversationRequest(key=other.key, details=other.details)
            named = pb.ContextConversation(key=other.key, subject="bo")
            for call in (
                backend.ingest.EnsureConversation(ensured),
                backend.context.BuildContext(pb.BuildContextRequest(conversation=named)),
            ):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call
                assert reason(caught.value) == "SUBJECT_CONFLICT"
            # Without a subject, the conversation is whomever's it is.
            assert await append(target(key, agent=AGENT), "Thanks!") == stored
        assert await append(own, "It leaks.") == of_ana

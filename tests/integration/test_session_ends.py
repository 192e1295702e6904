"""Sleep learns from a session as soon as it has ended, at default settings and without a language model."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.client import AsyncEverword
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1.conversation_pb2 import ConversationDetails, ConversationKey
from everword.v1.maintenance_service_pb2 import GetQueueStatusRequest
from support.command_line import everword
from support.earlier import earlier
from support.mcp import over_stdio, said
from support.refusals import refused
from support.sleep_calls import sleep
from support.stack import Stack

LISBON = (
    "I live in Lisbon now, in a small flat near the river. The move took most of April, because the landlord "
    "repaired the kitchen first."
)
AGAIN = (
    "Since I live in Lisbon, I would rather take the tram than the car. Could you look up how often the 28 runs on "
    "Sundays?"
)


async def _append(stack: Stack, session: str, text: str, subject: str = "") -> None:
    target = ingest.ConversationTarget(
        key=ConversationKey(session_key=session, agent="helper"),
        details=ConversationDetails(subject=subject),
    )
    new = memory.NewMessage(role=memory.ROLE_USER, content=text)
    request = ingest.AppendMessagesRequest(conversation=target, messages=[new])
    await stack.ingest.AppendMessages(request)


async def _open_sessions(stack: Stack) -> int:
    """Run the due work of Sleep; return the number of conversations that wait for the end of their session."""
    soon = datetime.now(UTC) + timedelta(seconds=5)
    await sleep(stack, None, soon, due=soon)
    status = await stack.maintenance.GetQueueStatus(GetQueueStatusRequest(task="sleep"))
    # One job is that of the next night.
    return sum(task.pending + task.scheduled for task in status.tasks) - 1


async def test_sleep_learns_at_once_when_a_client_ends_a_session(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the Python client and by the shutdown of an MCP server; sessions that go on are not read."""
    for name in ("ingest", "search", "compactor"):
        monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
    async with AsyncEverword(agent="helper") as client:
        await client.append("monday", LISBON, subject="ana")
        await client.end_session("monday")
        await client.end_session("no such session")
    mine = {"conversation": "tuesday", "role": "user", "content": AGAIN}
    async with over_stdio(
        stack, "conversation", options=("--agent", "helper", "--subject", "ana")
    ) as host:
        assert "near the river" in said(
            await host.call_tool("memory_context", {"query": "hi", "conversation": "monday"})
        )
        said(await host.call_tool("memory_append", mine))
        assert await _open_sessions(stack) == 1
    assert await _open_sessions(stack) == 0
    await _append(stack, "wednesday", LISBON)
    await _append(stack, "thursday", AGAIN)
    assert await _open_sessions(stack) == 2
    assert (await everword(stack, "end", "wednesday", "--agent", "helper")).status == 0
    assert await _open_sessions(stack) == 1
    closing = ingest.EnsureConversationRequest(
        conversation_id=(await _find(stack, "thursday")), update_mask=FieldMask(paths=["active"])
    )
    await stack.ingest.EnsureConversation(closing)
    assert await _open_sessions(stack) == 0
    unknown = ingest.EndConversationRequest(key=ConversationKey(session_key="unknown"))
    assert (await refused(stack.ingest.EndConversation(unknown))).reason == "CONVERSATION_NOT_FOUND"


async def _find(stack: Stack, session: str) -> str:
    key = ConversationKey(session_key=session, agent="helper")
    found = await stack.ingest.EnsureConversation(ingest.EnsureConversationRequest(key=key))
    return found.conversation.id


async def test_new_conversation_ends_earlier_one_among_many_active_ones(stack: Stack) -> None:
    await _append(stack, "first", LISBON, "ana")
    await _append(stack, "second", AGAIN, "ana")
    await _append(stack, "of nobody", LISBON)
    for number in range(30):
        await _append(stack, f"other {number}", f"The order {number} is late.", f"user {number}")
    await _append(stack, "third", "What is the weather like today?", "ana")
    await _append(stack, "also of nobody", AGAIN)
    # Open: third, the two without a subject, and 30 with other subjects.
    assert await _open_sessions(stack) == 3 + 30
    # A conversation without a subject may be another user's, so it ends only after five minutes without a message.
    with stack.database.connect() as conn:
        conn.execute(
            f"UPDATE conversations SET last_message_at = {earlier('last_message_at', 360)}".encode()
        )
        conn.execute(
            f"UPDATE jobs SET not_before = {earlier('not_before', 360)} WHERE task = 'sleep'".encode()
        )
    await _append(stack, "third of nobody", "Which film should I see tonight?")
    assert await _open_sessions(stack) == 3 + 30 - 1

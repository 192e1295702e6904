"""Conversations whose backend is no client of Everword itself: storing their messages, and what to have in mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import ADDS, READS, Tool, ToolCaller, ToolSet
from everword.adapters.tools.text import heading, indented
from everword.v1 import (
    context_service_pb2,
    conversation_pb2,
    ingest_service_pb2,
    maintenance_service_pb2,
    memory_pb2,
    search_service_pb2,
)
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT

Session = Annotated[
    str,
    Field(
        min_length=1,
        max_length=512,
        description="The name of the conversation: the same each time.",
    ),
]
#: Maximum messages that stay whole in the answer of memory_flush.
_MAX_KEPT = 50
Agent = Annotated[str, Field(max_length=512, description="The agent whose conversation it is.")]


async def memory_append(
    caller: ToolCaller,
    session: Session,
    role: Literal["user", "assistant", "system", "tool"],
    content: Annotated[str, Field(min_length=1, max_length=200_000)],
    author: Annotated[str, Field(max_length=256, description="Who spoke.")] = "",
    agent: Agent = "",
    external_id: Annotated[
        str,
        Field(
            max_length=512,
            description="The message's own id: stored once, however often it is sent.",
        ),
    ] = "",
) -> str:
    """Store a message at the end of a conversation, word for word."""
    message = memory_pb2.NewMessage(
        role=memory_pb2.Role.Value(f"ROLE_{role.upper()}"),
        content=content,
        author=author,
        external_id=external_id,
    )
    response = await caller.client.ingest_service.AppendMessages(
        ingest_service_pb2.AppendMessagesRequest(
            conversation=ingest_service_pb2.ConversationTarget(key=_key(session, agent)),
            messages=[message],
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Stored in conversation {response.conversation_id}."


async def memory_context(
    caller: ToolCaller,
    query: Query,
    conversation_id: Annotated[str, Field(description="As memory_append gives it.")] = "",
    session: Annotated[
        str,
        Field(
            max_length=512,
            description="The conversation's name instead of its id. It need not exist.",
        ),
    ] = "",
    agent: Agent = "",
    token_budget: Annotated[int, Field(ge=100, le=100_000)] = 2_000,
) -> str:
    """Return what to have in mind for a question: memories, facts, and the conversation so far."""
    response = await caller.client.context_service.BuildContext(
        context_service_pb2.BuildContextRequest(
            query=query,
            conversation_id=conversation_id,
            conversation=_conversation(session, agent) if session else None,
            token_budget=token_budget,
            at_least_as_fresh=caller.token,
        ),
        metadata=caller.metadata,
    )
    if response.text:
        return response.text
    nothing = response.verdict == VERDICT_NOTHING_RELEVANT
    return "Nothing that is remembered bears on this." if nothing else "Nothing is remembered yet."


async def memory_flush(
    caller: ToolCaller,
    session: Session,
    agent: Agent = "",
    notes_saved: Annotated[
        bool, Field(description="Whether you have saved what the first answer asked you to save.")
    ] = False,
) -> str:
    """Make room when your context is nearly full: return summaries that replace older messages.

    Call it once, save your notes as the answer says, then call it again with notes_saved.
    """
    client, metadata = caller.client, caller.metadata
    found = await client.search_service.GetConversation(
        search_service_pb2.GetConversationRequest(
            key=_key(session, agent), at_least_as_fresh=caller.token
        ),
        metadata=metadata,
    )
    # The caller says that its context is full; how full does not matter.
    flushed = await client.maintenance_service.FlushConversation(
        maintenance_service_pb2.FlushConversationRequest(
            conversation_id=found.conversation.id,
            context_size=1,
            used_tokens=1,
            notes_saved=notes_saved,
        ),
        metadata=metadata,
    )
    if not notes_saved:
        return flushed.instruction
    if not flushed.summaries:
        return "The conversation is too short to make room: nothing is replaced."
    head = f"These summaries replace messages 1 to {flushed.replaced_through_seq}:"
    summaries = [indented(summary.content) for summary in flushed.summaries]
    kept = await _kept(caller, flushed.kept_message_ids[:_MAX_KEPT])
    return "\n\n".join([head, *summaries, *kept])


async def _kept(caller: ToolCaller, memory_ids: Sequence[str]) -> list[str]:
    """Return messages that no summary replaces, each below its heading."""
    if not memory_ids:
        return []
    request = search_service_pb2.BatchGetMemoriesRequest(memory_ids=memory_ids)
    found = await caller.client.search_service.BatchGetMemories(request, metadata=caller.metadata)
    memories = [f"{heading(memory)}\n{indented(memory.content)}" for memory in found.memories]
    return ["Keep these messages:", *memories]


def _conversation(session: str, agent: str) -> context_service_pb2.ContextConversation:
    return context_service_pb2.ContextConversation(key=_key(session, agent))


def _key(session: str, agent: str) -> conversation_pb2.ConversationKey:
    return conversation_pb2.ConversationKey(session_key=session, agent=agent, channel="mcp")


CONVERSATION = ToolSet(
    (
        Tool(memory_append, "Store a message", ADDS),
        Tool(memory_context, "What to have in mind", READS),
        Tool(memory_flush, "Make room in a full context", ADDS),
    ),
    "Store each message of the conversation with memory_append, and call memory_context before you answer.",
)

"""Conversations whose backend is no client of Everword itself: storing their messages, and what to have in mind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import ADDS, READS, Tool, ToolCaller, ToolSet
from everword.v1 import context_service_pb2, conversation_pb2, ingest_service_pb2, memory_pb2
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT

Session = Annotated[
    str,
    Field(
        min_length=1,
        max_length=512,
        description="The name of the conversation: the same each time.",
    ),
]
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


def _conversation(session: str, agent: str) -> context_service_pb2.ContextConversation:
    return context_service_pb2.ContextConversation(key=_key(session, agent))


def _key(session: str, agent: str) -> conversation_pb2.ConversationKey:
    return conversation_pb2.ConversationKey(session_key=session, agent=agent, channel="mcp")


CONVERSATION = ToolSet(
    (
        Tool(memory_append, "Store a message", ADDS),
        Tool(memory_context, "What to have in mind", READS),
    ),
    "Store each message of the conversation with memory_append, and call memory_context before you answer.",
)

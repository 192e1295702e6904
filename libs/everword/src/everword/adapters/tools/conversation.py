"""Conversations whose backend is no client of Everword itself: storing their messages, and what to have in mind."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import uuid4

from pydantic import Field

from everword.adapters.tools.limits import MAX_TOKENS
from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import ADDS, READS, Tool, ToolCaller, ToolSet
from everword.adapters.tools.owners import (
    Conversation,
    Subject,
    conversation_key,
    find_conversation,
    id_in,
    own_and_shared,
)
from everword.v1 import context_service_pb2, ingest_service_pb2, memory_pb2
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT


async def memory_append(
    caller: ToolCaller,
    conversation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=512,
            description="The name of the conversation, the same each time, or its id.",
        ),
    ],
    role: Literal["user", "assistant", "system", "tool"],
    content: Annotated[str, Field(min_length=1, max_length=200_000)],
    author: Annotated[str, Field(max_length=256, description="Who spoke.")] = "",
    subject: Subject = "",
    external_id: Annotated[
        str,
        Field(
            max_length=512,
            description="The message's own id: stored once, however often it is sent.",
        ),
    ] = "",
) -> str:
    """Store a message at the end of a conversation, word for word."""
    request = ingest_service_pb2.AppendMessagesRequest(
        messages=[
            memory_pb2.NewMessage(
                role=memory_pb2.Role.Value(f"ROLE_{role.upper()}"),
                content=content,
                author=author,
                external_id=external_id,
            )
        ]
    )
    if id_in(conversation):
        request.conversation_id = await find_conversation(caller, conversation, subject)
    else:
        request.conversation.key.CopyFrom(conversation_key(caller, conversation, subject))
        request.conversation.details.subject = subject
    response = await caller.client.ingest_service.AppendMessages(request, metadata=caller.metadata)
    caller.wrote(response.consistency_token)
    return f"Stored in conversation {response.conversation_id}."


async def memory_context(
    caller: ToolCaller,
    query: Query,
    subject: Subject = "",
    conversation: Conversation = "",
    token_budget: Annotated[int, Field(ge=100, le=MAX_TOKENS)] = 2_000,
) -> str:
    """Return what to have in mind before you answer: facts about the user, memories, the conversation so far."""
    request = context_service_pb2.BuildContextRequest(
        query=query, token_budget=token_budget, at_least_as_fresh=caller.token
    )
    if id_in(conversation):
        request.conversation_id = await find_conversation(caller, conversation, subject)
    else:
        # A name that no conversation has makes the context that a new one of this agent and subject begins with.
        name = conversation or uuid4().hex
        request.conversation.key.CopyFrom(conversation_key(caller, name, subject))
        request.conversation.subject = subject
    if not (conversation or subject):
        # Without a user, there may be memories of several users, and all of them are meant.
        request.scope = context_service_pb2.CONTEXT_SCOPE_NAMESPACE
        request.filter.agents.extend(own_and_shared(caller.scope.agent))
    response = await caller.client.context_service.BuildContext(request, metadata=caller.metadata)
    if response.text:
        return response.text
    nothing = response.verdict == VERDICT_NOTHING_RELEVANT
    return "Nothing that is remembered bears on this." if nothing else "Nothing is remembered yet."


CONTEXT = Tool(memory_context, "What to have in mind", READS)
CONVERSATION = ToolSet(
    (
        Tool(memory_append, "Store a message", ADDS),
        CONTEXT,
    ),
    "Store each message of the conversation with memory_append, and call memory_context before you answer.",
)

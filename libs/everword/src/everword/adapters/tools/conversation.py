"""Conversations whose backend is no client of Everword itself: storing their messages, and what to have in mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import uuid4

from pydantic import Field

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting
from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import ADDS, READS, Tool, ToolCaller, ToolError, ToolSet
from everword.adapters.tools.owners import (
    Conversation,
    Subject,
    Task,
    conversation_key,
    find_conversation,
    id_in,
    look_up_conversation,
    own_and_shared,
)
from everword.adapters.tools.text import heading, indented
from everword.v1 import (
    context_service_pb2,
    ingest_service_pb2,
    maintenance_service_pb2,
    memory_pb2,
    search_service_pb2,
)
from everword.v1.search_service_pb2 import VERDICT_NOTHING_RELEVANT

#: Maximum messages that stay whole in the answer of memory_flush.
_MAX_KEPT = 50
_NO_ANSWER = "Nothing that is remembered seems to answer this."
_UNCERTAIN = "Memories marked uncertain are only the nearest."
#: Tokens that are reserved for these sentences.
_VERDICT_TOKENS = 22


async def memory_append(
    caller: ToolCaller,
    conversation: Annotated[
        str,
        Field(
            min_length=1,
            max_length=512,
            description="The name of the conversation, the same each time, its session key or id.",
        ),
    ],
    role: Literal["user", "assistant", "system", "tool"],
    content: Annotated[str, Field(min_length=1, max_length=200_000)],
    author: Annotated[str, Field(max_length=256, description="Who spoke.")] = "",
    subject: Subject = "",
    task: Task = "",
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
    found = await look_up_conversation(caller, conversation, subject)
    # A user's words must not get into a conversation that other users share.
    if found and (id_in(conversation) or found.details.subject == subject):
        request.conversation_id = found.id
    elif id_in(conversation):
        raise ToolError(f"There is no conversation {conversation!r}.")
    else:
        request.conversation.key.CopyFrom(conversation_key(caller, conversation, subject))
        request.conversation.details.subject = subject
        request.conversation.details.task_id = task
    response = await caller.client.ingest_service.AppendMessages(request, metadata=caller.metadata)
    caller.wrote(response.consistency_token)
    caller.open_conversations.add(response.conversation_id)
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
        query=query,
        token_budget=token_budget - _VERDICT_TOKENS,
        at_least_as_fresh=caller.token,
    )
    found = await look_up_conversation(caller, conversation, subject) if conversation else None
    if found:
        request.conversation_id = found.id
    elif id_in(conversation):
        raise ToolError(f"There is no conversation {conversation!r}.")
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
    nothing = response.verdict == VERDICT_NOTHING_RELEVANT
    if not response.text:
        return _NO_ANSWER if nothing else "Nothing is remembered yet."
    if not nothing:
        return response.text
    is_uncertain = any(item.uncertain for block in response.blocks for item in block.items)
    said = f"{_NO_ANSWER} {_UNCERTAIN}" if is_uncertain else _NO_ANSWER
    return f"{said}\n\n{response.text}"


async def memory_flush(
    caller: ToolCaller,
    conversation: Annotated[
        str,
        Field(min_length=1, max_length=512, description="The name of the conversation, or its id."),
    ],
    notes_saved: Annotated[
        bool, Field(description="Whether you have saved what the first answer asked you to save.")
    ] = False,
    subject: Subject = "",
) -> str:
    """Make room when your context is nearly full: return summaries that replace older messages.

    Call it once, save your notes as the answer says, then call it again with notes_saved.
    """
    conversation_id = await find_conversation(caller, conversation, subject)
    # The caller says that its context is full; how full does not matter.
    flushed = await caller.client.maintenance_service.FlushConversation(
        maintenance_service_pb2.FlushConversationRequest(
            conversation_id=conversation_id,
            context_size=1,
            used_tokens=1,
            notes_saved=notes_saved,
        ),
        metadata=caller.metadata,
    )
    if not notes_saved:
        return flushed.instruction
    if not flushed.summaries:
        return "The conversation is too short to make room: nothing is replaced."
    head = f"These summaries replace messages 1 to {flushed.replaced_through_seq}:"
    summaries = [indented(summary.content) for summary in flushed.summaries]
    kept = await _kept(caller, flushed.kept_message_ids[:_MAX_KEPT])
    parts = [head, *summaries, *kept]
    fitting = count_fitting(parts)
    if fitting < len(parts):
        parts[fitting:] = [f"{len(parts) - fitting} more parts: read them with memory_browse."]
    return "\n\n".join(parts)


async def _kept(caller: ToolCaller, memory_ids: Sequence[str]) -> list[str]:
    """Return messages that no summary replaces, each below its heading."""
    if not memory_ids:
        return []
    request = search_service_pb2.BatchGetMemoriesRequest(memory_ids=memory_ids)
    found = await caller.client.search_service.BatchGetMemories(request, metadata=caller.metadata)
    memories = [f"{heading(memory)}\n{indented(memory.content)}" for memory in found.memories]
    return ["Keep these messages:", *memories]


CONTEXT = Tool(memory_context, "What to have in mind", READS)
CONVERSATION = ToolSet(
    (
        Tool(memory_append, "Store a message", ADDS),
        CONTEXT,
        Tool(memory_flush, "Make room in a full context", ADDS),
    ),
    "Store each message of the conversation with memory_append, and call memory_context before you answer.",
)

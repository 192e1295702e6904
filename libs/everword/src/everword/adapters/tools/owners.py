"""Whose memories a tool reads and writes: those of an agent, a user and a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from everword.adapters.tools.model import ToolCaller, ToolError
from everword.client import CallError
from everword.client.kinds import Kind, kind_number
from everword.v1 import conversation_pb2, document_pb2, memory_pb2, note_pb2, search_service_pb2

Subject = Annotated[
    str,
    Field(max_length=256, description="The user whose memory it is: a name, the same each time."),
]
Conversation = Annotated[
    str, Field(max_length=512, description="Name, session key or id of one conversation.")
]
Day = Annotated[str, Field(description="A day such as 2026-04-18, or a time.")]
When = Annotated[
    str,
    Field(
        max_length=40, description="A time: 2026-04-18, 2026-04, yesterday, last_week, 7d, tuesday."
    ),
]
Tags = Annotated[
    tuple[str, ...], Field(max_length=20, description="Only memories with one of these tags.")
]
Task = Annotated[
    str, Field(max_length=512, description="Id of a task that conversations belong to.")
]
Address = Annotated[
    str,
    Field(max_length=4096, description="A directory such as viking://default/notes, or a memory."),
]
_CHANNEL = "mcp"


def own_and_shared(name: str) -> list[str]:
    """Return the filter values for memories of an agent or subject and memories without one; empty for no name."""
    return [name, ""] if name else []


async def filter_of(
    caller: ToolCaller,
    subject: str,
    conversation: str,
    kinds: Sequence[Kind] = (),
    authors: Sequence[str] = (),
    agents: Sequence[str] = (),
    since: str = "",
    until: str = "",
    tags: Sequence[str] = (),
    task: str = "",
    address_prefix: str = "",
) -> memory_pb2.MemoryFilter:
    """Return the filter that the arguments of a tool ask for. Raises ToolError."""
    found = memory_pb2.MemoryFilter(
        kinds=[kind_number(kind) for kind in kinds],
        authors=authors,
        agents=own_and_shared(caller.scope.agent) or agents,
        subjects=own_and_shared(subject),
        tags=tags,
        task_ids=[task] if task else [],
        address_prefix=address_prefix,
    )
    # The server understands names of times, in the time zone of the namespace.
    if since or until:
        bounds = ("since", since), ("until", until)
        found.period = " ".join(f"{word} {when}" for word, when in bounds if when)
    if conversation:
        found.conversation_ids.append(await find_conversation(caller, conversation, subject))
    return found


def conversation_key(
    caller: ToolCaller, name: str, subject: str
) -> conversation_pb2.ConversationKey:
    """Return the key of the conversation of this name; each subject has its own."""
    # Models name conversations alike ("main"), so the name of one subject must not open the conversation of another.
    owner = subject.replace("%", "%25").replace("/", "%2F")
    return conversation_pb2.ConversationKey(
        session_key=f"{owner}/{name}" if subject else name,
        agent=caller.scope.agent,
        channel=_CHANNEL,
    )


async def find_conversation(caller: ToolCaller, named: str, subject: str) -> str:
    """Return the id of the conversation of this name or id. Raises ToolError if the caller has none."""
    found = await look_up_conversation(caller, named, subject)
    if found is None:
        raise ToolError(f"There is no conversation {named!r}.")
    return found.id


async def look_up_conversation(
    caller: ToolCaller, named: str, subject: str
) -> conversation_pb2.Conversation | None:
    """Return the conversation of this id, name or session key; None if the caller has none.

    A name given by an agent comes first, then the session key of the agent's backend on no channel.
    """
    requests = [search_service_pb2.GetConversationRequest(conversation_id=id_in(named))]
    if not id_in(named):
        own = conversation_key(caller, named, subject)
        backends = conversation_pb2.ConversationKey(session_key=named, agent=caller.scope.agent)
        requests = [search_service_pb2.GetConversationRequest(key=key) for key in (own, backends)]
    for request in requests:
        request.at_least_as_fresh = caller.token
        try:
            found = await caller.client.search_service.GetConversation(
                request, metadata=caller.metadata
            )
        except CallError as error:
            if error.reason != "CONVERSATION_NOT_FOUND":
                raise
            continue
        conversation = found.conversation
        if is_visible(caller, conversation.key.agent, conversation.details.subject, subject):
            return conversation
    return None


def is_visible(caller: ToolCaller, agent: str, owner: str, subject: str) -> bool:
    """Return whether memories of an agent and an owner may be shown to the caller, for a subject if there is one."""
    own = caller.scope.agent
    return (not own or agent in (own, "")) and (not subject or owner in (subject, ""))


def visible_owners(caller: ToolCaller, subject: str) -> list[tuple[str, str]]:
    """Return the agents and subjects whose notes and files the caller reads, its own first."""
    agents, subjects = dict.fromkeys((caller.scope.agent, "")), dict.fromkeys((subject, ""))
    return [(agent, owner) for owner in subjects for agent in agents]


async def note_scope(caller: ToolCaller, subject: str, conversation: str) -> note_pb2.NoteScope:
    """Return the owner of a note: the conversation, or the caller's agent and the subject."""
    if conversation:
        id_ = await find_conversation(caller, conversation, subject)
        return note_pb2.NoteScope(conversation_id=id_)
    return note_pb2.NoteScope(agent=caller.scope.agent, subject=subject)


async def document_scope(
    caller: ToolCaller, subject: str, conversation: str = ""
) -> document_pb2.DocumentScope:
    """Return the owner of a document: the conversation, or the caller's agent and the subject."""
    scope = await note_scope(caller, subject, conversation)
    return document_pb2.DocumentScope(
        agent=scope.agent, subject=scope.subject, conversation_id=scope.conversation_id
    )


def id_in(text: str) -> str:
    """Return the id that a text is; empty for any other text."""
    try:
        return str(UUID(text)) if len(text) == 36 else ""
    except ValueError:
        return ""


def time_of(text: str, name: str) -> datetime:
    """Return the beginning of a day, or a time. Raises ToolError."""
    try:
        moment = datetime.fromisoformat(text)
        # In UTC, the first day may be before the year 1.
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ToolError(f"{name} is {text!r}; give a day such as 2026-04-18.") from None

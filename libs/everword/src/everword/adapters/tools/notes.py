"""Writing down on purpose: values under keys, and the log of the day."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everword.adapters.tools.memory import Start
from everword.adapters.tools.model import ADDS, READS, REPLACES, Tool, ToolCaller, ToolError
from everword.adapters.tools.owners import (
    Conversation,
    Day,
    Subject,
    note_scope,
    time_of,
    visible_owners,
)
from everword.adapters.tools.text import when, whole
from everword.client import CallError
from everword.v1 import ingest_service_pb2, note_pb2, note_service_pb2

Key = Annotated[str, Field(min_length=1, max_length=512, description="The key of the note.")]
Tags = Annotated[tuple[str, ...], Field(max_length=16, description="Labels to find it by.")]
Importance = Annotated[int, Field(ge=1, le=5, description="How much it matters.")]


async def memory_write(
    caller: ToolCaller,
    content: Annotated[str, Field(min_length=1, max_length=200_000)],
    key: Annotated[
        str,
        Field(
            max_length=512, description="What it is read and replaced by, such as deploy_process."
        ),
    ] = "",
    append: Annotated[bool, Field(description="Add a line to what is there.")] = False,
    tags: Tags = (),
    importance: Importance = 3,
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Write down something worth knowing later: a decision, a preference, how something is done.

    With a key, it replaces the note of that key; without one, it is another note.
    """
    note = note_pb2.NewNote(
        key=key,
        scope=await note_scope(caller, subject, conversation),
        content=content,
        tags=tags,
        importance=importance,
    )
    response = await caller.client.note_service.WriteNote(
        note_service_pb2.WriteNoteRequest(note=note, append=append), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    named = f" under {key!r}" if key else ""
    return f"Written{named}, version {response.version}, id {response.note_id}."


async def memory_get(
    caller: ToolCaller,
    key: Key,
    start: Start = 0,
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Read the note under a key, whole: that of this user, or else that of all users."""
    scopes = [
        note_pb2.NoteScope(agent=agent, subject=owner)
        for agent, owner in visible_owners(caller, subject)
    ]
    if conversation:
        scopes.insert(0, await note_scope(caller, subject, conversation))
    for scope in scopes:
        request = note_service_pb2.GetNoteRequest(key=note_pb2.NoteKey(key=key, scope=scope))
        try:
            response = await caller.client.note_service.GetNote(request, metadata=caller.metadata)
        except CallError as error:
            if error.reason != "NOTE_NOT_FOUND":
                raise
        else:
            note = response.note
            title = f"note {note.body.key!r}, version {note.version}, {when(note.update_time)}, id {note.id}"
            return whole(title, note.body.content, start)
    raise ToolError(f"There is no such note: {key!r}. memory_search finds notes by their words.")


async def memory_delete(
    caller: ToolCaller, key: Key, subject: Subject = "", conversation: Conversation = ""
) -> str:
    """Delete the note under a key: no search finds it any more."""
    scope = await note_scope(caller, subject, conversation)
    response = await caller.client.note_service.DeleteNote(
        note_service_pb2.DeleteNoteRequest(key=note_pb2.NoteKey(key=key, scope=scope)),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Deleted {key!r}."


async def daily_log_write(
    caller: ToolCaller,
    content: Annotated[str, Field(min_length=1, max_length=60_000)],
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Add an entry to today's log: what you did, found or decided.

    Logs of today and yesterday are part of each context.
    """
    response = await caller.client.note_service.AppendDailyLog(
        note_service_pb2.AppendDailyLogRequest(
            content=content, scope=await note_scope(caller, subject, conversation)
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Logged under {response.log_date}."


async def memory_significant(
    caller: ToolCaller,
    content: Annotated[str, Field(min_length=1, max_length=60_000)],
    title: Annotated[str, Field(max_length=256)] = "",
    day: Annotated[Day, Field(description="When it happened; now if empty.")] = "",
    subject: Subject = "",
) -> str:
    """Keep a moment that matters for good, in your own words: a first meeting, a loss, a promise.

    Summaries of days and years never merge it into others.
    """
    request = ingest_service_pb2.RecordSignificantRequest(
        content=content, title=title, agent=caller.scope.agent, subject=subject
    )
    if day:
        request.occur_time.FromDatetime(time_of(day, "day"))
    response = await caller.client.ingest_service.RecordSignificant(
        request, metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Kept for good, id {response.summary_id}."


WRITE = Tool(memory_write, "Write a note", REPLACES)
TOOLS = (
    WRITE,
    Tool(memory_get, "Read a note", READS),
    Tool(memory_delete, "Delete a note", REPLACES),
    Tool(daily_log_write, "Add to today's log", ADDS),
    Tool(memory_significant, "Keep a significant moment", ADDS),
)

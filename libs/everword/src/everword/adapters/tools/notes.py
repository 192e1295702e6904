"""Writing down on purpose: values under keys, and the log of the day."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everword.adapters.tools.model import ADDS, READS, REPLACES, Tool, ToolCaller
from everword.adapters.tools.text import indented, when
from everword.v1 import note_pb2, note_service_pb2

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
) -> str:
    """Write down something worth knowing later: a decision, a preference, how something is done.

    With a key, it replaces the note of that key; without one, it is another note.
    """
    note = note_pb2.NewNote(key=key, content=content, tags=tags, importance=importance)
    response = await caller.client.note_service.WriteNote(
        note_service_pb2.WriteNoteRequest(note=note, append=append), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    named = f" under {key!r}" if key else ""
    return f"Written{named}, version {response.version}, id {response.note_id}."


async def memory_get(caller: ToolCaller, key: Key) -> str:
    """Read the note under a key, whole."""
    response = await caller.client.note_service.GetNote(
        note_service_pb2.GetNoteRequest(key=note_pb2.NoteKey(key=key)), metadata=caller.metadata
    )
    note = response.note
    return "\n".join(
        [
            f"note {note.body.key!r}, version {note.version}, {when(note.update_time)}, id {note.id}",
            indented(note.body.content),
        ]
    )


async def memory_delete(caller: ToolCaller, key: Key) -> str:
    """Delete the note under a key: no search finds it any more."""
    response = await caller.client.note_service.DeleteNote(
        note_service_pb2.DeleteNoteRequest(key=note_pb2.NoteKey(key=key)), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Deleted {key!r}."


async def daily_log_write(
    caller: ToolCaller, content: Annotated[str, Field(min_length=1, max_length=200_000)]
) -> str:
    """Add an entry to today's log: what you did, found or decided.

    Logs of today and yesterday are part of each context.
    """
    response = await caller.client.note_service.AppendDailyLog(
        note_service_pb2.AppendDailyLogRequest(content=content), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Logged under {response.log_date}."


WRITE = Tool(memory_write, "Write a note", REPLACES)
TOOLS = (
    WRITE,
    Tool(memory_get, "Read a note", READS),
    Tool(memory_delete, "Delete a note", REPLACES),
    Tool(daily_log_write, "Add to today's log", ADDS),
)

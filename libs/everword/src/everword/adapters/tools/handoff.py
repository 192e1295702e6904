"""Handing a task over to an advisor, and back: capture, search, save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from everword.adapters.tools.memory import Limit, Query, memory_search
from everword.adapters.tools.model import ADDS, READS, Tool, ToolCaller, ToolError, ToolSet
from everword.adapters.tools.notes import Importance, Tags
from everword.adapters.tools.owners import Subject, note_scope
from everword.adapters.tools.text import indented, when
from everword.v1 import note_pb2, note_service_pb2

Content = Annotated[str, Field(min_length=1, max_length=60_000)]
Kind = Annotated[str, Field(pattern="^([a-z][a-z0-9_]*)?$", max_length=64)]
Repo = Annotated[str, Field(max_length=256, description="The repository, such as acme/shop.")]
Issue = Annotated[str, Field(max_length=128, description="The issue's number or name.")]

_ISSUE_TAG = "issue-"
_HANDOFF = "handoff"
_ADVISOR_NOTE = "advisor_note"


async def quick_capture(
    caller: ToolCaller,
    content: Content,
    tags: Tags = (),
    kind: Kind = "",
    repo: Repo = "",
    issue: Issue = "",
    importance: Importance = 3,
    subject: Subject = "",
) -> str:
    r"""Write down where you stand. With kind handoff, hand a task to an advisor: repo and issue name the task, and your
    \ earlier handoff of it is replaced. The tags [repo, issue-41, handoff] do the same.
    """
    if kind != _HANDOFF and _HANDOFF not in tags:
        return await _write(caller, content, tags, kind, importance, subject)
    key = _key(repo, issue, tags)
    if key is None:
        raise ToolError("A handoff needs repo and issue, or the tags [repo, issue-N, handoff].")
    response = await caller.client.note_service.WriteHandoff(
        note_service_pb2.WriteHandoffRequest(key=key, content=content), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Handed over for {key.repo} issue {key.issue}, version {response.version}."


async def search_memories(
    caller: ToolCaller,
    query: Query = "advisor",
    limit: Limit = 10,
    repo: Repo = "",
    issue: Issue = "",
    subject: Subject = "",
) -> str:
    """Search the memories. With repo and issue: the state of that task, and earlier advice on it."""
    key = _key(repo, issue, ())
    if key is None:
        return await memory_search(caller, query, limit, subject=subject)
    found = await caller.client.note_service.GetHandoff(
        note_service_pb2.GetHandoffRequest(key=key), metadata=caller.metadata
    )
    lines = []
    if found.HasField("handoff"):
        lines += [
            f"handed over, {when(found.handoff.update_time)}",
            indented(found.handoff.body.content),
        ]
    for note in found.advisor_notes:
        lines += [f"advised, {when(note.update_time)}", indented(note.body.content)]
    return "\n".join(lines) or f"Nothing was handed over for {repo} issue {issue}."


async def save_standard(
    caller: ToolCaller,
    content: Content,
    tags: Tags = (_ADVISOR_NOTE,),
    kind: Kind = _ADVISOR_NOTE,
    importance: Importance = 4,
    repo: Repo = "",
    issue: Issue = "",
    subject: Subject = "",
) -> str:
    """Keep what you found, so that it can be understood without your answer.

    With repo and issue it belongs to that task.
    """
    key = _key(repo, issue, tags)
    if key is None or kind != _ADVISOR_NOTE:
        return await _write(caller, content, tags, kind, importance, subject)
    response = await caller.client.note_service.SaveAdvisorNote(
        note_service_pb2.SaveAdvisorNoteRequest(key=key, content=content, importance=importance),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Saved for {key.repo} issue {key.issue}, id {response.note_id}."


def _key(repo: str, issue: str, tags: Sequence[str]) -> note_service_pb2.HandoffKey | None:
    """Return the task that the arguments name; None if they name none."""
    named = [tag for tag in tags if tag not in (_HANDOFF, _ADVISOR_NOTE)]
    issues = [tag.removeprefix(_ISSUE_TAG) for tag in named if tag.startswith(_ISSUE_TAG)]
    others = [tag for tag in named if not tag.startswith(_ISSUE_TAG)]
    repo, issue = repo or "".join(others[:1]), issue.removeprefix(_ISSUE_TAG) or "".join(issues[:1])
    return note_service_pb2.HandoffKey(repo=repo, issue=issue) if repo and issue else None


async def _write(
    caller: ToolCaller, content: str, tags: Sequence[str], kind: str, importance: int, subject: str
) -> str:
    scope = await note_scope(caller, subject, "")
    note = note_pb2.NewNote(
        scope=scope, content=content, tags=tags, kind=kind, importance=importance
    )
    response = await caller.client.note_service.WriteNote(
        note_service_pb2.WriteNoteRequest(note=note), metadata=caller.metadata
    )
    caller.wrote(response.consistency_token)
    return f"Captured, id {response.note_id}."


_SEARCH = Tool(search_memories, "Search memories", READS)
_SAVE = Tool(save_standard, "Keep what was found", ADDS)

CALLER = ToolSet(
    (Tool(quick_capture, "Capture the state of a task", ADDS), _SEARCH, _SAVE),
    "When you ask an advisor, another process that sees nothing of this conversation: first call quick_capture with "
    "kind handoff, the repo and the issue: what the task is, what you tried, what you want to know. When it has "
    "answered, call search_memories with the same repo and issue, and read what was advised. It is advice, no order.",
)
ADVISOR = ToolSet(
    (_SEARCH, _SAVE),
    "You advise on a task of another agent, and you may make few calls to its memory, each of which counts. First call "
    "search_memories with the repo and the issue: where the task stands, and what was advised before. Before you "
    "answer, call save_standard once, with the same repo and issue: what you found and why.",
)

"""Files that describe an agent and its user, with which contexts begin."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from everword.adapters.tools.memory import Start
from everword.adapters.tools.model import READS, REPLACES, Tool, ToolCaller, ToolError, ToolSet
from everword.adapters.tools.owners import (
    Subject,
    document_scope,
    is_visible,
    own_and_shared,
    visible_owners,
)
from everword.adapters.tools.text import when, whole
from everword.client import CallError
from everword.v1 import document_pb2, document_service_pb2

Name = Literal["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "MEMORY", "BOOT", "HEARTBEAT"]
_PREFIX = "WORKSPACE_FILE_NAME_"


async def workspace_list(caller: ToolCaller, subject: Subject = "") -> str:
    """List the files that describe this agent and its user, and which of them you may write."""
    listed = await caller.client.document_service.ListWorkspaceFiles(
        document_service_pb2.ListWorkspaceFilesRequest(
            agents=own_and_shared(caller.scope.agent), page_size=200
        ),
        metadata=caller.metadata,
    )
    lines = [
        f"{_word(each.name)}, version {each.version}, {when(each.update_time)}, {each.content_chars} characters"
        f"{', of all users' if subject and not each.scope.subject else ''}"
        f"{', you may write it' if each.agent_may_write else ''}"
        for each in listed.files
        if is_visible(caller, each.scope.agent, each.scope.subject, subject)
    ]
    return "\n".join(lines) or "There are no files. workspace_write makes MEMORY."


async def workspace_read(
    caller: ToolCaller, name: Name, start: Start = 0, subject: Subject = ""
) -> str:
    """Read a file: that of this user, or else that of all users."""
    for agent, owner in visible_owners(caller, subject):
        request = document_service_pb2.GetWorkspaceFileRequest(
            name=_number(name), scope=document_pb2.DocumentScope(agent=agent, subject=owner)
        )
        try:
            read = await caller.client.document_service.GetWorkspaceFile(
                request, metadata=caller.metadata
            )
        except CallError as error:
            if error.reason != "DOCUMENT_NOT_FOUND":
                raise
        else:
            return whole(f"{name}, version {read.file.version}", read.file.content, start)
    raise ToolError(f"There is no file {name}.")


async def workspace_write(
    caller: ToolCaller,
    name: Name,
    content: Annotated[str, Field(min_length=1, max_length=200_000)],
    append: Annotated[bool, Field(description="Add to the end instead of replacing it.")] = False,
    subject: Subject = "",
) -> str:
    """Write a file of this user in Markdown. Agents may write MEMORY, which each context begins with."""
    response = await caller.client.document_service.WriteWorkspaceFile(
        document_service_pb2.WriteWorkspaceFileRequest(
            name=_number(name),
            scope=await document_scope(caller, subject),
            content=content,
            append=append,
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Written {name}, version {response.version}."


def _number(name: str) -> document_service_pb2.WorkspaceFileName.ValueType:
    return document_service_pb2.WorkspaceFileName.Value(_PREFIX + name)


def _word(number: document_service_pb2.WorkspaceFileName.ValueType) -> str:
    return document_service_pb2.WorkspaceFileName.Name(number).removeprefix(_PREFIX)


WORKSPACE = ToolSet(
    (
        Tool(workspace_list, "List workspace files", READS),
        Tool(workspace_read, "Read a workspace file", READS),
        Tool(workspace_write, "Write a workspace file", REPLACES),
    ),
    "Keep in the file MEMORY what you always have to have in mind; it is in each context, so keep it short.",
)

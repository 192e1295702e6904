"""The files of a workspace: the layer of each, and its allowed writers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from everword.domain.caller import Caller, Role
from everword.domain.errors import WorkspaceFileProtected

#: Limit of a file's text, appended text included.
MAX_FILE_BYTES = 256 * 1024


class FileName(IntEnum):
    """The names. Values equal proto `WorkspaceFileName`."""

    SOUL = 1
    IDENTITY = 2
    USER = 3
    AGENTS = 4
    TOOLS = 5
    MEMORY = 6
    BOOT = 7
    HEARTBEAT = 8


class Layer(IntEnum):
    """The purpose of files. Values equal proto `WorkspaceLayer`."""

    IDENTITY = 1
    NARRATIVE = 2
    FOCUS = 3


class WorkspaceWriter(IntEnum):
    """The writer of a change. Values equal proto `WorkspaceWriter`."""

    AGENT = 1
    HUMAN = 2
    SYSTEM = 3


@dataclass(frozen=True)
class FileKind:
    """The layer and the allowed writers of a file name."""

    layer: Layer
    writers: frozenset[WorkspaceWriter]


_GUARDED = frozenset({WorkspaceWriter.HUMAN, WorkspaceWriter.SYSTEM})
_IDENTITY, _FOCUS = FileKind(Layer.IDENTITY, _GUARDED), FileKind(Layer.FOCUS, _GUARDED)
FILES: dict[FileName, FileKind] = {
    FileName.SOUL: _IDENTITY,
    FileName.IDENTITY: _IDENTITY,
    FileName.USER: _IDENTITY,
    FileName.AGENTS: _IDENTITY,
    FileName.TOOLS: _IDENTITY,
    FileName.MEMORY: FileKind(Layer.NARRATIVE, frozenset(WorkspaceWriter)),
    FileName.BOOT: _FOCUS,
    FileName.HEARTBEAT: _FOCUS,
}


def check_writer(caller: Caller, writer: WorkspaceWriter, name: FileName) -> None:
    """Raise WorkspaceFileProtected if the writer may not change the file, or the caller may not act as this writer.

    An agent has a key with the role write, or a grant. Only an operator's key may act for a person or the system; a
    deployment without keys is open to its own machine, and its callers may name any writer.
    """
    told = {"file": name.name, "writer": writer.name.lower()}
    if writer is not WorkspaceWriter.AGENT and caller.role is not Role.ADMIN:
        text = "Only an operator's key may say that a person or the system writes."
        raise WorkspaceFileProtected(text, **told)
    if writer not in FILES[name].writers:
        raise WorkspaceFileProtected(**told)

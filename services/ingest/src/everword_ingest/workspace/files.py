"""The files of a workspace: the layer of each, and who may change it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from everword.domain.caller import Caller, Role
from everword.domain.errors import WorkspaceFileProtected

#: The most that a file may say, what is appended to it included.
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
    """What files are for. Values equal proto `WorkspaceLayer`."""

    IDENTITY = 1
    NARRATIVE = 2
    FOCUS = 3


class WorkspaceWriter(IntEnum):
    """Who changes a file. Values equal proto `WorkspaceWriter`."""

    AGENT = 1
    HUMAN = 2
    SYSTEM = 3


@dataclass(frozen=True)
class FileKind:
    """What is fixed for a file of a name."""

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
    """Raise WorkspaceFileProtected where a writer may not change a file, or the caller may not say that it is one.

    An agent holds a key of the role write, or a grant. Only an operator's key speaks for a person or the system;
    without any key a deployment is open to its own machine, and whoever calls from there may say who writes.
    """
    told = {"file": name.name, "writer": writer.name.lower()}
    if writer is not WorkspaceWriter.AGENT and caller.role is not Role.ADMIN:
        text = "Only an operator's key may say that a person or the system writes."
        raise WorkspaceFileProtected(text, **told)
    if writer not in FILES[name].writers:
        raise WorkspaceFileProtected(**told)

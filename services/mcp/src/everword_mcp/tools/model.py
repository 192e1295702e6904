"""What a tool is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mcp.types import ToolAnnotations

#: A tool that changes nothing.
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
#: A tool that adds, and takes nothing away.
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
#: A tool after which something is not there any more.
REPLACES = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)


@dataclass(frozen=True)
class Tool:
    """A function that a model can call."""

    call: Callable[..., Awaitable[str]]
    title: str
    annotations: ToolAnnotations

    @property
    def name(self) -> str:
        return self.call.__name__

    @property
    def description(self) -> str:
        """Its docstring, on lines of its own."""
        lines = (self.call.__doc__ or "").strip().splitlines()
        return "\n".join(line.strip() for line in lines)


@dataclass(frozen=True)
class ToolSet:
    """Tools that are offered together."""

    tools: tuple[Tool, ...]
    instructions: str = ""
    """When to use them, for the model."""

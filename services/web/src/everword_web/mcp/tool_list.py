"""Everword's tools as the MCP server takes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature

from mcp.server.mcpserver.exceptions import ToolError as McpToolError
from mcp.types import ToolAnnotations

from everword.adapters.tools.calls import call_tool
from everword.adapters.tools.model import Effect, Tool, ToolError
from everword_web.mcp.callers import ToolContext, caller_of

ANNOTATIONS: dict[Effect, ToolAnnotations] = {
    "reads": ToolAnnotations(read_only_hint=True, open_world_hint=False),
    "adds": ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
    "replaces": ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
}


def as_function(tool: Tool) -> Callable[..., Awaitable[str]]:
    """Return a function of the server's context and the tool's parameters, from which the server reads its schema."""

    async def call(context: ToolContext, **arguments: object) -> str:
        try:
            answer = await call_tool(tool, caller_of(context), arguments)
        except ToolError as error:
            raise McpToolError(str(error)) from error
        context.request_context.lifespan_context.note_answered(context.headers)
        return answer

    context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=ToolContext)
    parameters = [context, *tool.parameters]
    call.__signature__ = Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": str}
    return call

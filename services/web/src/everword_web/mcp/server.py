"""The MCP server: its instructions, its tools, and the connection to Everword that they share."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as McpTool

from everword.adapters.tools.calls import call_tool
from everword.adapters.tools.model import NO_SCOPE, Effect, Tool, ToolError, ToolScope
from everword.adapters.tools.registry import instructions_of, tools_of
from everword.admission.keys import KnownKeys
from everword.client import Client, ClientSettings
from everword_web.mcp.callers import Callers

_Context = ServerRequestContext[Callers, Any]
#: Tools touch nothing but memory.
_ANNOTATIONS: dict[Effect, ToolAnnotations] = {
    "reads": ToolAnnotations(read_only_hint=True, open_world_hint=False),
    "adds": ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
    "replaces": ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
}
_log = logging.getLogger(__name__)


def create_server(
    settings: ClientSettings,
    names: Sequence[str],
    known: KnownKeys,
    scope: ToolScope = NO_SCOPE,
) -> Server[Callers]:
    """Return a server that offers the sets of tools of these names, as whom `settings` or an HTTP request say.

    Its tools are limited to `scope`; the headers of an HTTP request may limit them further.
    """
    tools = tools_of(names)

    @asynccontextmanager
    async def connect(_: Server[Callers]) -> AsyncIterator[Callers]:
        async with Client.connect(settings) as client:
            known.ask(client)
            callers = Callers(client, known, scope)
            yield callers
            await callers.end_conversations()

    async def list_tools(context: _Context, _: PaginatedRequestParams | None) -> ListToolsResult:
        decided = context.lifespan_context.scope_of(_headers(context))
        return ListToolsResult(tools=[_to_mcp(each, decided) for each in tools.values()])

    async def call(context: _Context, params: CallToolRequestParams) -> CallToolResult:
        callers, headers = context.lifespan_context, _headers(context)
        tool = tools.get(params.name)
        if tool is None:
            return _text(f"There is no tool {params.name!r}.", is_error=True)
        try:
            answer = await call_tool(tool, callers.of(headers), params.arguments or {})
        except ToolError as error:
            return _text(str(error), is_error=True)
        except Exception:
            # Nothing of an unexpected exception reaches the model.
            _log.exception("mcp.tool_failed")
            return _text(f"{tool.name} failed by an error in Everword.", is_error=True)
        callers.note_answered(headers)
        return _text(answer)

    return Server(
        name="everword",
        title="Everword",
        version=version("everword-web"),
        instructions=instructions_of(names),
        lifespan=connect,
        on_list_tools=list_tools,
        on_call_tool=call,
    )


def _headers(context: _Context) -> Any:
    """Return the headers of an HTTP request; None over stdio."""
    return getattr(context.request, "headers", None)


def _text(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def _to_mcp(tool: Tool, scope: ToolScope) -> McpTool:
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema(scope),
        annotations=_ANNOTATIONS[tool.effect],
    )

"""The MCP server: its instructions, its tools, and the connection to Everword that they share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from everword.adapters.tools.calls import explain_arguments
from everword.adapters.tools.registry import instructions_of, tools_of
from everword.admission.keys import KnownKeys
from everword.client import Client, ClientSettings
from everword_web.mcp.callers import Callers
from everword_web.mcp.tool_list import ANNOTATIONS, as_function


class _McpServer(MCPServer[Callers]):
    """Explains to a model which arguments of a tool are wrong."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Callers, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(explain_arguments(name, error.__cause__)) from None
            raise


def create_server(
    settings: ClientSettings, names: Sequence[str], known: KnownKeys
) -> MCPServer[Callers]:
    """Return a server that offers the sets of tools of these names, as whom `settings` or an HTTP request say."""

    @asynccontextmanager
    async def connect(_: MCPServer[Callers]) -> AsyncIterator[Callers]:
        async with Client.connect(settings) as client:
            known.ask(client)
            yield Callers(client, known)

    server = _McpServer(
        name="everword",
        title="Everword",
        version=version("everword-web"),
        instructions=instructions_of(names),
        lifespan=connect,
        # Standard output belongs to the protocol; logs go to standard error.
        log_level="WARNING",
    )
    for tool in tools_of(names).values():
        server.add_tool(
            as_function(tool),
            name=tool.name,
            title=tool.title,
            description=tool.description,
            annotations=ANNOTATIONS[tool.effect],
            structured_output=False,
        )
    return server

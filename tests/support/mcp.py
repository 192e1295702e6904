"""`everword mcp` as an agent's host runs it, with the protocol's own client."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from everword.embedded.folder import RunningStack
from support.command_line import EVERWORD, environment
from support.http_process import serving
from support.stack import Stack


def said(result: CallToolResult) -> str:
    """Return the text of a tool's result, which must not be an error."""
    text = text_of(result)
    assert not result.is_error, text
    return text


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def _arguments(tools: tuple[str, ...]) -> list[str]:
    return [part for name in tools for part in ("--tools", name)]


@asynccontextmanager
async def over_stdio(
    stack: Stack | RunningStack, *tools: str, options: Sequence[str] = (), **variables: str
) -> AsyncIterator[McpClient]:
    """Yield a client of a process that communicates over stdio."""
    server = StdioServerParameters(
        command=EVERWORD,
        args=["mcp", *_arguments(tools), *options],
        env=environment(stack, **variables),
    )
    async with McpClient(stdio_client(server, errlog=sys.stderr)) as client:
        yield client


def http_server(
    stack: Stack | RunningStack, *tools: str, **variables: str
) -> AbstractAsyncContextManager[str]:
    """Run a process that serves streamable HTTP, and yield its address."""
    return serving(stack, "web", "--mcp", "{address}", *_arguments(tools), **variables)


@asynccontextmanager
async def over_http(url: str, **headers: str) -> AsyncIterator[McpClient]:
    """Yield a client that calls `url` with these headers."""
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport: Any = streamable_http_client(f"{url}/mcp", http_client=http)
        async with McpClient(transport) as client:
            yield client

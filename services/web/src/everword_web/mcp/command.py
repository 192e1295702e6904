"""`everword mcp`: memory as tools of an agent, over standard input and output."""

from __future__ import annotations

import asyncio

import click
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from everword.adapters.tools.model import ToolScope
from everword.admission.keys import KnownKeys
from everword_web.mcp.callers import Callers
from everword_web.mcp.options import tools_option
from everword_web.mcp.server import create_server
from everword_web.settings import read_client_settings


@click.command()
@tools_option
@click.option("--agent", default="", metavar="NAME", help="Agent whose memory the tools use.")
@click.option(
    "--subject",
    default="",
    metavar="NAME",
    help="User whose memory the tools use; they reach no memory of another user.",
)
def mcp(names: tuple[str, ...], agent: str, subject: str) -> None:
    """Serve memory tools to the agent's host, which starts this command (MCP over stdio).

    Calls are made with EVERWORD_API_KEY. For agents on other machines, `everword web --mcp`
    serves the same tools over HTTP.
    """
    server = create_server(read_client_settings(), names, KnownKeys(), ToolScope(agent, subject))
    asyncio.run(_serve(server))


async def _serve(server: Server[Callers]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

"""`everword mcp`: memory as tools of an agent, over standard input and output."""

from __future__ import annotations

import asyncio

import click

from everword.admission.keys import KnownKeys
from everword_web.mcp.options import tools_option
from everword_web.mcp.server import create_server
from everword_web.settings import read_client_settings


@click.command()
@tools_option
def mcp(names: tuple[str, ...]) -> None:
    """Serve memory tools to the agent's host, which starts this command (MCP over stdio).

    Calls are made with EVERWORD_API_KEY. For agents on other machines, `everword web --mcp`
    serves the same tools over HTTP.
    """
    asyncio.run(create_server(read_client_settings(), names, KnownKeys()).run_stdio_async())

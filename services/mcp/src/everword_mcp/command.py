"""`everword mcp`: memory as tools of an agent."""

from __future__ import annotations

import asyncio

import click

from everword.adapters.tools.registry import DEFAULT_SETS, SETS
from everword.admission.bodies import KnownKeys
from everword.client import ClientSettings, ClientSettingsError
from everword_mcp.http import serve_http
from everword_mcp.server import create_server

_PORT = 50055


class Address(click.ParamType[tuple[str, int]]):
    """HOST:PORT, or a port of this machine."""

    name = "address"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        host, _, port = str(value).rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            self.fail(f"{value!r} is not HOST:PORT", param, ctx)
        return host.strip("[]") or "127.0.0.1", int(port)


@click.command()
@click.option(
    "--http",
    "address",
    type=Address(),
    is_flag=False,
    flag_value=f"127.0.0.1:{_PORT}",
    help=f"Serve streamable HTTP at /mcp instead of stdio; without a value, on 127.0.0.1:{_PORT}.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME[:PORT]",
    help="Host header that requests over HTTP may have, beside those of this machine. Repeatable.",
)
@click.option(
    "--tools",
    "names",
    type=click.Choice(tuple(SETS)),
    multiple=True,
    default=DEFAULT_SETS,
    show_default=True,
    help="Set of tools to offer. Repeatable.",
)
def mcp(address: tuple[str, int] | None, hosts: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Offer memory to an agent as tools, over the Model Context Protocol.

    Over stdio, calls are made with EVERWORD_API_KEY. Over HTTP each caller shows its own key, as
    `authorization: Bearer SECRET`, and the key decides the namespace; this process lends it none.
    """
    try:
        settings = ClientSettings.from_environment()
    except ClientSettingsError as error:
        raise click.ClickException(str(error)) from None
    if address is None:
        asyncio.run(create_server(settings, names, KnownKeys()).run_stdio_async())
    else:
        serve_http(settings, names, address, hosts)

"""`everword web`: JSON over HTTP, tools for agents (MCP) and the console, in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import click
from starlette.types import ASGIApp

from everword_web.listeners import ListenError, listen, serve
from everword_web.mcp.options import tools_option
from everword_web.settings import ADDRESSES, Address, read_client_settings


class _AddressType(click.ParamType[Address]):
    """HOST:PORT, or a port of the loopback interface."""

    name = "address"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Address:
        try:
            return Address.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _server_option(name: str, serves: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option that serves one of the three, and optionally says where."""
    return click.option(
        f"--{name}",
        type=_AddressType(),
        is_flag=False,
        flag_value=str(ADDRESSES[name]),
        metavar="[HOST:PORT]",
        help=f"Serve {serves}. Without a value, on {ADDRESSES[name]}.",
    )


@click.command()
@_server_option("gateway", "every RPC as a POST with JSON, by the Connect protocol")
@_server_option("mcp", "tools for agents at /mcp, as streamable HTTP")
@_server_option("console", "pages that show the memories and their sources")
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Origin whose pages may call the gateway from a browser, such as https://app.example.com. Repeatable.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME[:PORT]",
    help="Additional Host header that MCP and the console accept, besides this machine's. Repeatable.",
)
@tools_option
def web(
    gateway: Address | None,
    mcp: Address | None,
    console: Address | None,
    origins: tuple[str, ...],
    hosts: tuple[str, ...],
    names: tuple[str, ...],
) -> None:
    """Serve JSON over HTTP, tools for agents and the console, each on its own port.

    Without --gateway, --mcp or --console, all three are served, for this machine only.

    Callers of the gateway and of MCP send their own keys, as `authorization: Bearer SECRET`; visitors
    of the console sign in with theirs. The key decides the namespace. If the console listens on the
    loopback interface and no --host is given, visitors need not sign in: the console calls with
    EVERWORD_API_KEY, or without a key if Everword has none.
    """
    chosen = {"gateway": gateway, "mcp": mcp, "console": console}
    addresses = {name: at for name, at in chosen.items() if at is not None} or ADDRESSES
    apps = _create_apps(addresses, origins, hosts, names)
    try:
        sockets = listen(addresses)
    except ListenError as error:
        raise click.ClickException(str(error)) from error
    for name, address in addresses.items():
        path = "/mcp" if name == "mcp" else ""
        click.echo(f"{name:8} http://{address}{path}", err=True)
    click.echo("Ctrl-C stops it.", err=True)
    serve(apps, sockets)


def _create_apps(
    addresses: Mapping[str, Address],
    origins: Sequence[str],
    hosts: Sequence[str],
    names: Sequence[str],
) -> dict[str, ASGIApp]:
    """Return an application for each address. Imports no other: MCP takes 35 MB more than the gateway does."""
    settings = read_client_settings()
    apps: dict[str, ASGIApp] = {}
    if "gateway" in addresses:
        from everword_web.gateway.app import create_app as create_gateway

        apps["gateway"] = create_gateway(settings, origins)
    if "mcp" in addresses:
        from everword_web.mcp.app import create_app as create_mcp

        apps["mcp"] = create_mcp(settings, names, hosts)
    if "console" in addresses:
        from everword_web.console.app import create_app as create_console

        # Requests that a proxy or a network forwards come from other people than the owner of the key.
        lends_key = addresses["console"].is_loopback and not hosts
        apps["console"] = create_console(settings, hosts, lends_key=lends_key)
    return apps

"""`everword console`: pages that show what is remembered."""

from __future__ import annotations

from ipaddress import ip_address

import click
import uvicorn

from everword.client import ClientSettings, ClientSettingsError
from everword_console.app import create_app

_PORT = 50057


@click.command()
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default=f"127.0.0.1:{_PORT}",
    show_default=True,
    help="Where to listen.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME[:PORT]",
    help="Host header that requests may have, beside those of this machine. Repeatable.",
)
def console(listen: str, hosts: tuple[str, ...]) -> None:
    """Show in a browser what is remembered, and why.

    Each visitor signs in with a key, which decides the namespace; one that may only read changes
    nothing. On this machine alone, without --host, visitors need not sign in: calls are made with
    EVERWORD_API_KEY, or with none where Everword has no keys.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{listen!r} is not HOST:PORT", param_hint="--listen")
    host = host.strip("[]")
    try:
        settings = ClientSettings.from_environment()
    except ClientSettingsError as error:
        raise click.ClickException(str(error)) from None
    # What a proxy or a network passes on comes from others than whoever started this process.
    app = create_app(settings, hosts, lends_key=_is_loopback(host) and not hosts)
    click.echo(f"The console is at http://{listen}. Ctrl-C stops it.", err=True)
    uvicorn.run(app, host=host, port=int(port), log_level="warning", access_log=False)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False

"""`everword gateway`: every RPC as a POST with JSON."""

from __future__ import annotations

import click
import uvicorn

from everword.client import ClientSettings, ClientSettingsError
from everword_gateway.app import create_app

_PORT = 50056


@click.command()
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default=f"127.0.0.1:{_PORT}",
    show_default=True,
    help="Where to listen.",
)
@click.option(
    "--origin",
    "origins",
    multiple=True,
    metavar="URL",
    help="Origin whose pages may call from a browser, such as https://app.example.com. Repeatable.",
)
def gateway(listen: str, origins: tuple[str, ...]) -> None:
    """Serve every RPC over HTTP and JSON, by the Connect protocol.

    `POST /everword.v1.SearchService/Search` with a JSON body calls Search. Each caller shows its own
    key, as `authorization: Bearer SECRET`; this process lends it none.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{listen!r} is not HOST:PORT", param_hint="--listen")
    try:
        settings = ClientSettings.from_environment()
    except ClientSettingsError as error:
        raise click.ClickException(str(error)) from None
    app = create_app(settings, origins)
    uvicorn.run(app, host=host.strip("[]"), port=int(port), log_level="warning", access_log=False)

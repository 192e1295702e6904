"""`everword proxy`: one address in front of services that run elsewhere."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import click
import grpc

from everword.client import CallError, Client, ClientSettings
from everword.client.channel import Tls
from everword.domain.settings import Environment, SettingError
from everword.embedded.proxy import ProxySettings, caddy_command, caddy_environment, caddyfile
from everword.v1.admin_service_pb2 import ListNamespacesRequest
from everword.v1.maintenance_service_pb2 import GetQueueStatusRequest
from everword.v1.search_service_pb2 import GetStatsRequest

_NO_ANSWER = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


@click.command()
@click.option(
    "--print", "only_print", is_flag=True, help="Print Caddy's configuration, and serve nothing."
)
def proxy(only_print: bool) -> None:
    """Serve every public RPC at one address, with Caddy.

    Listens at EVERWORD_LISTEN, 127.0.0.1:50050 by default, and routes calls by service to
    EVERWORD_INGEST_ADDRESS, EVERWORD_SEARCH_ADDRESS or EVERWORD_COMPACTOR_ADDRESS. `everword up`
    includes a proxy.
    """
    try:
        settings = ProxySettings.from_environment(Environment(os.environ))
        config = caddyfile(settings)
    except SettingError as error:
        raise click.UsageError(str(error)) from error
    if only_print:
        click.echo(config, nl=False)
        return
    if settings.exposes_loopback:
        asyncio.run(_require_keys(settings))
    _run_caddy(config)


async def _require_keys(settings: ProxySettings) -> None:
    """Raise ClickException if a server answers callers without a key: each decides by its own environment."""
    tls = settings.tls
    shown = (tls.certificate, tls.key) if tls else (None, None)
    client_settings = ClientSettings(
        settings.addresses["ingest"],
        settings.addresses["search"],
        settings.addresses["compactor"],
        tls=Tls(settings.ca, *shown) if settings.ca else None,
    )
    listens = f"EVERWORD_LISTEN is {settings.listen}, which the network can reach, and"
    async with Client.connect(client_settings) as client:
        for call in (
            partial(client.admin_service.ListNamespaces, ListNamespacesRequest(page_size=1)),
            partial(client.search_service.GetStats, GetStatsRequest()),
            partial(client.maintenance_service.GetQueueStatus, GetQueueStatusRequest()),
        ):
            try:
                await call()
            except CallError as error:
                if error.code is grpc.StatusCode.UNAUTHENTICATED:
                    continue
                if error.code in _NO_ANSWER:
                    raise click.ClickException(
                        f"{listens} {error.address} cannot be asked whether an API key exists: start it first ({error})"
                    ) from error
            raise click.ClickException(
                f"{listens} no API key exists: set EVERWORD_ADMIN_KEY for all services, or make a key first with "
                "`everword keys create`"
            )


def _run_caddy(config: str) -> None:
    """Replace this process with Caddy, which reads its configuration from the standard input."""
    read, write = os.pipe()
    with os.fdopen(write, "w", encoding="utf-8") as pipe:
        # It fits into a pipe of 16 KiB, the smallest that a system gives.
        pipe.write(config)
    os.dup2(read, sys.stdin.fileno())
    folder = Path(tempfile.mkdtemp(prefix="everword-proxy-"))
    command = caddy_command("-")
    os.execve(command[0], command, caddy_environment(folder))

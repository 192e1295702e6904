"""Serves several applications in one process, each on its own listener."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from everword_web.settings import Address

#: Interpreter switch interval in seconds: how long a thread that parses a long message may delay the event loop.
_SWITCH_S = 0.0005
#: Seconds that open requests may take after a signal to stop. Then they are cancelled: a stream of changes never ends.
GRACE_S = 10


class _HttpServer(uvicorn.Server):
    """Leaves signals to `_serve`: with a handler for each server, a signal would stop only one of them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class ListenError(Exception):
    """An address that is not available; the message names it."""


def listen(addresses: Mapping[str, Address]) -> dict[str, socket.socket]:
    """Return a listening socket for each address. Raises ListenError, after which none is open."""
    sockets: dict[str, socket.socket] = {}
    try:
        for name, address in addresses.items():
            sockets[name] = _open(address)
    except ListenError:
        for opened in sockets.values():
            opened.close()
        raise
    return sockets


def _open(address: Address) -> socket.socket:
    try:
        [(family, _, _, _, place), *_] = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM
        )
        return socket.create_server((str(place[0]), int(place[1])), family=family)
    except socket.gaierror as error:
        raise ListenError(f"Cannot listen on {address}: {error.strerror}.") from error
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise ListenError(f"Cannot listen on {address}: {reason}.") from error


def serve(apps: Mapping[str, ASGIApp], sockets: Mapping[str, socket.socket]) -> None:
    """Serve each application on the socket of its name, until SIGTERM or SIGINT.

    Open requests are answered first, within GRACE_S; a second SIGINT ends the process without them.
    """
    servers = {name: _HttpServer(_config(app)) for name, app in apps.items()}
    sys.setswitchinterval(_SWITCH_S)
    first = next(iter(servers.values()))
    with asyncio.Runner(loop_factory=first.config.get_loop_factory()) as runner:
        runner.run(_serve(servers, sockets))


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=GRACE_S,
    )


async def _serve(servers: Mapping[str, _HttpServer], sockets: Mapping[str, socket.socket]) -> None:
    def stop(number: int) -> None:
        for server in servers.values():
            server.handle_exit(number, None)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    async with asyncio.TaskGroup() as group:
        for name, server in servers.items():
            group.create_task(server.serve([sockets[name]]))

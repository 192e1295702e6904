"""A TCP proxy between the services and an engine that disturbs connections."""

from __future__ import annotations

import asyncio
import socket
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from everword.embedded.ports import HOST, free_ports

_CHUNK = 65536
_RESET = struct.pack("ii", 1, 0)


class Proxy:
    """Forwards connections from its own port to that of an engine."""

    def __init__(self, target: int) -> None:
        self.port = free_ports(1)[0]
        self._target = target
        self._open: set[StreamWriter] = set()
        #: Bytes pass while the event is set.
        self._flows = asyncio.Event()
        self._flows.set()
        self._accepts = True
        self._torn = 0

    def through(self, url: str) -> str:
        """Return the URL of the engine through this proxy."""
        parts = urlsplit(url)
        address = f"{parts.netloc.rpartition(':')[0]}:{self.port}"
        return parts._replace(netloc=address).geturl()

    def reset(self) -> None:
        for writer in list(self._open):
            _break_off(writer)

    def tear(self, answers: int) -> None:
        """Reset connections in the middle of the next answers, whose first half still arrives."""
        self._torn = answers

    async def stall(self, seconds: float) -> None:
        """Forward nothing for `seconds`; connections stay open."""
        self._flows.clear()
        await asyncio.sleep(seconds)
        self._flows.set()

    async def refuse(self, seconds: float) -> None:
        """Reset all connections, and refuse new ones for `seconds`."""
        self._accepts = False
        self.reset()
        await asyncio.sleep(seconds)
        self._accepts = True

    async def serve(self, near: StreamReader, back: StreamWriter) -> None:
        if not self._accepts:
            _break_off(back)
            return
        try:
            far, on = await asyncio.open_connection(HOST, self._target)
        except OSError:
            _break_off(back)
            return
        self._open |= {back, on}
        try:
            await asyncio.gather(self._pump(near, on), self._pump(far, back, answers=True))
        finally:
            self._open -= {back, on}

    async def _pump(self, source: StreamReader, sink: StreamWriter, answers: bool = False) -> None:
        with suppress(OSError):
            while data := await source.read(_CHUNK):
                await self._flows.wait()
                if answers and self._torn and len(data) > 1:
                    self._torn -= 1
                    sink.write(data[: len(data) // 2])
                    await sink.drain()
                    break
                sink.write(data)
                await sink.drain()
        # The other direction ends as well.
        sink.close()


def _break_off(writer: StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


@asynccontextmanager
async def running_proxy(target: int) -> AsyncIterator[Proxy]:
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.serve, HOST, proxy.port)
    try:
        yield proxy
    finally:
        server.close()
        proxy.reset()

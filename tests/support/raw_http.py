"""HTTP requests whose bodies are sent in pieces, late, or never."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

_PIECE_BYTES = 256 * 1024
CHUNKED = {"transfer-encoding": "chunked"}


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class RawRequest:
    """A request whose header has been sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Send a part of the body, as far as the server accepts it."""
        view = memoryview(data)
        with suppress(ConnectionError):
            for start in range(0, len(view), _PIECE_BYTES):
                self._writer.write(view[start : start + _PIECE_BYTES])
                await self._writer.drain()

    async def send_chunk(self, data: bytes) -> None:
        """Send a chunk of a chunked body; an empty one is the last."""
        await self.send(b"%x\r\n%b\r\n" % (len(data), data))

    async def answer(self) -> Answer:
        """Return the response; without its body if it comes as a stream."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        lengths = [line for line in head.splitlines() if line.startswith("content-length:")]
        length = int(lengths[0].partition(":")[2]) if lengths else 0
        return Answer(int(head.split()[1]), await self._reader.readexactly(length))

    async def ended(self) -> bool:
        """Wait until the server closes the connection; return whether it sent nothing more."""
        with suppress(ConnectionError):
            return not await self._reader.read()
        return True


@asynccontextmanager
async def begun(url: str, path: str, headers: dict[str, str]) -> AsyncIterator[RawRequest]:
    """Send the header of a POST, and yield the request."""
    authority = url.removeprefix("http://")
    host, port = authority.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{name}: {value}" for name, value in {"host": authority, **headers}.items()]
    writer.write("\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""]).encode())
    try:
        yield RawRequest(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def post(url: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    async with begun(url, path, {"content-length": str(len(body)), **headers}) as request:
        await request.send(body)
        return await request.answer()

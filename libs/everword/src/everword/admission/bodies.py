"""Lets in the bodies of requests over HTTP: while there is room for them, and of callers in turn.

A middleware for ASGI. A body is read only after the application asks for it and the caller's key was checked. Then
it is read whole; bodies that wait for their turn stay with the sender.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

import grpc

from everword.admission.fair_share import FairShare, Group, QueueFull, ShareLimits
from everword.admission.frames import forget_frames
from everword.admission.keys import KnownKeys
from everword.admission.refusals import RequestRefused, too_large, too_many
from everword.client.errors import CallError

#: How long a request may take to arrive, and how long a stream may go without another one.
RECEIVE_S = 60.0
#: Message for callers whose request arrived too slowly.
TOO_LATE = "Nothing was received for too long; call again."
#: How long a request waits for its turn.
MAX_WAIT_SECONDS = 60.0
#: Bodies up to this size are in the connection's buffer anyway, admitted or not, and have a share of their own.
SHORT_BYTES = 64 * 1024
#: How many bodies of the largest size there is room for: of all callers, and of one. The same of short ones.
LARGEST, LARGEST_OF_CALLER = 4, 1
SHORT, SHORT_OF_CALLER = 512, 128
#: Requests that wait for room: of all callers, and of one. The next one is refused.
WAITING, WAITING_OF_CALLER = 256, 192
#: Seconds for which the rest of a refused body is read, and the number of bodies at once.
DRAIN_S = 5.0
MAX_DRAINED = 64

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class _SenderDisconnected(Exception):
    """The sender of a body disconnected before its end."""


class Admission:
    """Lets bodies of at most `max_bytes` through to an application, each as one message. `answer` makes refusals."""

    def __init__(
        self, app: App, max_bytes: int, known: KnownKeys, answer: Callable[[RequestRefused], App]
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._known = known
        self._answer = answer
        self._long = _byte_share(max_bytes, LARGEST, LARGEST_OF_CALLER)
        self._short = _byte_share(SHORT_BYTES, SHORT, SHORT_OF_CALLER)
        self._draining = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        size = _size(headers, self._max_bytes)
        if scope["type"] != "http" or not size:
            await self._app(scope, receive, send)
            return
        shown, address = headers.get(b"authorization", b""), (scope.get("client") or ("",))[0]
        available = self._short if size <= SHORT_BYTES else self._long

        async def admit() -> _BodyShare:
            await self._known.ensure_good(shown, address)
            return _BodyShare(available, self._known.group(shown, address))

        request = _Request(receive, send, admit, size, self._drain)
        try:
            if size > self._max_bytes:
                raise too_large(size, self._max_bytes)
            await self._app(scope, request.receive, request.send)
        except _SenderDisconnected:
            return
        except RequestRefused as refused:
            forget_frames(refused)
            request.release_all()
            await self._answer(refused)(scope, receive, request.send)
        finally:
            request.release_all()

    async def _drain(self, receive: Receive) -> None:
        """Read the rest of a body for a while, because a client that finds the connection closed may not see the
        answer.
        """
        if self._draining >= MAX_DRAINED:
            return
        self._draining += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    while (await receive()).get("more_body", False):
                        pass
        finally:
            self._draining -= 1


class _BodyShare:
    """A request's part of the memory for bodies."""

    def __init__(self, room: FairShare, group: Group) -> None:
        self._room = room
        self._group = group
        self._held = 0

    async def take(self, size: int) -> None:
        """Have room for `size` bytes. Raises RequestRefused where too many wait for it, or for too long."""
        try:
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await self._room.take(self._group, size)
        except (QueueFull, TimeoutError) as error:
            raise too_many(WAITING_OF_CALLER) from error
        self._held = size

    def keep(self, size: int) -> None:
        """Return the reserved memory beyond `size` bytes."""
        if self._held > size:
            self._room.give(self._group, self._held - size)
            self._held = size

    def release_all(self) -> None:
        self.keep(0)


class _Request:
    """A request with a body."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        admit: Callable[[], Awaitable[_BodyShare]],
        size: int,
        drain: Callable[[Receive], Awaitable[None]],
    ) -> None:
        self._receive = receive
        self._send = send
        self._admit = admit
        #: None until the caller is let in.
        self._share: _BodyShare | None = None
        self._size = size
        self._drain = drain
        #: True when nothing of the body is left to be read, and when its rest is not worth waiting for.
        self._is_read = False
        self._is_late = False

    async def receive(self) -> Message:
        """Return the whole body, and after it the server's own messages. Raises RequestRefused."""
        if self._is_read:
            return await self._receive()
        share = self._share = await self._admit()
        await share.take(self._size)
        body = bytearray()
        try:
            async with asyncio.timeout(RECEIVE_S):
                last = await self._read(body)
        except TimeoutError as error:
            self._is_late = True
            raise _too_late() from error
        finally:
            if not self._is_read:
                body.clear()  # the error refers to it
        if last["type"] != "http.request":
            raise _SenderDisconnected
        # One of unknown length had room for the largest: a short one lets the caller's next be received.
        share.keep(len(body) if self._size <= SHORT_BYTES or len(body) > SHORT_BYTES else 0)
        return {"type": "http.request", "body": body, "more_body": False}

    def release_all(self) -> None:
        """Return the request's remaining share of the memory."""
        if self._share is not None:
            self._share.release_all()

    async def _read(self, body: bytearray) -> Message:
        """Read a body to its end, or until its sender is gone, and return the last message."""
        while True:
            message = await self._receive()
            body += message.get("body", b"")
            if len(body) > self._size:
                raise too_large(len(body), self._size)
            if not message.get("more_body", False):
                self._is_read = True
                return message

    async def send(self, message: Message) -> None:
        """Send a part of the response. Where the body was not read, the connection ends with the last one."""
        if not self._is_read:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"connection", b"close")]
                message = {**message, "headers": headers}
            elif not message.get("more_body", False):
                await self._send({**message, "more_body": True})
                if not self._is_late:
                    await self._drain(self._receive)
                message = {"type": "http.response.body"}
        await self._send(message)


def _byte_share(size: int, of_all: int, of_caller: int) -> FairShare:
    return FairShare(
        ShareLimits(
            total=of_all * size,
            of_group=of_caller * size,
            waiting=WAITING,
            waiting_in_group=WAITING_OF_CALLER,
        )
    )


def _size(headers: Mapping[bytes, bytes], maximum: int) -> int:
    """Return the size of a body in bytes; if undeclared, the largest size allowed."""
    return maximum if b"transfer-encoding" in headers else int(headers.get(b"content-length", b"0"))


def _too_late() -> RequestRefused:
    error = CallError(
        grpc.StatusCode.DEADLINE_EXCEEDED,
        TOO_LATE,
        reason="DEADLINE_EXCEEDED",
        metadata={"limit_s": str(RECEIVE_S)},
    )
    return RequestRefused(error, 408)

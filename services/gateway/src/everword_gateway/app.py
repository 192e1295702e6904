"""The HTTP application: each RPC is a POST to its path, with JSON or protobuf, by the Connect protocol.

https://connectrpc.com/docs/protocol: unary calls as `application/json` or `application/proto`, calls that are answered
by a stream as `application/connect+json` or `application/connect+proto`.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from everword.client import CallError, Client, ClientSettings
from everword.client.headers import forwarded
from everword_gateway.errors import bad_request, error_body, status_of
from everword_gateway.methods import Method, methods_of

#: The largest request: an append may have that much.
MAX_BYTES = 32 * 1024 * 1024
#: Bodies that are read without a thread: within a millisecond.
_AT_ONCE_BYTES = 64 * 1024
#: Flags and length before each message of a stream.
_ENVELOPE = struct.Struct(">BI")
_END = 2


@dataclass(frozen=True)
class Codec:
    """A form of messages."""

    is_json: bool

    def read(self, method: Method, body: bytes) -> Message:
        """Return the request in `body`. Raises CallError where it is none."""
        try:
            if self.is_json:
                return json_format.Parse(body or b"{}", method.request())
            return method.request.FromString(body)
        except (json_format.ParseError, DecodeError, UnicodeDecodeError, RecursionError) as error:
            name = method.request.DESCRIPTOR.name
            raise bad_request(f"The body is no {name}: {str(error)[:300]}") from error

    def write(self, message: Message) -> bytes:
        """Return a response."""
        if self.is_json:
            return json_format.MessageToJson(message, indent=None).encode()
        return message.SerializeToString()


#: By content type: the form of messages, and whether they come in a stream.
_CODECS = {
    "application/json": (Codec(is_json=True), False),
    "application/proto": (Codec(is_json=False), False),
    "application/connect+json": (Codec(is_json=True), True),
    "application/connect+proto": (Codec(is_json=False), True),
}


def create_app(settings: ClientSettings, origins: Sequence[str] = ()) -> Starlette:
    """Return the application. Pages of `origins` may call it from a browser."""

    @asynccontextmanager
    async def connect(app: Starlette) -> AsyncIterator[None]:
        # What a request may do is decided by the key that it shows, never by one that this process has.
        async with Client.connect(replace(settings, api_key="", namespace="")) as client:
            app.state.methods, app.state.origins = methods_of(client), frozenset(origins)
            yield

    cors = Middleware(
        CORSMiddleware, allow_origins=origins, allow_methods=["POST"], allow_headers=["*"]
    )
    routes = [
        Route("/healthz", _healthz, methods=["GET"]),
        Route("/{service}/{method}", _serve, methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=connect, middleware=[cors] if origins else [])


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


async def _serve(request: Request) -> Response:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if _is_foreign(request):
        refused = CallError(
            grpc.StatusCode.PERMISSION_DENIED,
            "Pages of this origin may not call; `everword gateway --origin` names those that may.",
        )
        return JSONResponse(error_body(refused), status_of(refused))
    if content_type not in _CODECS:
        wrong = bad_request(f"Send one of these as content-type: {', '.join(_CODECS)}.")
        return JSONResponse(error_body(wrong), 415, {"Accept-Post": ", ".join(_CODECS)})
    codec, streams = _CODECS[content_type]
    try:
        method = _method(request, streams)
        body = await _body(request, streams)
        # What takes long is read in a thread, and nobody else waits for it.
        message = (
            codec.read(method, body)
            if len(body) <= _AT_ONCE_BYTES
            else await asyncio.to_thread(codec.read, method, body)
        )
        options = {"metadata": forwarded(request.headers), "timeout": _timeout_s(request.headers)}
        if streams:
            responses = _responses(codec, method.call(message, **options))
            return StreamingResponse(responses, media_type=content_type)
        response = await method.call(message, **options)
        return Response(codec.write(response), media_type=content_type)
    except CallError as error:
        return JSONResponse(error_body(error), status_of(error))
    except ClientDisconnect:
        return Response(status_code=499)


def _is_foreign(request: Request) -> bool:
    """Tell whether a page of an origin that is not named sends a request.

    Also one that reaches what listens here by a name of its own (DNS rebinding), for which a browser asks nobody.
    """
    origin = request.headers.get("origin")
    return origin is not None and not {origin, "*"} & request.app.state.origins


def _method(request: Request, streams: bool) -> Method:
    """Return the RPC of a request. Raises CallError where there is none that can be called so."""
    method: Method | None = request.app.state.methods.get(request.url.path)
    if method is None:
        raise CallError(
            grpc.StatusCode.UNIMPLEMENTED,
            "There is no such RPC; docs/reference/rpcs.md lists them.",
            reason="METHOD_UNKNOWN",
            metadata={"method": request.url.path},
        )
    if method.streams_requests:
        raise CallError(
            grpc.StatusCode.UNIMPLEMENTED,
            "A stream of requests takes gRPC itself: call its service.",
        )
    if method.streams_responses != streams:
        right = "application/connect+json" if method.streams_responses else "application/json"
        raise bad_request(f"This RPC takes the content type {right}.")
    return method


async def _body(request: Request, streams: bool) -> bytes:
    """Return the message in a request's body. Raises CallError where it is too large or broken."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            raise CallError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, f"A request has at most {MAX_BYTES} bytes."
            )
    if not streams:
        return bytes(body)
    if len(body) < _ENVELOPE.size or _ENVELOPE.unpack_from(body) != (0, len(body) - _ENVELOPE.size):
        raise bad_request("The body is not one uncompressed message in an envelope.")
    return bytes(body[_ENVELOPE.size :])


async def _responses(codec: Codec, calls: AsyncIterator[Message]) -> AsyncIterator[bytes]:
    """Iterate over the responses in their envelopes; the last says how it ended."""
    end: dict[str, object] = {}
    try:
        async for message in calls:
            data = codec.write(message)
            yield _ENVELOPE.pack(0, len(data)) + data
    except CallError as error:
        end = {"error": error_body(error)}
    data = json.dumps(end).encode()
    yield _ENVELOPE.pack(_END, len(data)) + data


def _timeout_s(headers: Mapping[str, str]) -> float | None:
    """Return the deadline of a call; None for the client's own."""
    text = headers.get("connect-timeout-ms", "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 10:
        raise bad_request("Connect-Timeout-Ms is a number of milliseconds.")
    return int(text) / 1000

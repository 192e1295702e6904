"""The HTTP application: each RPC is a POST to its path, with JSON or protobuf, by the Connect protocol.

https://connectrpc.com/docs/protocol: unary calls as `application/json` or `application/proto`, calls that are answered
by a stream as `application/connect+json` or `application/connect+proto`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
from google.protobuf.message import Message
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from everword.admission.bodies import Admission
from everword.admission.fair_share import Group
from everword.admission.frames import forget_frames
from everword.admission.keys import KnownKeys
from everword.admission.refusals import RequestRefused
from everword.client import CallError, Client, ClientSettings
from everword.client.headers import KEY_HEADER, forwarded
from everword_web.gateway.codec import CODECS, LongWork
from everword_web.gateway.errors import bad_request, error_body, status_of
from everword_web.gateway.methods import Method, methods_of

#: The largest request: an append may have that much.
MAX_BYTES = 32 * 1024 * 1024
#: Flags and length before each message of a stream.
_ENVELOPE = struct.Struct(">BI")
_END = 2


def create_app(settings: ClientSettings, origins: Sequence[str] = ()) -> Starlette:
    """Return the application. Pages of `origins` may call it from a browser."""
    known = KnownKeys()

    @asynccontextmanager
    async def connect(app: Starlette) -> AsyncIterator[None]:
        # The key in the request decides its rights, never a key of this process.
        async with Client.connect(replace(settings, api_key="", namespace="")) as client:
            app.state.methods, app.state.origins = methods_of(client), frozenset(origins)
            app.state.known, app.state.threads = known, LongWork()
            known.ask(client)
            yield

    cors = Middleware(
        CORSMiddleware, allow_origins=origins, allow_methods=["POST"], allow_headers=["*"]
    )
    admission = Middleware(Admission, max_bytes=MAX_BYTES, known=known, answer=_refusal)
    routes = [
        Route("/healthz", _healthz, methods=["GET"]),
        Route("/{service}/{method}", _serve, methods=["POST"]),
    ]
    middleware = [cors, admission] if origins else [admission]
    return Starlette(routes=routes, lifespan=connect, middleware=middleware)


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


def _refusal(refused: RequestRefused) -> Response:
    return JSONResponse(error_body(refused.error), refused.status)


async def _serve(request: Request) -> Response:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if _is_foreign(request):
        foreign = CallError(
            grpc.StatusCode.PERMISSION_DENIED,
            "Pages of this origin are not allowed; allow it with `everword web --origin`.",
        )
        return JSONResponse(error_body(foreign), status_of(foreign))
    if content_type not in CODECS:
        wrong = bad_request(f"Send one of these as content-type: {', '.join(CODECS)}.")
        return JSONResponse(error_body(wrong), 415, {"Accept-Post": ", ".join(CODECS)})
    codec, streams = CODECS[content_type]
    threads: LongWork = request.app.state.threads
    try:
        method = _method(request, streams)
        options = {"metadata": forwarded(request.headers), "timeout": _timeout_s(request.headers)}
        body = await _body(request, streams)
        caller = _caller(request)
        message = await codec.read(method, body, threads, caller)
        if streams:
            calls = method.call(message, **options)
            responses = _responses(calls, lambda each: codec.write(each, threads, caller))
            return StreamingResponse(responses, media_type=content_type)
        response = await method.call(message, **options)
        request.app.state.known.note(request.headers.get(KEY_HEADER))
        return Response(await codec.write(response, threads, caller), media_type=content_type)
    except CallError as error:
        forget_frames(error)
        return JSONResponse(error_body(error), status_of(error))


def _is_foreign(request: Request) -> bool:
    """Return whether a page of an origin that is not allowed sends the request.

    This includes pages that reach this server by a domain name of their own (DNS rebinding), which browsers allow.
    """
    origin = request.headers.get("origin")
    return origin is not None and not {origin, "*"} & request.app.state.origins


def _method(request: Request, streams: bool) -> Method:
    """Return the RPC of a request. Raises CallError if there is none, or if it streams in another way."""
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
            "Streams of requests require gRPC: call the service directly.",
        )
    if method.streams_responses != streams:
        right = "application/connect+json" if method.streams_responses else "application/json"
        raise bad_request(f"This RPC requires the content type {right}.")
    return method


async def _body(request: Request, streams: bool) -> bytearray:
    """Return the message in a request's body. Raises CallError if it is malformed, and RequestRefused."""
    # Admission passes the body on in one piece. If there is none, the server reports it, or that the caller has
    # disconnected.
    body: bytearray = (await request.receive()).get("body") or bytearray()
    if streams:
        size = len(body) - _ENVELOPE.size
        if size < 0 or _ENVELOPE.unpack_from(body) != (0, size):
            raise bad_request("The body must be one uncompressed message in an envelope.")
        del body[: _ENVELOPE.size]
    return body


async def _responses(
    calls: AsyncIterator[Message], write: Callable[[Message], Awaitable[bytes]]
) -> AsyncIterator[bytes]:
    """Iterate over the responses in their envelopes; the last says how it ended."""
    end: dict[str, object] = {}
    try:
        async for message in calls:
            data = await write(message)
            yield _ENVELOPE.pack(0, len(data)) + data
    except CallError as error:
        forget_frames(error)
        end = {"error": error_body(error)}
    except RequestRefused as refused:
        forget_frames(refused)
        end = {"error": error_body(refused.error)}
    data = json.dumps(end).encode()
    yield _ENVELOPE.pack(_END, len(data)) + data


def _caller(request: Request) -> Group:
    """Return the group of a caller; long messages of one group share a thread."""
    known: KnownKeys = request.app.state.known
    shown = request.headers.get(KEY_HEADER, "").encode("latin-1")
    return known.group(shown, request.client.host if request.client else "")


def _timeout_s(headers: Mapping[str, str]) -> float | None:
    """Return the deadline of a call; None for the client's own."""
    text = headers.get("connect-timeout-ms", "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 10:
        raise bad_request("Connect-Timeout-Ms must be a number of milliseconds.")
    return int(text) / 1000

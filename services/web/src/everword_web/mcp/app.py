"""Streamable HTTP, for agents that are elsewhere or many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import INVALID_REQUEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from everword.admission.bodies import Admission
from everword.admission.keys import KnownKeys
from everword.admission.refusals import RequestRefused
from everword.client import ClientSettings
from everword_web.mcp.contents import ShortContents
from everword_web.mcp.server import create_server

PATH = "/mcp"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
#: A tool's arguments: a document may have a million characters, of several bytes each.
_MAX_REQUEST_BYTES = 4 * 1024 * 1024


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


def _refusal(refused: RequestRefused) -> Response:
    """Return a refusal as a JSON-RPC error, without an id, since the body was not read."""
    error = {"code": INVALID_REQUEST, "message": refused.error.message}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, refused.status)


def create_app(settings: ClientSettings, names: Sequence[str], hosts: Sequence[str]) -> Starlette:
    """Return the application: the sets of tools of these names at `/mcp`, and `/healthz`.

    Requests must name one of `hosts` or this machine in their Host header, so that a page in a browser cannot reach
    the server by a domain name of its own (DNS rebinding).
    """
    # The key in the request decides its rights, never a key of this process.
    known = KnownKeys()
    server = create_server(replace(settings, api_key="", namespace=""), names, known)
    allowed = [f"{name}:*" for name in _LOCAL] + [*_LOCAL, *hosts]
    origins = [f"{scheme}://{name}" for name in allowed for scheme in ("http", "https")]

    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # Nothing is kept between calls, so that any replica answers any of them.
        stateless_http=True,
        max_request_body_size=_MAX_REQUEST_BYTES,
        custom_starlette_routes=[Route("/healthz", _healthz)],
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=allowed, allowed_origins=origins
        ),
    )
    app.add_middleware(ShortContents)
    app.add_middleware(Admission, max_bytes=_MAX_REQUEST_BYTES, known=known, answer=_refusal)
    return app

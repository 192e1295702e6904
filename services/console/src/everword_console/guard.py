"""What stands around each request: whom a browser may let in, and what a page may do."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEALTH, STATIC = "/healthz", "/static"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
#: Pages load nothing from elsewhere, and run no script and no style that stands in them: memories are others' words.
_HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    # With `no-referrer`, browsers would not say which origin a form is sent from.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


class Guard:
    """Lets through requests to a host of ours, and changes from pages of ours alone."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                # What is remembered does not stay on the visitor's disk; what pages look like may.
                static = scope["path"].startswith(STATIC + "/")
                headers.setdefault("cache-control", "no-cache" if static else "no-store")
            await send(message)

        refusal = None if scope["path"] == HEALTH else self._refusal(scope)
        app = self._app if refusal is None else PlainTextResponse(refusal, 403)
        await app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> str | None:
        """Return why a request is not let in; None where it is."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # A page elsewhere may reach what listens here by a name of its own (DNS rebinding).
        if not self._is_ours(host):
            return f"This host is not known here. `everword console --host {host}` lets it in."
        # A browser sends the origin with each change; SameSite keeps cookies, and not what needs none.
        ours = (f"http://{host}", f"https://{host}")
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") not in ours:
            return "Only pages of this console may change something."
        return None

    def _is_ours(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name in _LOCAL or bool({host, name} & self._hosts)

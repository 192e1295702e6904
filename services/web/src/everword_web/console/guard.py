"""Checks around each request (allowed hosts and origins), and security headers of each page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEALTH, STATIC = "/healthz", "/static"
_LOCAL = ("127.0.0.1", "localhost", "[::1]")
#: Pages load nothing from other sites and run no inline script or style, because memories contain text of strangers.
_HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    # With `no-referrer`, browsers would not say which origin a form is sent from.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


#: Allowed values of `Sec-Fetch-Site`: from a page of this console; from no page (a typed address or a bookmark).
_OUR_SITES = ("same-origin", "none")
#: The page for visitors who followed a link of another site; a click on its link is a request of this console.
_FOLLOW = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Everword</title>
<link rel="stylesheet" href="/static/console.css"><main><h1>A link from another site</h1>
<p>Another site sent you here. <a href="{href}">Open the page</a> if you meant to.</p></main></html>"""


class Guard:
    """Accepts only requests to an allowed host, from this console's pages or from no page."""

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
                # Memories must not be stored on the visitor's disk; static files may.
                static = scope["path"].startswith(STATIC + "/")
                headers.setdefault("cache-control", "no-cache" if static else "no-store")
            await send(message)

        refusal = None if scope["path"] == HEALTH else self._refusal(scope)
        app = self._app if refusal is None else refusal
        await app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response that refuses a request; None if the request is allowed."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # A page elsewhere may reach what listens here by a name of its own (DNS rebinding).
        if not self._is_allowed_host(host):
            said = f"This host is not known here. `everword web --host {host}` lets it in."
            return PlainTextResponse(said, 403)
        if headers.get("sec-fetch-site", "none") not in _OUR_SITES:
            return _refuse_other_site(scope, headers)
        # Browsers send the origin with each change. SameSite protects the cookie, but not a console that needs no
        # sign-in.
        ours = (f"http://{host}", f"https://{host}")
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin") not in ours:
            return PlainTextResponse("Only pages of this console may change something.", 403)
        return None

    def _is_allowed_host(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name in _LOCAL or bool({host, name} & self._hosts)


def _refuse_other_site(scope: Scope, headers: Headers) -> Response:
    """Return the response to a request from another site: for a followed link, a page that leads on."""
    navigates = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    if scope["method"] not in ("GET", "HEAD") or navigates != ("navigate", "document"):
        return PlainTextResponse("Requests from other sites are refused.", 403)
    # A path that began with two slashes, or a backslash, would lead to another host.
    path = "/" + quote(scope["path"]).lstrip("/")
    query = scope["query_string"].decode("latin-1")
    return HTMLResponse(_FOLLOW.format(href=escape(f"{path}?{query}" if query else path)), 403)

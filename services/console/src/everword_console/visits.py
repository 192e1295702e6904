"""A request of a visitor: what it asks for, as whom it calls Everword, and the page that comes back."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

import grpc
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from everword.client import CallError, Client
from everword.v1 import maintenance_service_pb2
from everword_console.errors import explain
from everword_console.rendering import render
from everword_console.sessions import Credentials
from everword_console.values import BadInputError, Values

_Answer = TypeVar("_Answer")
#: The fields of a form: a corrected fact has at most 64 KiB, which a browser may send as three times that.
_MAX_FORM_BYTES = 256 * 1024


@dataclass(frozen=True)
class Visit:
    """A request."""

    request: Request
    client: Client
    credentials: Credentials
    signed_in: bool

    @property
    def values(self) -> Values:
        """What the address asks for."""
        return Values(self.request.query_params)

    @property
    def id(self) -> str:
        """The id in the path."""
        return str(self.request.path_params["id"])

    async def call(self, rpc: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Return what an RPC answers the visitor. Raises CallError."""
        return await rpc(request, metadata=self.credentials.metadata)

    async def may_write(self) -> bool:
        """Tell whether the visitor's key may change something."""
        asked = maintenance_service_pb2.RetryJobsRequest(dry_run=True, limit=1)
        try:
            await self.call(self.client.maintenance_service.RetryJobs, asked)
        except CallError as error:
            if error.code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAVAILABLE):
                return False
            raise
        return True

    async def form(self) -> Values:
        """Return what the visitor sent. Raises BadInputError where that is too much."""
        body = bytearray()
        async for part in self.request.stream():
            body += part
            if len(body) > _MAX_FORM_BYTES:
                raise BadInputError("This is too long to be sent from here.")
        return Values(dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True)))

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        return HTMLResponse(
            render(template, visit=self, path=self.request.url.path, **values), status
        )

    def go(self, path: str) -> Response:
        """Send the visitor on, after a change."""
        return RedirectResponse(path, 303)

    def refused(self, error: CallError | BadInputError) -> Response:
        """Return the page that says what failed, and what to do; for one who has to sign in, where to."""
        if isinstance(error, BadInputError):
            return self.page("error.html", 400, title="That cannot be read", said=[str(error)])
        if error.code is grpc.StatusCode.UNAUTHENTICATED:
            url = self.request.url
            back = f"{url.path}?{url.query}" if url.query else url.path
            asked = back if self.request.method == "GET" else "/"
            return self.go(f"/sign-in?next={quote(asked, safe='')}")
        status, title, said = explain(error)
        return self.page("error.html", status, title=title, said=said, error=error)


Page = Callable[[Visit], Awaitable[Response]]


def served(page: Page) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Return `page` as an endpoint. What fails in it becomes a page that says so."""

    @functools.wraps(page)
    async def endpoint(request: Request) -> Response:
        state = request.app.state
        found: Credentials | None = state.sessions.find(request)
        visit = Visit(
            request, state.client, found or state.lent or Credentials(), found is not None
        )
        try:
            if found is None and state.lent is None:
                raise CallError(grpc.StatusCode.UNAUTHENTICATED, "Sign in.")
            return await page(visit)
        except (CallError, BadInputError) as error:
            return visit.refused(error)

    return endpoint

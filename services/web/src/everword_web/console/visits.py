"""A visitor's request: its input, its credentials for Everword, and the page in response."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

import grpc
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from everword.client import CallError, Client
from everword_web.console.errors import explain
from everword_web.console.escaped_templates import render
from everword_web.console.rights import Rights
from everword_web.console.sessions import Credentials
from everword_web.console.values import BadInputError, Values

#: The fields of a form: a corrected fact has at most 64 KiB, which a browser may send as three times that.
_MAX_FORM_BYTES = 256 * 1024
#: Maximum fields of a form; forms have about ten. Parsing 256 KiB of empty fields would take a tenth of a second.
_MAX_FIELDS = 64
#: The cookie with what pages have to show after a change, and for how long.
_FRESH, _FRESH_FOR_S = "everword_console_fresh", 60
_OUT_OF_DATE = "This page is out of date: go back, load it again, and repeat what you did."


@dataclass(frozen=True)
class Visit:
    """A request."""

    request: Request
    credentials: Credentials
    signed_in: bool = False
    rights: Rights = field(default_factory=Rights)
    form: Values = field(default_factory=lambda: Values({}))
    """What the visitor sent, from a page of ours."""
    wrote: list[str] = field(default_factory=list)
    """Consistency tokens of what was changed."""

    @property
    def client(self) -> Client:
        """The connection to Everword."""
        client: Client = self.request.app.state.client
        return client

    @property
    def fresh(self) -> str:
        """The consistency token of the visitor's latest change; empty if that is long ago."""
        return self.request.cookies.get(_FRESH, "")

    @property
    def values(self) -> Values:
        """The query parameters of the address."""
        return Values(self.request.query_params)

    @property
    def here(self) -> str:
        """The address of the page, without the host."""
        url = self.request.url
        return f"{url.path}?{url.query}" if url.query else url.path

    @property
    def id(self) -> str:
        """The id in the path."""
        return str(self.request.path_params["id"])

    @property
    def token(self) -> str:
        """The token in the forms of this visitor's pages."""
        return str(self.request.app.state.sessions.token(self.request))

    async def call(self, rpc: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Call an RPC for the visitor, who sees their own changes. Raises CallError."""
        if "at_least_as_fresh" in request.DESCRIPTOR.fields_by_name:
            request.at_least_as_fresh = self.fresh
        answer = await rpc(request, metadata=self.credentials.metadata)
        if token := getattr(answer, "consistency_token", ""):
            self.wrote.append(token)
        return answer

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page."""
        return HTMLResponse(
            render(template, visit=self, path=self.request.url.path, status=status, **values),
            status,
        )

    def go(self, path: str) -> Response:
        """Send the visitor on, after a change."""
        response = RedirectResponse(path, 303)
        if self.wrote:
            response.set_cookie(
                _FRESH, self.wrote[-1], max_age=_FRESH_FOR_S, httponly=True, samesite="strict"
            )
        return response

    def refused(self, error: CallError | BadInputError) -> Response:
        """Return the page of an error with advice; visitors who are not signed in are redirected to the
        sign-in page.
        """
        if isinstance(error, BadInputError):
            title = "Not done" if self.request.method == "POST" else "Not understood"
            return self.page("error.html", 400, title=title, said=[str(error)])
        if error.code is grpc.StatusCode.UNAUTHENTICATED:
            asked = "/" if self.request.method == "POST" else self.here
            return self.go(f"/sign-in?next={quote(asked, safe='')}")
        status, title, said = explain(error)
        return self.page("error.html", status, title=title, said=said, error=error)


Page = Callable[[Visit], Awaitable[Response]]
Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


def served(page: Page) -> Endpoint:
    """Return `page` as an endpoint for signed-in visitors. Errors become a page."""

    @functools.wraps(page)
    async def endpoint(request: Request) -> Response:
        state = request.app.state
        found: Credentials | None = state.sessions.find(request)
        visitor = found or state.lent
        visit = Visit(request, visitor or Credentials(), found is not None)
        try:
            if visitor is None:
                raise CallError(grpc.StatusCode.UNAUTHENTICATED, "Sign in.")
            rights = await state.rights.of(visitor)
            form = await read_form(request)
            return await page(Visit(request, visitor, found is not None, rights, form))
        except (CallError, BadInputError) as error:
            return visit.refused(error)

    return endpoint


async def read_form(request: Request, max_bytes: int = _MAX_FORM_BYTES) -> Values:
    """Return the fields of a form of this console; none if no form was sent. Raises BadInputError."""
    if request.method != "POST":
        return Values({})
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > max_bytes:
            raise BadInputError("The text is too long for this form; use the API.")
    try:
        fields = parse_qsl(
            body.decode(errors="replace"), keep_blank_values=True, max_num_fields=_MAX_FIELDS
        )
    except ValueError as error:
        raise BadInputError("This form has more fields than any form of the console.") from error
    form = Values(dict(fields))
    if not request.app.state.sessions.is_token(request, form.text("token")):
        raise BadInputError(_OUT_OF_DATE)
    return form

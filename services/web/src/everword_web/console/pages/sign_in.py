"""Signing in with a key, and out."""

from __future__ import annotations

from urllib.parse import unquote

import grpc
from starlette.requests import Request
from starlette.responses import Response

from everword.client import CallError
from everword.v1 import address_pb2 as pb
from everword_web.console.errors import explain
from everword_web.console.sessions import Credentials
from everword_web.console.values import BadInputError
from everword_web.console.visits import Visit, read_form

#: Bytes for a key, the name of a namespace and a token. The sender is not authenticated yet.
_MAX_FORM_BYTES = 16 * 1024


async def show(request: Request) -> Response:
    """Ask for a key."""
    return _form(Visit(request, Credentials()))


async def sign_in(request: Request) -> Response:
    """Keep a key that Everword knows, and go on to where the visitor came from."""
    visit = Visit(request, Credentials())
    try:
        form = await read_form(request, _MAX_FORM_BYTES)
        given = Credentials(form.text("key"), form.text("namespace"))
        if not (given.api_key.isascii() and given.namespace.isascii()):
            raise BadInputError(
                "A key and the name of a namespace contain only ASCII letters, digits and punctuation."
            )
        known = Credentials(given.api_key, await _namespace(Visit(request, given)))
    except BadInputError as error:
        return _form(visit, [str(error)])
    except CallError as error:
        if error.code is grpc.StatusCode.UNAUTHENTICATED:
            said = ["Everword does not know this key. It may have been revoked."]
        else:
            said = explain(error)[2]
        return _form(visit, said)
    response = visit.go(_next(visit))
    request.app.state.sessions.begin(request, response, known)
    return response


async def sign_out(request: Request) -> Response:
    """Forget the visitor's key."""
    visit = Visit(request, Credentials())
    try:
        await read_form(request, _MAX_FORM_BYTES)
    except BadInputError as error:
        return visit.refused(error)
    response = visit.go("/sign-in")
    request.app.state.sessions.end(response)
    return response


def _form(visit: Visit, said: list[str] | None = None) -> Response:
    status = 400 if said else 200
    return visit.page("sign_in.html", status, said=said or [])


def _next(visit: Visit) -> str:
    """Return where to go on to: a page of ours."""
    path = visit.values.text("next")
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


async def _namespace(visit: Visit) -> str:
    """Return the name of the namespace that the visitor's key opens. Raises CallError."""
    answer = await visit.call(
        visit.client.search_service.ListAddress, pb.ListAddressRequest(page_size=1)
    )
    address = next((entry.address for entry in answer.entries), "")
    return unquote(address.removeprefix("viking://").partition("/")[0])

"""A request id for every call: the caller's `x-request-id` or a new one, on its span and in all its logs and errors."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import grpc
from opentelemetry import trace

from everword.domain.ids import new_id
from everword.observability.logs import request_id
from everword.rpc.interceptors.base import Context, IncomingCall, Interceptor
from everword.telemetry import names

HEADER = "x-request-id"
#: Accepted ids of callers, which go into logs and metadata unchanged.
_PLAUSIBLE = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")


class RequestIdInterceptor(Interceptor):
    """Gives every call an id, and returns it in the header `x-request-id`."""

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        chosen = choose_request_id(call.metadata)
        request_id.set(chosen)
        trace.get_current_span().set_attribute(names.REQUEST_ID, chosen)
        yield
        # With the answer: a channel repeats a call whose server died only while nothing of an answer has come.
        await send_request_id(call.context)


def choose_request_id(metadata: Mapping[str, str]) -> str:
    """Return the caller's id for a call, or a new one."""
    sent = metadata.get(HEADER, "")
    return sent if _PLAUSIBLE.fullmatch(sent) else str(new_id())


async def send_request_id(context: Context) -> None:
    """Send the initial metadata of the call, unless a message was sent already."""
    with suppress(grpc.aio.UsageError):
        await context.send_initial_metadata(((HEADER, request_id.get()),))

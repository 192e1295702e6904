"""Refuses requests that would take long to parse, since the SDK parses a body in one call on the event loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import grpc

from everword.admission.bodies import App, Message, Receive, Scope, Send
from everword.admission.json_scan import MAX_DIGITS, Scan, scan_json
from everword.admission.refusals import RequestRefused
from everword.client import CallError

#: Maximum JSON values in one request, parsed within 5 ms; a full body of values would take a second. The largest
#: arguments of a tool, a batch of the graph, have a tenth of this number.
MAX_VALUES = 10_000
#: Bodies up to this size are scanned on the event loop, within a quarter of a millisecond.
_AT_ONCE_BYTES = 64 * 1024


class ShortContents:
    """An ASGI middleware that refuses batches and bodies of many values. It is inside of Admission."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._thread = ThreadPoolExecutor(1, "scans")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_checked() -> Message:
            message = await receive()
            body = message.get("body", b"")
            if len(body) > _AT_ONCE_BYTES:
                loop = asyncio.get_running_loop()
                _ensure_short(await loop.run_in_executor(self._thread, scan_json, body))
            elif body:
                _ensure_short(scan_json(body))
            return message

        await self._app(scope, receive_checked, send)


def _ensure_short(found: Scan) -> None:
    """Raise RequestRefused for a batch of calls, for too many values, and for too long a number."""
    if found.is_list:
        raise _refused("Send one message in each request: the protocol no longer has batches.")
    if found.values > MAX_VALUES:
        raise _refused(f"The request has more than {MAX_VALUES:,} JSON values; send it in parts.")
    if found.has_long_number:
        raise _refused(f"The request has a number of more than {MAX_DIGITS} digits.")


def _refused(message: str) -> RequestRefused:
    return RequestRefused(
        CallError(grpc.StatusCode.INVALID_ARGUMENT, message, reason="VALIDATION_FAILED")
    )

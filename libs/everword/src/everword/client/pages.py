"""Calls that answer page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

#: The largest page that a server gives.
PAGE_SIZE = 200


async def pages(call: Callable[[Any], Awaitable[Any]], request: Any) -> AsyncIterator[Any]:
    """Iterate over the responses of a call, whose request and response have the fields of pages."""
    while True:
        page = await call(request)
        yield page
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token

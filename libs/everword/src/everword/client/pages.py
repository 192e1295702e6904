"""Calls that answer page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

#: The largest page that a server gives.
PAGE_SIZE = 200

_Response = TypeVar("_Response", bound=Message)


async def pages(
    call: Callable[[Any], Awaitable[_Response]], request: Message
) -> AsyncIterator[_Response]:
    """Iterate over the responses of a call, whose request and response have the fields of pages."""
    asked: Any = type(request)()
    asked.CopyFrom(request)
    while True:
        page: Any = await call(asked)
        yield page
        if not page.next_page_token:
            return
        asked.page_token = page.next_page_token


async def list_all(
    call: Callable[[Any], Awaitable[_Response]], request: Message, limit: int | None = None
) -> _Response:
    """Return the responses of a call as one: with all items, or with at most `limit`."""
    found: Any = None
    async for page in pages(call, request):
        if found is None:
            found = page
            [field] = [each.name for each in page.DESCRIPTOR.fields if each.is_repeated]
        else:
            found.MergeFrom(page)
        if limit is not None and len(getattr(found, field)) >= limit:
            del getattr(found, field)[limit:]
            break
    found.ClearField("next_page_token")
    response: _Response = found
    return response

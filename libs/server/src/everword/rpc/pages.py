"""Pages of list RPCs: the requested page, its start, and the token of the next one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import UUID

from google.protobuf.message import Message

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import PageTokens

DEFAULT_PAGE, MAX_PAGE = 50, 200
#: Characters of the content of an item in a list.
DEFAULT_CONTENT_CHARS = 2000
#: Characters of all items of a page: 16 MiB at 4 bytes a character, half of the transport's limit.
MAX_PAGE_CHARS = 4 * 1024 * 1024

#: Fields in which the requests of pages of one list may differ.
_NOT_HASHED = {"page_size", "page_token", "at_least_as_fresh"}

_Row = TypeVar("_Row")


class _PagedRequest(Protocol):
    """A request with the fields of pages."""

    page_size: int
    page_token: str


@dataclass(frozen=True)
class PageRequest:
    """The page that a caller asks for."""

    #: The default if 0.
    size: int = 0
    token: str = ""
    #: SHA-256 in hex of the request without its size and tokens.
    request_hash: str = ""


FIRST_PAGE = PageRequest()


def to_page(request: _PagedRequest) -> PageRequest:
    """Return the page that a request asks for; its token is valid for an equal request only.

    The consistency token does not count, since the caller may write between two pages.
    """
    assert isinstance(request, Message)
    body = type(request).FromString(request.SerializeToString())
    for name in _NOT_HASHED.intersection(body.DESCRIPTOR.fields_by_name):
        body.ClearField(name)
    digest = hashlib.sha256(body.SerializeToString(deterministic=True)).hexdigest()
    return PageRequest(request.page_size, request.page_token, digest)


@dataclass(frozen=True)
class Cursor:
    """The start of a page, and the most items that it has."""

    size: int
    #: Position of the last item of the page before; None for the first page.
    after: list[Any] | None
    _tokens: PageTokens
    _request_hash: str

    @property
    def limit(self) -> int:
        """Number of rows to read: one more than a page has shows that there is another page."""
        return self.size + 1

    @property
    def after_id(self) -> UUID | None:
        """Position of the page before, if items are in the order of ids."""
        return UUID(self.after[0]) if self.after else None

    def token(self, position: list[Any]) -> str:
        """Return the token for the page after the item at `position`."""
        return self._tokens.issue(self._request_hash, position)

    def cut(
        self, rows: Sequence[_Row], position: Callable[[_Row], list[Any]]
    ) -> tuple[Sequence[_Row], str]:
        """Return the rows of the page among at most `limit`, and the token of the next page; empty for the last one."""
        if len(rows) <= self.size:
            return rows, ""
        return rows[: self.size], self.token(position(rows[self.size - 1]))


async def open_cursor(
    database: Database,
    namespace: NamespaceScope | None,
    rpc: str,
    page: PageRequest,
    *,
    default: int = DEFAULT_PAGE,
    maximum: int = MAX_PAGE,
    item_chars: int = 0,
) -> Cursor:
    """Return where `page` begins; `namespace` is None for RPCs over all of them. Raises InvalidPageToken.

    `item_chars` is the most characters that an item may have: pages of long items have fewer.
    """
    purpose = f"{rpc}:{namespace.id}" if namespace else rpc
    tokens = PageTokens(await database.token_secret(), purpose)
    size = min(page.size or default, maximum)
    if item_chars:
        size = min(size, max(1, MAX_PAGE_CHARS // item_chars))
    return Cursor(size, tokens.read(page.token, page.request_hash), tokens, page.request_hash)

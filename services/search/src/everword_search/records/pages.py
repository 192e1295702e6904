"""Pages of a list: how large, from where, and the token for the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import PageTokens
from everword_search.records.model import PageRequest

MAX_PAGE = 200
DEFAULT_CONTENT_CHARS = 2000
#: Contents of a page together: 16 MiB at 4 bytes a character, half of what the transport takes.
MAX_PAGE_CHARS = 4 * 1024 * 1024


@dataclass(frozen=True)
class Cursor:
    """The start of a page, and the most items that it has."""

    size: int
    #: Position of the last item of the page before; None for the first page.
    after: list[Any] | None
    _tokens: PageTokens
    _request_hash: str

    def token(self, position: list[Any]) -> str:
        """Return the token for the page after the item at `position`."""
        return self._tokens.issue(self._request_hash, position)


async def open_cursor(
    database: Database,
    namespace: NamespaceScope,
    rpc: str,
    page: PageRequest,
    default_size: int,
    item_chars: int = 0,
) -> Cursor:
    """Return where `page` begins. Raises InvalidPageToken.

    `item_chars` is the most characters that an item may have: pages of long items have fewer.
    """
    tokens = PageTokens(await database.token_secret(), f"{rpc}:{namespace.id}")
    size = min(page.size or default_size, MAX_PAGE)
    if item_chars:
        size = min(size, max(1, MAX_PAGE_CHARS // item_chars))
    return Cursor(size, tokens.read(page.token, page.request_hash), tokens, page.request_hash)


def max_parts(chars: int) -> int:
    """Return how many passages of a text surely hold its first `chars` characters.

    Two passages in a row have at least 80 words together, and a word has at least one character.
    """
    return chars // 40 + 2


def end_of_time(newest_first: bool) -> tuple[str, str]:
    """Return the place before the first memory in the order asked for."""
    if newest_first:
        return "infinity", str(UUID(int=2**128 - 1))
    return "-infinity", str(UUID(int=0))

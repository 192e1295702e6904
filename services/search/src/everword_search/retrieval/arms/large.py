"""The filters that let so many passages through that their vectors are searched through the index."""

from __future__ import annotations

from dataclasses import astuple
from hashlib import blake2b

from cachetools import TTLCache

from everword_search.passages.store import Scope

#: Filters that are remembered, over all namespaces.
_SIZE = 1_000
#: Seconds until the passages behind a filter are counted again: what was stored stays, so that few get fewer.
_TTL_S = 600.0


class LargeScopes:
    """Remembers what many passages are in: to find that out means to read thousands of them."""

    def __init__(self) -> None:
        self._known: TTLCache[bytes, int] = TTLCache(_SIZE, _TTL_S)

    def learn(self, scope: Scope, passages: int) -> None:
        """Remember that more than so many passages are in a scope."""
        # What a query demands seldom comes again.
        if scope.constraint is None:
            self._known[_key(scope)] = passages

    def has_more(self, scope: Scope, passages: int) -> bool:
        """Tell whether a scope is known to hold more than so many passages."""
        return scope.constraint is None and self._known.get(_key(scope), -1) >= passages


def _key(scope: Scope) -> bytes:
    """Return what a scope is kept by. Its filter, which may be long and private, is not kept."""
    text = repr((scope.namespace_id, astuple(scope.filter)))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()

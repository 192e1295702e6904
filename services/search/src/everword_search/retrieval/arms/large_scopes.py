"""Scopes that are known to be large; their vectors are searched through the index."""

from __future__ import annotations

from dataclasses import astuple
from hashlib import blake2b

from cachetools import TTLCache

from everword_search.passages.store import Scope

#: Maximum filters remembered, over all namespaces.
_SIZE = 1_000
#: Seconds until the passages behind a filter are counted again; large scopes seldom become small.
_TTL_S = 600.0


class LargeScopes:
    """A cache of large scopes, because counting a scope reads thousands of passages."""

    def __init__(self) -> None:
        self._known: TTLCache[bytes, int] = TTLCache(_SIZE, _TTL_S)

    def learn(self, scope: Scope, passages: int) -> None:
        """Remember that a scope has more than `passages` passages."""
        # Constraints from queries seldom recur, so such scopes are not remembered.
        if scope.constraint is None:
            self._known[_key(scope)] = passages

    def has_more(self, scope: Scope, passages: int) -> bool:
        """Return whether a scope is known to have more than `passages` passages."""
        return scope.constraint is None and self._known.get(_key(scope), -1) >= passages


def _key(scope: Scope) -> bytes:
    """Return the digest that identifies a scope. The filter itself may be long and private, so it is not stored."""
    text = repr((scope.namespace_id, astuple(scope.filter)))
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()

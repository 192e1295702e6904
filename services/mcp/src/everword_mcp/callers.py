"""As whom a tool calls Everword, and what it has to see of its own writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cachetools import TTLCache
from mcp.server.mcpserver import Context

from everword.client import Client
from everword.client.freshness import Freshness
from everword.client.headers import CALLER_HEADERS, forwarded

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000


class Caller:
    """One caller of a tool, for one call."""

    def __init__(
        self, client: Client, metadata: tuple[tuple[str, str], ...], callers: Callers
    ) -> None:
        self.client = client
        self.metadata = metadata
        """Headers to call with; none over stdio, where the client has its own."""
        self._callers = callers
        self._key = hashlib.sha256(repr(metadata).encode()).digest()
        known = callers.fresh.get(self._key) or Freshness()
        self.freshness = known.token
        """The consistency token of the caller's last write, which its reads have to see; empty if there is none."""
        self._begun = known.begin()

    def wrote(self, consistency_token: str) -> None:
        """Keep the token of a write."""
        known = self._callers.fresh.get(self._key) or Freshness()
        known.wrote(consistency_token, self._begun)
        self._callers.fresh[self._key] = known


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.fresh: TTLCache[bytes, Freshness] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)

    def of(self, headers: Mapping[str, str] | None) -> Caller:
        """Return who calls with these headers of HTTP; None over stdio."""
        return Caller(self.client, forwarded(headers or {}, CALLER_HEADERS), self)


#: What a tool is given beside its arguments.
ToolContext = Context[Callers, object]


def caller_of(context: ToolContext) -> Caller:
    """Return who calls a tool."""
    return context.request_context.lifespan_context.of(context.headers)

"""As whom a tool calls Everword, and what it has to see of its own writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cachetools import TTLCache
from mcp.server.mcpserver import Context

from everword.adapters.tools.model import Caller
from everword.client import Client
from everword.client.freshness import Freshness
from everword.client.headers import CALLER_HEADERS, forwarded

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._fresh: TTLCache[bytes, Freshness] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)

    def of(self, headers: Mapping[str, str] | None) -> Caller:
        """Return who calls with these headers of HTTP; None over stdio."""
        metadata = forwarded(headers or {}, CALLER_HEADERS)
        key = hashlib.sha256(repr(metadata).encode()).digest()
        self._fresh[key] = known = self._fresh.get(key) or Freshness()
        return Caller(self.client, known, metadata)


#: What a tool is given beside its arguments.
ToolContext = Context[Callers, object]


def caller_of(context: ToolContext) -> Caller:
    """Return who calls a tool."""
    return context.request_context.lifespan_context.of(context.headers)

"""As whom a tool calls Everword, and what it has to see of its own writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial

from cachetools import TTLCache
from mcp.server.mcpserver import Context

from everword.adapters.tools.model import Caller
from everword.client import Client

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000
#: Headers of an HTTP request that go on to Everword.
_FORWARDED = ("authorization", "x-everword-namespace")


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.tokens: TTLCache[bytes, str] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)

    def of(self, headers: Mapping[str, str] | None) -> Caller:
        """Return who calls with these headers of HTTP; None over stdio."""
        given = headers or {}
        metadata = tuple((name, given[name]) for name in _FORWARDED if name in given)
        key = hashlib.sha256(repr(metadata).encode()).digest()
        wrote = partial(self.tokens.__setitem__, key)
        return Caller(self.client, wrote, self.tokens.get(key, ""), metadata)


#: What a tool is given beside its arguments.
ToolContext = Context[Callers, object]


def caller_of(context: ToolContext) -> Caller:
    """Return who calls a tool."""
    return context.request_context.lifespan_context.of(context.headers)

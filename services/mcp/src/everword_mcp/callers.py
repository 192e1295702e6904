"""As whom a tool calls Everword, and what it has to see of its own writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from cachetools import TTLCache
from mcp.server.mcpserver import Context

from everword.client import Client

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000
#: Headers of an HTTP request that go on to Everword.
_FORWARDED = ("authorization", "x-everword-namespace")


@dataclass(frozen=True)
class Caller:
    """One caller of a tool."""

    client: Client
    metadata: tuple[tuple[str, str], ...]
    """Headers to call with; none over stdio, where the client has its own."""
    callers: Callers

    @property
    def freshness(self) -> str:
        """The consistency token of the caller's last write, which its reads have to see; empty if there is none."""
        return self.callers.tokens.get(self._key, "")

    def wrote(self, consistency_token: str) -> None:
        """Keep the token of a write."""
        self.callers.tokens[self._key] = consistency_token

    @property
    def _key(self) -> bytes:
        return hashlib.sha256(repr(self.metadata).encode()).digest()


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.tokens: TTLCache[bytes, str] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)

    def of(self, headers: Mapping[str, str] | None) -> Caller:
        """Return who calls with these headers of HTTP; None over stdio."""
        given = headers or {}
        metadata = tuple((name, given[name]) for name in _FORWARDED if name in given)
        return Caller(self.client, metadata, self)


#: What a tool is given beside its arguments.
ToolContext = Context[Callers, object]


def caller_of(context: ToolContext) -> Caller:
    """Return who calls a tool."""
    return context.request_context.lifespan_context.of(context.headers)

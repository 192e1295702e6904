"""Credentials of a tool's calls to Everword, and the consistency token of the caller's own writes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cachetools import TTLCache
from mcp.server.mcpserver import Context

from everword.adapters.tools.model import ToolCaller
from everword.admission.keys import KnownKeys
from everword.client import Client
from everword.client.freshness import Freshness
from everword.client.headers import CALLER_HEADERS, KEY_HEADER, forwarded

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client, known: KnownKeys) -> None:
        self.client = client
        self._known = known
        self._fresh: TTLCache[bytes, Freshness] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)

    def of(self, headers: Mapping[str, str] | None) -> ToolCaller:
        """Return who calls with these headers of HTTP; None over stdio."""
        metadata = forwarded(headers or {}, CALLER_HEADERS)
        key = hashlib.sha256(repr(metadata).encode()).digest()
        known = self._fresh.get(key) or _CallerSession(self._fresh, key)
        return ToolCaller(self.client, known, metadata)

    def note_answered(self, headers: Mapping[str, str] | None) -> None:
        """Note that Everword answered a call with these headers of HTTP."""
        self._known.note((headers or {}).get(KEY_HEADER))


class _CallerSession(Freshness):
    """A caller's freshness, stored at the first write: callers with an unknown key leave nothing in memory."""

    def __init__(self, kept: TTLCache[bytes, Freshness], key: bytes) -> None:
        super().__init__()
        self._kept = kept
        self._key = key

    def wrote(self, token: str, begun: int) -> None:
        super().wrote(token, begun)
        other = self._kept.get(self._key)
        if other is not None:
            # Another first write of this caller was under way.
            self.token = max(self.token, other.token)
        self._kept[self._key] = self


#: The context passed to tools with their arguments.
ToolContext = Context[Callers, object]


def caller_of(context: ToolContext) -> ToolCaller:
    """Return who calls a tool."""
    return context.request_context.lifespan_context.of(context.headers)

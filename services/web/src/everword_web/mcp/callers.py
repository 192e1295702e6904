"""Credentials of a tool's calls to Everword, and the consistency token of the caller's own writes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from urllib.parse import unquote

from cachetools import TTLCache

from everword.adapters.tools.model import NO_SCOPE, ToolCaller, ToolScope
from everword.admission.keys import KnownKeys
from everword.client import CallError, Client
from everword.client.freshness import Freshness
from everword.client.headers import CALLER_HEADERS, KEY_HEADER, forwarded
from everword.v1.ingest_service_pb2 import EndConversationRequest

_log = logging.getLogger(__name__)

#: For how long reads wait for an earlier write, and of how many callers at most.
_FRESH_FOR_S = 60.0
_MAX_CALLERS = 10_000
#: Headers that limit a caller's tools to an agent and a user; percent-encoded, for names outside of ASCII.
AGENT_HEADER, SUBJECT_HEADER = "x-everword-agent", "x-everword-subject"


class Callers:
    """The callers of a server, who share its connections to Everword."""

    def __init__(self, client: Client, known: KnownKeys, scope: ToolScope = NO_SCOPE) -> None:
        self.client = client
        self._scope = scope
        self._known = known
        self._fresh: TTLCache[bytes, Freshness] = TTLCache(_MAX_CALLERS, _FRESH_FOR_S)
        self._open_conversations: set[str] = set()

    def of(self, headers: Mapping[str, str] | None) -> ToolCaller:
        """Return who calls with these headers of HTTP; None over stdio."""
        metadata = forwarded(headers or {}, CALLER_HEADERS)
        key = hashlib.sha256(repr(metadata).encode()).digest()
        known = self._fresh.get(key) or _CallerSession(self._fresh, key)
        # Over HTTP, a process outlives the sessions of its callers.
        opened = self._open_conversations if headers is None else None
        return ToolCaller(self.client, known, self.scope_of(headers), metadata, opened)

    def scope_of(self, headers: Mapping[str, str] | None) -> ToolScope:
        """Return the agent and user to which the server, or else these headers of HTTP, limit the tools."""
        given = headers or {}
        return ToolScope(
            agent=self._scope.agent or unquote(given.get(AGENT_HEADER, "")),
            subject=self._scope.subject or unquote(given.get(SUBJECT_HEADER, "")),
        )

    async def end_conversations(self) -> None:
        """End the sessions of the conversations that the host of a process over stdio has appended to."""
        for id_ in sorted(self._open_conversations):
            try:
                await self.client.ingest_service.EndConversation(
                    EndConversationRequest(conversation_id=id_)
                )
            except CallError:
                # Sleep follows after 30 minutes without a message.
                _log.warning("mcp.session_not_ended", exc_info=True)

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

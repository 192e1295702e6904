"""Authentication: API keys, the operator's key, and the open mode of a deployment without any key.

The namespace comes from the key. Only an operator names it in a header, or any caller on this machine if there never
was a key.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from cachetools import LRUCache, TTLCache

from everword.admission.fair_share import Group, ShareLimits
from everword.db.pool import SQL, Database
from everword.db.statements import execute, fetch_optional, fetch_value
from everword.domain.caller import Caller, KeyScope, NamespaceScope, Role
from everword.domain.errors import AccessDenied, GrantExhausted, InvalidCredentials, Unauthenticated
from everword.rpc.capacity import CallShare
from everword.rpc.settings import ServerSettings

NAMESPACE_HEADER = "x-everword-namespace"
INTERNAL_HEADER = "x-everword-internal-token"
DEFAULT_NAMESPACE = "default"
#: Prefix that distinguishes a grant from a key.
GRANT_PREFIX = "ewg_"
#: Seconds for which the database's answer about a key is cached, and used again if the next answer is slow.
KEY_CACHE_S = 0.5
#: A key that is unknown is not asked for again for so long: one that is made meanwhile is let in after it.
UNKNOWN_CACHE_S = 2.0
#: Number of concurrent look-ups of keys that were never valid before, and the queue's length. Callers that guess keys
#: get no more of the database than that.
STRANGERS = 4
UNAUTHENTICATED_QUEUE = 64
EVERY_STRANGER = Group("strangers")
#: After the first key is made, a call without one still passes for at most this long.
OPEN_CACHE_S = 1.0


_Row = TypeVar("_Row")


def hash_key(secret: str) -> bytes:
    """Return the stored hash of a key. A plain hash is enough: keys are 256 random bits, not passwords."""
    return hashlib.sha256(secret.encode()).digest()


@dataclass(frozen=True)
class KeyRow:
    """A row that `authenticate_key` returns."""

    api_key_id: UUID
    role: int
    namespace_id: int | None
    namespace_name: str | None
    agent: str
    subject: str
    credentials: int
    ranking_profile: str

    @property
    def scope(self) -> KeyScope | None:
        bound = self.agent or self.subject
        return KeyScope(self.agent, self.subject) if bound else None


@dataclass(frozen=True)
class GrantRow:
    """A row that `spend_grant` returns."""

    namespace_id: int
    namespace_name: str
    max_calls: int
    #: True if a call was left.
    allowed: bool
    credentials: int
    ranking_profile: str


class Authenticator:
    """Finds out who calls. Answers are cached for a few seconds."""

    def __init__(self, database: Database, settings: ServerSettings) -> None:
        self._database = database
        self._admin_hash = hash_key(settings.admin_key.reveal()) if settings.admin_key else None
        self._loopback = settings.loopback
        self._closed_for_good = False
        self._keys: TTLCache[bytes, KeyRow] = TTLCache(4096, KEY_CACHE_S)
        self._unknown: TTLCache[bytes, bool] = TTLCache(4096, UNKNOWN_CACHE_S)
        self._known: LRUCache[bytes, bool] = LRUCache(4096)
        self._strangers = CallShare(
            ShareLimits(
                total=STRANGERS,
                of_group=STRANGERS,
                waiting=UNAUTHENTICATED_QUEUE,
                waiting_in_group=UNAUTHENTICATED_QUEUE,
            )
        )
        self._namespaces: TTLCache[str, NamespaceScope] = TTLCache(4096, OPEN_CACHE_S)
        self._open: TTLCache[str, bool] = TTLCache(1, OPEN_CACHE_S)

    async def authenticate(self, metadata: Mapping[str, str], *, spends: bool = True) -> Caller:
        """Return the caller that `metadata` proves, and count the call of a grant if it `spends`.

        Raises Unauthenticated, AccessDenied, GrantExhausted or Overloaded.
        """
        secret = _bearer(metadata.get("authorization", ""))
        requested = metadata.get(NAMESPACE_HEADER, "")
        if secret is None:
            # Asked for each call: a deployment may have been opened or closed since this server started.
            if not (self._loopback and await self.is_open()):
                raise Unauthenticated
            return Caller(Role.ADMIN, await self._find(requested or DEFAULT_NAMESPACE))
        hashed = hash_key(secret)
        if self._admin_hash and hmac.compare_digest(hashed, self._admin_hash):
            await self._close()
            return await self._operator(requested)
        if secret.startswith(GRANT_PREFIX):
            return await self._by_grant(hashed, requested, spends)
        return await self._by_key(hashed, requested)

    async def is_open(self) -> bool:
        """Return whether calls without a key are accepted: there never was a key, and no operator's key is set."""
        if self._admin_hash:
            return False
        cached: bool | None = self._open.get("open")
        if cached is None:
            async with self._database.connection() as conn:
                cached = not await fetch_value(conn, SQL["api_keys_exist"])
            self._open["open"] = cached
        return cached

    async def _close(self) -> None:
        """Remember that there was a key, for servers that are started without it."""
        if not self._closed_for_good:
            async with self._database.connection() as conn:
                await execute(conn, SQL["close_deployment"])
            self._closed_for_good = True

    async def _operator(self, wanted: str, api_key_id: UUID | None = None) -> Caller:
        namespace = await self._find(wanted or DEFAULT_NAMESPACE)
        return Caller(Role.ADMIN, namespace, operator=True, api_key_id=api_key_id)

    async def _by_key(self, hashed: bytes, wanted: str) -> Caller:
        # One look: between two of them, an entry can end.
        key = self._keys.get(hashed) or await self._read_key(hashed)
        if key.namespace_id is None or key.namespace_name is None:
            return await self._operator(wanted, key.api_key_id)
        if wanted and wanted != key.namespace_name:
            raise AccessDenied(
                "This API key belongs to another namespace than the one in the header.",
                namespace=wanted,
            )
        namespace = NamespaceScope(
            key.namespace_id, key.namespace_name, key.credentials, key.ranking_profile
        )
        return Caller(Role(key.role), namespace, scope=key.scope, api_key_id=key.api_key_id)

    async def _by_grant(self, hashed: bytes, wanted: str, spends: bool) -> Caller:
        """Return who calls with a grant: nothing of it is kept, for each call counts."""
        parameters = {"secret_hash": hashed, "spends": spends}
        grant = await self._ask(hashed, "spend_grant", parameters, GrantRow)
        if not grant.allowed:
            raise GrantExhausted(max_calls=grant.max_calls)
        if wanted and wanted != grant.namespace_name:
            raise AccessDenied(
                "This grant belongs to another namespace than the one in the header.",
                namespace=wanted,
            )
        scope = NamespaceScope(
            grant.namespace_id, grant.namespace_name, grant.credentials, grant.ranking_profile
        )
        return Caller(Role.WRITE, scope, granted=True)

    async def _read_key(self, hashed: bytes) -> KeyRow:
        """Return the database's row of a key. Raises InvalidCredentials, and Overloaded."""
        asked = time.monotonic()
        key = await self._ask(hashed, "authenticate_key", {"key_hash": hashed}, KeyRow)
        # It may have been revoked since it was read.
        if time.monotonic() - asked < KEY_CACHE_S:
            self._keys.setdefault(hashed, key)
        return key

    async def _ask(
        self, hashed: bytes, statement: str, parameters: Mapping[str, object], row: type[_Row]
    ) -> _Row:
        """Return the database's row of a secret. Raises InvalidCredentials, and Overloaded."""
        if hashed in self._unknown:
            raise InvalidCredentials
        async with AsyncExitStack() as turn:
            if hashed not in self._known:
                await turn.enter_async_context(self._strangers.acquired(EVERY_STRANGER))
            conn = await turn.enter_async_context(self._database.connection())
            found = await fetch_optional(conn, SQL[statement], parameters, row)
        if found is None:
            self._known.pop(hashed, None)
            self._unknown[hashed] = True
            raise InvalidCredentials
        self._known[hashed] = True
        return found

    async def _find(self, name: str) -> NamespaceScope | None:
        found = self._namespaces.get(name)
        if found is None:
            async with self._database.connection() as conn:
                found = await fetch_optional(
                    conn, SQL["find_namespace"], {"name": name}, NamespaceScope
                )
            if found is not None:
                self._namespaces[name] = found
        return found


def _bearer(header: str) -> str | None:
    """Return the token of an authorization header; None without a header."""
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("Send `authorization: Bearer KEY`; the header uses another scheme.")
    return token.strip()

"""Who calls: API keys, the operator's key, and the open mode of a deployment without any key.

The namespace comes from the key. Only an operator, or anybody while no key was ever made, names it by a header.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from cachetools import TTLCache

from everword.db.pool import SQL, Database
from everword.db.statements import fetch_optional, fetch_value
from everword.domain.caller import Caller, NamespaceScope, Role
from everword.domain.errors import AccessDenied, InvalidCredentials, Unauthenticated
from everword.domain.settings import Secret

NAMESPACE_HEADER = "x-everword-namespace"
INTERNAL_HEADER = "x-everword-internal-token"
DEFAULT_NAMESPACE = "default"
#: A revoked key is forgotten within this time.
KEY_CACHE_S = 10.0
#: After the first key is made, a call without one still passes for at most this long.
OPEN_CACHE_S = 1.0


def hash_key(secret: str) -> bytes:
    """Return what is stored of a key. A plain hash is enough: keys are 256 random bits, not passwords."""
    return hashlib.sha256(secret.encode()).digest()


@dataclass(frozen=True)
class KeyRow:
    """What `authenticate_key` returns."""

    api_key_id: UUID
    role: int
    namespace_id: int | None
    namespace_name: str | None


class Authenticator:
    """Finds out who calls. Answers are cached for a few seconds."""

    def __init__(self, database: Database, admin_key: Secret) -> None:
        self._database = database
        self._admin_hash = hash_key(admin_key.reveal()) if admin_key else None
        self._keys: TTLCache[bytes, KeyRow] = TTLCache(4096, KEY_CACHE_S)
        self._namespaces: TTLCache[str, NamespaceScope] = TTLCache(4096, OPEN_CACHE_S)
        self._open: TTLCache[str, bool] = TTLCache(1, OPEN_CACHE_S)

    async def authenticate(self, metadata: Mapping[str, str]) -> Caller:
        """Return the caller that `metadata` proves. Raises Unauthenticated or AccessDenied."""
        secret = _bearer(metadata.get("authorization", ""))
        wanted = metadata.get(NAMESPACE_HEADER, "")
        if secret is None:
            if not await self.is_open():
                raise Unauthenticated
            return Caller(Role.ADMIN, await self._find(wanted or DEFAULT_NAMESPACE))
        hashed = hash_key(secret)
        if self._admin_hash and hmac.compare_digest(hashed, self._admin_hash):
            return Caller(Role.ADMIN, await self._find(wanted or DEFAULT_NAMESPACE))
        return await self._by_key(hashed, wanted)

    async def is_open(self) -> bool:
        """Whether calls without a key are let in: no key was ever made, and no operator's key is set."""
        if self._admin_hash:
            return False
        cached: bool | None = self._open.get("open")
        if cached is None:
            async with self._database.connection() as conn:
                cached = not await fetch_value(conn, SQL["api_keys_exist"])
            self._open["open"] = cached
        return cached

    async def _by_key(self, hashed: bytes, wanted: str) -> Caller:
        # One look: between two of them, an entry can end.
        key = self._keys.get(hashed)
        if key is None:
            async with self._database.connection() as conn:
                key = await fetch_optional(
                    conn, SQL["authenticate_key"], {"key_hash": hashed}, KeyRow
                )
        if key is None:
            raise InvalidCredentials
        self._keys.setdefault(hashed, key)
        if key.namespace_id is None or key.namespace_name is None:
            return Caller(Role(key.role), await self._find(wanted or DEFAULT_NAMESPACE))
        if wanted and wanted != key.namespace_name:
            raise AccessDenied(
                "This API key belongs to another namespace than the header names.", namespace=wanted
            )
        return Caller(Role(key.role), NamespaceScope(key.namespace_id, key.namespace_name))

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
    """Return the token of an authorization header; None where there is no header."""
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("Send `authorization: Bearer KEY`; another scheme was found.")
    return token.strip()

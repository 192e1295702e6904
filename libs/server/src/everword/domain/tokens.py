"""Signed opaque tokens: pages and consistency.

A token is base64url(HMAC-SHA256 truncated to 16 bytes || payload); the payload is JSON. The signature covers the
purpose, so that one kind of token is never accepted as another.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import astuple, dataclass, replace
from typing import Any
from uuid import UUID

from everword.domain.errors import InvalidConsistencyToken, InvalidPageToken

_MAC_BYTES = 16
_LAST_ID = UUID(int=2**128 - 1)


def _mac(secret: bytes, purpose: str, payload: bytes) -> bytes:
    return hmac.digest(secret, purpose.encode() + b"\0" + payload, hashlib.sha256)[:_MAC_BYTES]


def _seal(secret: bytes, purpose: str, value: object) -> str:
    # Names may be long: escaped non-ASCII text would take three times as much.
    payload = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.urlsafe_b64encode(_mac(secret, purpose, payload) + payload).decode().rstrip("=")


def _open(secret: bytes, purpose: str, token: str) -> Any:
    """Return the value sealed in `token`, or raise ValueError."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("not base64") from error
    mac, payload = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(secret, purpose, payload)):
        raise ValueError("wrong signature")
    return json.loads(payload)


@dataclass(frozen=True)
class PageTokens:
    """Issues and reads the page tokens of one RPC in one namespace."""

    secret: bytes
    #: The scope of a token, such as the RPC and the namespace.
    purpose: str

    def issue(self, request_hash: str, position: list[Any]) -> str:
        """Return a token for the page after `position` of the request with this hash."""
        return _seal(self.secret, f"page:{self.purpose}", [request_hash, position])

    def read(self, token: str, request_hash: str) -> list[Any] | None:
        """Return the position in `token`; None without a token. Raises InvalidPageToken."""
        if not token:
            return None
        try:
            bound_to, position = _open(self.secret, f"page:{self.purpose}", token)
        except ValueError as error:
            raise InvalidPageToken from error
        if bound_to != request_hash:
            raise InvalidPageToken(
                "The request differs from the one that the page token was issued for. Start again without a token."
            )
        return list(position)


@dataclass(frozen=True)
class ConsistencyToken:
    """Identifies a write that a later read must see."""

    namespace_id: int
    #: Postgres' write-ahead log position read after the commit, as text.
    lsn: str
    #: The highest id of a passage that was written; 0 for none.
    memory_id: int

    def covering(self, earlier: ConsistencyToken | None) -> ConsistencyToken:
        """Return a token that covers an earlier write, too."""
        highest = max(self.memory_id, earlier.memory_id if earlier else 0)
        return replace(self, memory_id=highest)

    def seal(self, secret: bytes) -> str:
        """Return the token; before its signed part stands its place, so that of two tokens the later one is greater."""
        sealed = _seal(secret, "consistency", [self.namespace_id, self.lsn, self.memory_id])
        return f"{self._place}.{sealed}"

    @property
    def _place(self) -> str:
        high, _, low = self.lsn.partition("/")
        return f"{int(high, 16):08x}{int(low, 16):08x}"

    @classmethod
    def read(cls, secret: bytes, token: str, namespace_id: int) -> ConsistencyToken:
        """Return the write of `token`. Raises InvalidConsistencyToken, also for another namespace's."""
        place, dot, sealed = token.rpartition(".")
        try:
            found = cls(*_open(secret, "consistency", sealed))
        except (ValueError, TypeError) as error:
            raise InvalidConsistencyToken from error
        # A version before this one issued the signed part alone.
        if found.namespace_id != namespace_id or (dot and place != found._place):
            raise InvalidConsistencyToken
        return found


@dataclass(frozen=True)
class ResumeToken:
    """The progress of a watcher: the changes and the expiries that were reported.

    Expiry changes nothing in the database, so the progress also has a moment up to which expired memories were
    reported.
    """

    namespace_id: int
    #: Number of the last reported change.
    number: int
    #: Expiries up to this moment, in seconds since 1970, were reported.
    expired_at: float
    #: The last reported memory of those that expired at `expired_at`; empty if all were.
    expired_id: str = ""

    @property
    def last_expired(self) -> UUID:
        """Return the highest id reported among the memories that expired at `expired_at`; the highest UUID
        if all were.
        """
        return UUID(self.expired_id) if self.expired_id else _LAST_ID

    def seal(self, secret: bytes) -> str:
        return _seal(secret, "watch", list(astuple(self)))

    @classmethod
    def read(cls, secret: bytes, token: str, namespace_id: int) -> ResumeToken:
        """Return the progress of `token`. Raises InvalidPageToken, also for another namespace's."""
        try:
            found = cls(*_open(secret, "watch", token))
        except (ValueError, TypeError) as error:
            raise InvalidPageToken("The resume token was not issued for this namespace.") from error
        if found.namespace_id != namespace_id:
            raise InvalidPageToken("The resume token was not issued for this namespace.")
        return found

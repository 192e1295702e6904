"""Make, list and revoke API keys."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import KeyScope, Role
from everword.domain.errors import AdminKeyNeeded, InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import ApiKeyNotFound, NamespaceNotFound
from everword.domain.times import utc_now
from everword.rpc.authentication import hash_key
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.admin import store
from everword_ingest.admin.store import ApiKeyRecord
from everword_ingest.namespaces.store import get_namespace

log = logging.getLogger(__name__)
#: Lets people and secret scanners recognise a key.
PREFIX = "ew_"
_SECRET_BYTES = 32
#: Time for which the old key remains valid after a rotation.
DEFAULT_OVERLAP = timedelta(days=1)
_BEFORE_ALL = UUID(int=0)


async def create_api_key(
    database: Database,
    namespace: str,
    role: Role,
    bound_to: KeyScope,
    description: str,
    operated: bool,
    expires_at: datetime | None,
) -> tuple[ApiKeyRecord, str]:
    """Create a key and return it with its secret, which is not stored.

    `namespace` is empty exactly for an operator's key; `bound_to` is empty for a key to the whole namespace; `operated`
    is True if EVERWORD_ADMIN_KEY is set. Raises NamespaceNotFound, AdminKeyNeeded if the key would lock all callers
    out, and InvalidArgument if the key would have expired already.
    """
    if expires_at is not None and expires_at <= utc_now():
        raise InvalidArgument(violations=(("api_key.expire_time", "must be in the future"),))
    secret, id_ = _new_secret(), new_id()
    async with database.connection() as conn, conn.transaction():
        scope = await get_namespace(conn, namespace) if namespace else None
        if namespace and scope is None:
            raise NamespaceNotFound(namespace=namespace)
        created_at = await store.insert_api_key(
            conn,
            id_,
            scope.id if scope else None,
            hash_key(secret),
            role,
            bound_to,
            description,
            operated,
            expires_at,
        )
        if created_at is None:
            raise AdminKeyNeeded
    log.info("API key created", extra={"api_key_id": str(id_), "role": role.name.lower()})
    made = ApiKeyRecord(
        *(id_, namespace, role, bound_to.agent, bound_to.subject, description),
        *(created_at, None, expires_at, None),
    )
    return made, secret


async def list_api_keys(
    database: Database, namespace: str, page: PageRequest
) -> tuple[Sequence[ApiKeyRecord], str]:
    """Return a page of the keys of a namespace, or of all for '', oldest first, and the token of the next page."""
    cursor = await open_cursor(database, None, "ListApiKeys", page)
    async with database.connection() as conn:
        if namespace and await get_namespace(conn, namespace) is None:
            raise NamespaceNotFound(namespace=namespace)
        found = await store.list_api_keys(
            conn, namespace, cursor.after_id or _BEFORE_ALL, cursor.limit
        )
    return cursor.cut(found, lambda last: [str(last.id)])


async def revoke_api_key(database: Database, api_key_id: UUID) -> ApiKeyRecord:
    """End a key; servers forget it within a second. Doing so again changes nothing. Raises ApiKeyNotFound."""
    async with database.connection() as conn:
        revoked = await store.revoke_api_key(conn, api_key_id)
    if revoked is None:
        raise ApiKeyNotFound(api_key_id=api_key_id)
    log.info("API key revoked", extra={"api_key_id": str(api_key_id)})
    return revoked


async def rotate_api_key(
    database: Database, api_key_id: UUID, overlap: timedelta
) -> tuple[ApiKeyRecord, ApiKeyRecord, str]:
    """Make a key like another, which ends after `overlap`; return the old one, the new one and its secret.

    Raises ApiKeyNotFound where the old one is not good any more.
    """
    secret, id_ = _new_secret(), new_id()
    async with database.connection() as conn, conn.transaction():
        keys = await store.rotate_api_key(conn, api_key_id, id_, hash_key(secret), overlap)
        if not keys:
            # The same error as for a key that never existed.
            raise ApiKeyNotFound(api_key_id=api_key_id)
    old, new = keys
    log.info("API key rotated", extra={"api_key_id": str(api_key_id), "new": str(id_)})
    return old, new, secret


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(_SECRET_BYTES)

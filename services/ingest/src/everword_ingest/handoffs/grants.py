"""Grants: keys for one run of an advisor, for a number of calls."""

from __future__ import annotations

import secrets
from datetime import timedelta

from everword.db.pool import Database
from everword.domain.caller import Caller, NamespaceScope
from everword.domain.errors import AccessDenied
from everword.domain.ids import new_id
from everword.rpc.authentication import GRANT_PREFIX, hash_key
from everword_ingest.handoffs import store
from everword_ingest.handoffs.model import GrantRecord, HandoffKey

_SECRET_BYTES = 32


async def create_advisor_grant(
    database: Database,
    namespace: NamespaceScope,
    caller: Caller,
    key: HandoffKey,
    max_calls: int,
    lifetime: timedelta,
) -> tuple[GrantRecord, str]:
    """Make a grant and return it with its secret, which is not kept. Raises AccessDenied where a grant asks for it."""
    if caller.granted:
        raise AccessDenied("A grant cannot create grants: ask its creator for another one.")
    secret = GRANT_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
    async with database.transaction(namespace.id) as conn:
        made = await store.insert_grant(
            conn, namespace.id, new_id(), hash_key(secret), key, max_calls, lifetime
        )
    return made, secret

"""Read the record of erasures."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ErasureNotFound
from everword.domain.tokens import PageTokens
from everword_ingest.erasure import store
from everword_ingest.erasure.model import ErasureRow

DEFAULT_PAGE = 20


async def get_erasure(
    database: Database, namespace: NamespaceScope, erasure_id: UUID
) -> ErasureRow:
    """Return how an erasure stands. Raises ErasureNotFound."""
    async with database.transaction(namespace.id) as conn:
        found = await store.get_erasure(conn, namespace.id, erasure_id)
    if found is None:
        raise ErasureNotFound(erasure_id=erasure_id)
    return found


async def list_erasures(
    database: Database, namespace: NamespaceScope, page_size: int, page_token: str
) -> tuple[list[ErasureRow], str]:
    """Return a page of erasures, latest first, and the token of the next one. Raises InvalidPageToken."""
    size = page_size or DEFAULT_PAGE
    tokens = PageTokens(await database.token_secret(), f"ListErasures:{namespace.id}")
    after = tokens.read(page_token, "")
    before_id = UUID(after[0]) if after else None
    async with database.transaction(namespace.id) as conn:
        found = await store.list_erasures(conn, namespace.id, before_id, size + 1)
    if len(found) <= size:
        return found, ""
    return found[:size], tokens.issue("", [str(found[size - 1].id)])

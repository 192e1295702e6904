"""Say which entries a context would hold after a text, and why."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.lore.compiled import CompiledBooks
from everword.lore.find_lore import FoundEntry, LoreRequest, find_lore
from everword_ingest.lore.model import LoreScope
from everword_ingest.notes.place import find_place


async def match_lore(
    database: Database,
    namespace: NamespaceScope,
    kept: CompiledBooks,
    text: str,
    scope: LoreScope,
    *,
    automated: bool,
) -> Sequence[FoundEntry]:
    """Return the entries, those of the highest priority first. Raises ConversationNotFound and InvalidArgument."""
    async with database.transaction(namespace.id) as conn:
        place = (await find_place(conn, namespace.id, scope)).scope
        request = LoreRequest(
            agents=sorted({place.agent, ""}),
            subjects=sorted({place.subject, ""}),
            conversation_id=place.conversation_id,
            text=text,
            automated=automated,
        )
        return await find_lore(conn, kept, namespace.id, request)

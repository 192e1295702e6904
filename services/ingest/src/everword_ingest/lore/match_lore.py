"""Say which entries a context would hold after a text, and why."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import LoreTooExpensive
from everword.lore.compiled_book import CompiledBooks
from everword.lore.find_lore import FoundEntry, LoreRequest, find_lore
from everword.lore.model import Omission
from everword_ingest.lore.model import LoreScope
from everword_ingest.notes.place import find_place


async def match_lore(
    database: Database,
    namespace: NamespaceScope,
    book_cache: CompiledBooks,
    text: str,
    scope: LoreScope,
    *,
    automated: bool,
) -> Sequence[FoundEntry]:
    """Return the matching entries, highest priority first.

    Raises ConversationNotFound, InvalidArgument, and LoreTooExpensive if any could be missing.
    """
    async with database.transaction(namespace.id) as conn:
        place = (await find_place(conn, namespace.id, scope)).scope
        request = LoreRequest(
            agents=sorted({place.agent, ""}),
            subjects=sorted({place.subject, ""}),
            conversation_id=place.conversation_id,
            text=text,
            automated=automated,
        )
        found = await find_lore(conn, book_cache, namespace.id, request)
    if found.omissions:
        raise _too_expensive(found.omissions)
    return found.entries


def _too_expensive(omissions: Sequence[Omission]) -> LoreTooExpensive:
    """Return the error for omissions; it names the first one and what to change."""
    first = omissions[0]
    about = {"book": first.book, "book_id": first.book_id, "omissions": len(omissions)}
    if first.entry is None:
        return LoreTooExpensive(f"lorebook {first.book!r}: {first.reason}", **about)
    return LoreTooExpensive(
        f"the pattern {first.pattern!r} of entry {first.entry.title!r} in lorebook {first.book!r} {first.reason}",
        **about,
        entry=first.entry.title,
        entry_id=first.entry.id,
    )

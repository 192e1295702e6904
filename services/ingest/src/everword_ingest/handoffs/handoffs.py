"""Read and write what is handed over of an issue, and what advisors found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.handoffs.model import ADVISOR_NOTE, HandoffKey
from everword_ingest.notes import store
from everword_ingest.notes.model import MAX_CONTENT_BYTES, NoteFilter, Writing, WrittenNote
from everword_ingest.notes.store import NoteRow
from everword_ingest.notes.write_note import write_note

#: The latest.
MOST_NOTES = 20


async def get_handoff(
    database: Database, namespace: NamespaceScope, key: HandoffKey
) -> tuple[NoteRow | None, Sequence[NoteRow]]:
    """Return what was handed over, None for nothing, and the advisor's notes, the latest first."""
    wanted = NoteFilter(kinds=[ADVISOR_NOTE], tags=[key.name])
    async with database.transaction(namespace.id) as conn:
        note_id = await store.find_key(conn, namespace.id, key.note)
        handoff = await store.get_note(conn, namespace.id, note_id) if note_id else None
        notes = await store.list_notes(
            conn, namespace.id, wanted, MAX_CONTENT_BYTES, None, MOST_NOTES
        )
    return handoff, notes


async def write_handoff(
    database: Database, namespace: NamespaceScope, handoff: Writing, wake: Callable[[], None]
) -> WrittenNote:
    """Store what is handed over of an issue, in the place of what was. Raises what `write_note` does."""
    return await write_note(database, namespace, handoff, wake)


async def save_advisor_note(
    database: Database, namespace: NamespaceScope, found: Writing, wake: Callable[[], None]
) -> WrittenNote:
    """Store what an advisor found, beside what was found before. Raises what `write_note` does."""
    return await write_note(database, namespace, found, wake)

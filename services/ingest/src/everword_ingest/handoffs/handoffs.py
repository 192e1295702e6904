"""Read and write the handoff of an issue, and the notes of advisors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.handoffs.model import ADVISOR_NOTE, GrantRecord, HandoffKey
from everword_ingest.handoffs.store import list_grants
from everword_ingest.notes import store
from everword_ingest.notes.model import MAX_CONTENT_BYTES, NoteFilter, NoteWrite, WrittenNote
from everword_ingest.notes.store import NoteRow
from everword_ingest.notes.write_note import write_note

#: The latest notes, and the latest grants, of an issue.
MOST_NOTES, MOST_GRANTS = 20, 20


@dataclass(frozen=True)
class Handoff:
    """The handoff of an issue with its notes and grants."""

    #: None if there is none.
    handoff: NoteRow | None
    #: Latest first.
    advisor_notes: Sequence[NoteRow]
    #: Unexpired grants, latest first.
    grants: Sequence[GrantRecord]


async def get_handoff(database: Database, namespace: NamespaceScope, key: HandoffKey) -> Handoff:
    """Return the handoff of an issue with its advisor notes and grants."""
    requested = NoteFilter(kinds=[ADVISOR_NOTE], tags=[key.name])
    async with database.transaction(namespace.id) as conn:
        note_id = await store.find_key(conn, namespace.id, key.note)
        handoff = await store.get_note(conn, namespace.id, note_id) if note_id else None
        notes = await store.list_notes(
            conn, namespace.id, requested, MAX_CONTENT_BYTES, None, MOST_NOTES
        )
        grants = await list_grants(conn, namespace.id, key, MOST_GRANTS)
    return Handoff(handoff, notes, grants)


async def write_handoff(
    database: Database, namespace: NamespaceScope, handoff: NoteWrite, wake: Callable[[], None]
) -> WrittenNote:
    """Store the handoff of an issue in place of the earlier one. Raises the errors of `write_note`."""
    return await write_note(database, namespace, handoff, wake)


async def save_advisor_note(
    database: Database, namespace: NamespaceScope, found: NoteWrite, wake: Callable[[], None]
) -> WrittenNote:
    """Store an advisor's note in addition to earlier ones. Raises the errors of `write_note`."""
    return await write_note(database, namespace, found, wake)

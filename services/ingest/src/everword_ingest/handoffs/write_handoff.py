"""Write down where the caller stands, and what the advisor found."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.notes.model import Writing, Written
from everword_ingest.notes.write_note import write_note


async def write_handoff(
    database: Database, namespace: NamespaceScope, handoff: Writing, wake: Callable[[], None]
) -> Written:
    """Store what is handed over of an issue, in the place of what was. Raises what `write_note` does."""
    return await write_note(database, namespace, handoff, wake)


async def save_advisor_note(
    database: Database, namespace: NamespaceScope, found: Writing, wake: Callable[[], None]
) -> Written:
    """Store what an advisor found, beside what was found before. Raises what `write_note` does."""
    return await write_note(database, namespace, found, wake)

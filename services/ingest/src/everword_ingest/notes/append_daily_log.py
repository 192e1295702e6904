"""Add an entry to the log of the day: each is a note of its own, so that writers never wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.periods import Calendar
from everword_ingest.notes.model import Writing, Written
from everword_ingest.notes.write_note import write_note


async def append_daily_log(
    database: Database, namespace: NamespaceScope, entry: Writing, wake: Callable[[], None]
) -> Written:
    """Store an entry under the day that it is in the namespace, or find that an equal call did.

    Raises RequestIdConflict and ConversationNotFound.
    """
    async with database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
    day = Calendar(settings.time_zone, settings.day_cutoff_minutes).day_of(datetime.now(UTC))
    dated = replace(entry, note=replace(entry.note, log_date=day))
    return await write_note(database, namespace, dated, wake)

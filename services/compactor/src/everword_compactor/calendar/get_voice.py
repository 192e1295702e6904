"""Say whose memories calendar summaries are."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.calendar import requests
from everword_compactor.calendar.model import VoiceSettings


async def get_voice(database: Database, namespace: NamespaceScope) -> VoiceSettings:
    """Return the voice of a namespace; an empty one where none was set."""
    async with database.transaction(namespace.id) as conn:
        return await requests.get_voice(conn, namespace.id)

"""Set whose memories calendar summaries are."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.calendar import requests
from everword_compactor.calendar.model import VoiceSettings


async def update_voice(
    database: Database, namespace: NamespaceScope, voice: VoiceSettings
) -> VoiceSettings:
    """Replace the voice of a namespace, for what is written from now on, and return it."""
    async with database.transaction(namespace.id) as conn:
        await requests.update_voice(conn, namespace.id, voice)
    return voice

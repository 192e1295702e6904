"""Read and change the voice of a namespace: whose memories its calendar summaries are."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.calendar import requests
from everword_compactor.calendar.model import VoiceSettings


async def get_voice(database: Database, namespace: NamespaceScope) -> VoiceSettings:
    """Return the voice of a namespace; an empty one if none was set."""
    async with database.transaction(namespace.id) as conn:
        return await requests.get_voice(conn, namespace.id)


async def update_voice(
    database: Database, namespace: NamespaceScope, fields: Sequence[str], voice: VoiceSettings
) -> VoiceSettings:
    """Set the named fields of a namespace's voice, for what is written from now on, and return the voice."""
    async with database.transaction(namespace.id) as conn:
        await requests.update_voice(conn, namespace.id, fields, voice)
        return await requests.get_voice(conn, namespace.id)

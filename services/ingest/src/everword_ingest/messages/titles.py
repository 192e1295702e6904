"""Title a conversation by what its first user says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from everword.db.namespaces import NamespaceSettings
from everword.text.credentials import mask_credentials
from everword.text.instructions import contains_model_instructions
from everword_ingest.messages.model import NumberedMessage

#: A title that is taken from a message is at most this long.
TITLE_CHARS = 80
#: A credential in it is seen whole.
_TITLE_SOURCE_CHARS = 2_000
_USER = 2


async def take_title(
    numbered: Sequence[NumberedMessage], settings: NamespaceSettings, channel: str
) -> str:
    """Return the beginning of the first user's message, for a conversation without a title.

    Empty if the channel's policy keeps summaries within their conversation, since lists show titles.
    """
    if not settings.channels.summarizes(channel):
        return ""
    for entry in numbered:
        if entry.message.role != _USER or entry.message.automated:
            continue
        if settings.trust.is_open(channel) and await asyncio.to_thread(
            contains_model_instructions, entry.message.content
        ):
            continue
        words = entry.message.content.split(maxsplit=TITLE_CHARS)[:TITLE_CHARS]
        if words:
            title = " ".join(words)[:_TITLE_SOURCE_CHARS]
            if settings.masks_credentials:
                # In a thread: the first token of a process loads what knows tokens.
                title = await asyncio.to_thread(mask_credentials, title)
            return title if len(title) <= TITLE_CHARS else f"{title[: TITLE_CHARS - 1].rstrip()}…"
    return ""

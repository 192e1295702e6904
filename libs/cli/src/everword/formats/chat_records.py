"""Messages of other libraries, turned into those of OpenAI's API, which joins calls and answers, and into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everword.formats.records import Conversation
from everword.transcripts import Entry, chat_messages


def chat_entries(
    messages: Sequence[Mapping[str, Any]], into: Conversation, place: str = ""
) -> Iterator[Entry]:
    """Yield the messages of a chat, which have ids of their own. Raises TranscriptError."""
    place = place or into.place
    places = [f"{place}, message {message['id']}" for message in messages]
    for fields, _ in chat_messages(messages, places):
        own = str(fields.pop("id"))
        yield into.message(own, **fields)

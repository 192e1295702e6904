"""Messages of other libraries, turned into those of OpenAI's API, which joins calls and answers, and into records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everword.formats.records import Conversation
from everword.transcripts import Entry, Meter, chat_messages


def chat_entries(
    messages: Sequence[Mapping[str, Any]], into: Conversation, meter: Meter
) -> Iterator[Entry]:
    """Yield the messages of a chat, which have ids. Malformed ones are skipped and counted in `meter`."""
    numbered = [
        (number, message, f"{into.place}, message {message['id']}")
        for number, message in enumerate(messages, start=1)
    ]
    for fields, place in chat_messages(numbered, meter=meter):
        with meter.skipping(place):
            own = str(fields.pop("id"))
            yield into.message(own, **fields)

"""Counts of the records in a file, for a dry run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from everword.formats.records import Record, key_of
from everword.transcripts import Entry
from everword.v1.note_service_pb2 import WriteNoteRequest


@dataclass
class Preview:
    """Counts of the records that an import into an empty namespace would store."""

    messages: int = 0
    notes: int = 0
    documents: int = 0
    #: Times of the first and the last message; None if no message has a time.
    first_time: datetime | None = None
    last_time: datetime | None = None
    #: (session key, agent, channel) of each conversation.
    conversations: set[tuple[str, str, str]] = field(default_factory=set)


def preview_records(records: Iterable[Record]) -> Preview:
    """Read and count all records.

    Raises: TranscriptError if the file is damaged.
    """
    found = Preview()
    for record in records:
        if isinstance(record, WriteNoteRequest):
            found.notes += 1
        elif isinstance(record, Entry):
            found.messages += 1
            found.conversations.add(key_of(record))
            if record.message.HasField("create_time"):
                moment = record.message.create_time.ToDatetime(UTC)
                found.first_time = min(found.first_time or moment, moment)
                found.last_time = max(found.last_time or moment, moment)
        else:
            found.documents += 1
    return found

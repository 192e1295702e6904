"""Read conversations in from files, in streams that can be sent again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import grpc

from everword.client.client import Client
from everword.client.errors import CallError
from everword.transcripts import Entry
from everword.v1 import ingest_service_pb2

#: What goes into one stream. It is acknowledged as a whole, kept until then, and sent again where that fails.
STREAM_MESSAGES = 1000
STREAM_BYTES = 8 * 1024 * 1024
BATCH_MESSAGES = 500
#: A stream may take this long: an import is usually not alone.
STREAM_TIMEOUT_S = 300.0
ATTEMPTS = 4


@dataclass
class ImportSummary:
    """The result of an import so far. Only what is committed counts."""

    messages_written: int = 0
    messages_existing: int = 0
    #: Stands for everything counted here.
    consistency_token: str = ""
    #: (session key, agent, channel) of each conversation.
    conversations: set[tuple[str, str, str]] = field(default_factory=set)

    @property
    def messages(self) -> int:
        return self.messages_written + self.messages_existing


async def import_messages(
    client: Client,
    entries: Iterable[Entry],
    on_progress: Callable[[ImportSummary], None] = lambda summary: None,
) -> ImportSummary:
    """Store messages in the conversations they belong to, in their order.

    `on_progress` is called after each commit. Where the import ends early, what was committed stays; messages with
    external ids can be sent again, and those that are there are recognised. Raises CallError.
    """
    summary = ImportSummary()
    for stream in _streams(entries):
        response = await _send(client, _batches(stream))
        summary.messages_written += response.messages_written
        summary.messages_existing += response.messages_existing
        summary.consistency_token = response.consistency_token
        summary.conversations.update(map(_key, stream))
        on_progress(summary)
    return summary


def _streams(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Cut what comes into pieces that fit one stream, which holds at least one message."""
    stream: list[Entry] = []
    size = 0
    for entry in entries:
        more = entry.message.ByteSize()
        if stream and (len(stream) == STREAM_MESSAGES or size + more > STREAM_BYTES):
            yield stream
            stream, size = [], 0
        stream.append(entry)
        size += more
    if stream:
        yield stream


def _batches(stream: list[Entry]) -> list[ingest_service_pb2.ImportMessagesRequest]:
    """Return the batches of a stream: each of one conversation, whose messages keep their order."""
    by_conversation: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in stream:
        by_conversation.setdefault(_key(entry), []).append(entry)
    return [
        ingest_service_pb2.ImportMessagesRequest(
            batch=ingest_service_pb2.AppendMessagesRequest(
                conversation=entries[0].target,
                messages=[entry.message for entry in entries[start : start + BATCH_MESSAGES]],
            )
        )
        for entries in by_conversation.values()
        for start in range(0, len(entries), BATCH_MESSAGES)
    ]


async def _send(
    client: Client, batches: list[ingest_service_pb2.ImportMessagesRequest]
) -> ingest_service_pb2.ImportMessagesResponse:
    """Send one stream, again where the server or the way to it gave out for a moment."""
    for attempt in range(1, ATTEMPTS):
        try:
            return await client.ingest_service.ImportMessages(
                iter(batches), timeout=STREAM_TIMEOUT_S
            )
        except CallError as error:
            passing = error.code is grpc.StatusCode.UNAVAILABLE or error.retry_after_s is not None
            if not passing:
                raise
            await asyncio.sleep(error.retry_after_s or attempt)
    return await client.ingest_service.ImportMessages(iter(batches), timeout=STREAM_TIMEOUT_S)


def _key(entry: Entry) -> tuple[str, str, str]:
    key = entry.target.key
    return key.session_key, key.agent, key.channel

"""Store what files hold: messages in streams that can be sent again, and notes and documents one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import grpc

from everword.client.client import Client
from everword.client.errors import CallError
from everword.formats.records import Record, key_of
from everword.transcripts import Entry
from everword.v1 import ingest_service_pb2
from everword.v1.document_service_pb2 import WriteDocumentRequest, WriteDocumentResponse
from everword.v1.note_service_pb2 import WriteNoteRequest, WriteNoteResponse

#: Limits of one stream. A stream is acknowledged as a whole, kept in memory until then, and sent again if that fails.
STREAM_MESSAGES = 1000
STREAM_BYTES = 8 * 1024 * 1024
BATCH_MESSAGES = 500
#: A stream may take this long: an import is usually not alone.
STREAM_TIMEOUT_S = 300.0
ATTEMPTS = 4
#: Error codes for a note or a document that exists already, or existed and was deleted.
_EXISTS = {"NOTE_VERSION_CONFLICT", "DOCUMENT_VERSION_CONFLICT"}
#: Error codes about a single record; other errors concern the whole import.
_REFUSED = {
    "VALIDATION_FAILED",
    "REQUEST_TOO_LARGE",
    "EXTERNAL_ID_CONFLICT",
    "SUBJECT_CONFLICT",
    "CONTENT_ERASED",
    "DOCUMENT_UNREADABLE",
}
OnRefused = Callable[[Record, CallError], None]

_Answer = TypeVar("_Answer")
_Write = WriteNoteResponse | WriteDocumentResponse


@dataclass
class ImportSummary:
    """The result of an import so far; counts committed records only."""

    messages_written: int = 0
    messages_existing: int = 0
    notes_written: int = 0
    notes_existing: int = 0
    documents_written: int = 0
    documents_existing: int = 0
    #: Stands for everything counted here.
    consistency_token: str = ""
    #: (session key, agent, channel) of each conversation.
    conversations: set[tuple[str, str, str]] = field(default_factory=set)

    @property
    def messages(self) -> int:
        return self.messages_written + self.messages_existing

    @property
    def existing(self) -> int:
        """How much was there before, of all kinds."""
        return self.messages_existing + self.notes_existing + self.documents_existing


async def import_records(
    client: Client,
    records: Iterable[Record],
    on_progress: Callable[[ImportSummary], None] = lambda summary: None,
    on_refused: OnRefused | None = None,
    summary: ImportSummary | None = None,
) -> ImportSummary:
    """Store messages in their conversations, in order, and notes and documents that never existed.

    `on_progress` is called after each commit. If the import ends early, committed records stay; messages with external
    ids can be sent again and are not duplicated. `on_refused` is called with each record that the server rejects, and
    the import goes on unless it raises; without it, the first rejected record ends the import. Counts are added to
    `summary` if given, also if an error ends the import.

    Raises: CallError if the server rejects a record, or cannot be reached.
    """
    summary = summary or ImportSummary()
    for piece in _pieces(records):
        if isinstance(piece, list):
            await _import_stream(client, piece, summary, on_refused)
        else:
            try:
                await _write(client, piece, summary)
            except CallError as error:
                if on_refused is None or error.reason not in _REFUSED:
                    raise
                on_refused(piece, error)
        on_progress(summary)
    return summary


async def _write(
    client: Client, piece: WriteNoteRequest | WriteDocumentRequest, summary: ImportSummary
) -> None:
    if isinstance(piece, WriteNoteRequest):
        is_new = await _is_new(partial(client.note_service.WriteNote, piece), summary)
        summary.notes_written += is_new
        summary.notes_existing += not is_new
    else:
        is_new = await _is_new(partial(client.document_service.WriteDocument, piece), summary)
        summary.documents_written += is_new
        summary.documents_existing += not is_new


async def _import_stream(
    client: Client, stream: list[Entry], summary: ImportSummary, on_refused: OnRefused | None
) -> None:
    """Send messages in one stream; if one of them is refused, send each half separately, to find it."""
    batches = _batches(stream)
    try:
        response = await _retry_transient(
            lambda: client.ingest_service.ImportMessages(iter(batches), timeout=STREAM_TIMEOUT_S)
        )
    except CallError as error:
        if on_refused is None or error.reason not in _REFUSED:
            raise
        if len(stream) == 1:
            on_refused(stream[0], error)
            return
        # Messages that the stream stored before the refusal would count as existing when they are sent again.
        stored = int(error.metadata.get("messages_written", "0"))
        summary.messages_written += stored
        summary.messages_existing -= stored
        middle = len(stream) // 2
        await _import_stream(client, stream[:middle], summary, on_refused)
        await _import_stream(client, stream[middle:], summary, on_refused)
        return
    summary.messages_written += response.messages_written
    summary.messages_existing += response.messages_existing
    summary.conversations.update(key_of(entry) for entry in stream)
    _cover(summary, response.consistency_token)


async def _is_new(call: Callable[[], Awaitable[_Write]], summary: ImportSummary) -> bool:
    """Write a note or a document unless it exists; return whether this call wrote it."""
    try:
        _cover(summary, (await _retry_transient(call)).consistency_token)
        return True
    except CallError as error:
        if error.reason not in _EXISTS:
            raise
        return False


def _cover(summary: ImportSummary, token: str) -> None:
    # The greater of two consistency tokens covers both writes.
    summary.consistency_token = max(summary.consistency_token, token)


def _pieces(
    records: Iterable[Record],
) -> Iterator[list[Entry] | WriteNoteRequest | WriteDocumentRequest]:
    """Cut messages into lists that fit one stream, each with at least one message; other records are yielded alone."""
    stream: list[Entry] = []
    size = 0
    for record in records:
        if not isinstance(record, Entry):
            yield record
            continue
        more = record.message.ByteSize()
        if stream and (len(stream) == STREAM_MESSAGES or size + more > STREAM_BYTES):
            yield stream
            stream, size = [], 0
        stream.append(record)
        size += more
    if stream:
        yield stream


def _batches(stream: list[Entry]) -> list[ingest_service_pb2.ImportMessagesRequest]:
    """Return the batches of a stream: each of one conversation, whose messages keep their order."""
    by_conversation: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in stream:
        by_conversation.setdefault(key_of(entry), []).append(entry)
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


async def _retry_transient(call: Callable[[], Awaitable[_Answer]]) -> _Answer:
    """Return the result of a call; retry it if the server is unavailable or asks for a retry."""
    for attempt in range(1, ATTEMPTS):
        try:
            return await call()
        except CallError as error:
            passing = error.code is grpc.StatusCode.UNAVAILABLE or error.retry_after_s is not None
            if not passing:
                raise
            await asyncio.sleep(error.retry_after_s or attempt)
    return await call()

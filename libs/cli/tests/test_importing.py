"""How an import cuts records into streams and batches, and when it retries a stream."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import cast

import grpc
import pytest

from everword import importer
from everword.client import CallError, Client
from everword.importer import ImportSummary, import_records
from everword.transcripts import Entry
from everword.v1 import conversation_pb2, memory_pb2
from everword.v1 import ingest_service_pb2 as pb


@dataclass
class RecordingService:
    """Takes streams as an ingest service does, after the errors it is given."""

    failures: list[CallError] = field(default_factory=list)
    streams: list[list[pb.AppendMessagesRequest]] = field(default_factory=list)

    async def ImportMessages(
        self, requests: Iterator[pb.ImportMessagesRequest], timeout: float
    ) -> pb.ImportMessagesResponse:
        batches = [request.batch for request in requests]
        if self.failures:
            raise self.failures.pop()
        self.streams.append(batches)
        return pb.ImportMessagesResponse(
            batches=len(batches),
            messages_written=sum(len(batch.messages) for batch in batches),
            consistency_token=f"token {len(self.streams)}",
        )


@dataclass
class RecordingClient:
    ingest_service: RecordingService = field(default_factory=RecordingService)


def entry(number: int, session_key: str = "s", content: str = "x") -> Entry:
    key = conversation_pb2.ConversationKey(session_key=session_key)
    message = memory_pb2.NewMessage(
        content=content, role=memory_pb2.ROLE_USER, external_id=str(number)
    )
    return Entry(pb.ConversationTarget(key=key), message)


async def run(client: RecordingClient, entries: list[Entry]) -> list[ImportSummary]:
    """Import, and return copies of the progress reports."""
    seen: list[ImportSummary] = []

    def note(summary: ImportSummary) -> None:
        seen.append(replace(summary, conversations=set(summary.conversations)))

    summary = await import_records(cast(Client, client), entries, note)
    assert not seen or seen[-1] == summary
    return seen


async def test_import_batches_have_one_conversation_and_at_most_500_messages() -> None:
    client = RecordingClient()
    [summary] = await run(client, [entry(n, "even" if n % 2 == 0 else "odd") for n in range(1000)])
    [stream] = client.ingest_service.streams
    keys = [batch.conversation.key.session_key for batch in stream]
    assert keys == ["even", "odd"]
    ids = [int(message.external_id) for message in stream[0].messages]
    assert ids == list(range(0, 1000, 2))
    assert summary.messages_written == 1000
    assert summary.conversations == {("even", "", ""), ("odd", "", "")}
    await run(client, [entry(n) for n in range(501)])
    assert [len(batch.messages) for batch in client.ingest_service.streams[1]] == [500, 1]


async def test_import_stream_stays_below_8_mib_and_counts_acknowledged_messages() -> None:
    client = RecordingClient()
    large = "x" * 1_000_000
    seen = await run(client, [entry(n, content=large) for n in range(20)])
    sizes = [sum(batch.ByteSize() for batch in each) for each in client.ingest_service.streams]
    assert max(sizes) <= importer.STREAM_BYTES
    assert [summary.messages for summary in seen] == [8, 16, 20]
    assert seen[-1].consistency_token == "token 3"


async def test_import_of_empty_file_sends_nothing() -> None:
    client = RecordingClient()
    assert await run(client, []) == []
    assert client.ingest_service.streams == []


async def test_import_retries_a_stream_after_a_transient_failure() -> None:
    client = RecordingClient()
    client.ingest_service.failures = [
        CallError(grpc.StatusCode.ABORTED, "", "CONCURRENT_UPDATE", retry_after_s=0.001),
        CallError(grpc.StatusCode.UNAVAILABLE, "", retry_after_s=0.001),
    ]
    [summary] = await run(client, [entry(n) for n in range(3)])
    assert summary.messages_written == 3
    assert len(client.ingest_service.streams) == 1


async def test_import_stops_at_once_on_a_permanent_failure() -> None:
    client = RecordingClient()
    conflict = CallError(grpc.StatusCode.ALREADY_EXISTS, "", "EXTERNAL_ID_CONFLICT")
    client.ingest_service.failures = [conflict, conflict]
    with pytest.raises(CallError):
        await run(client, [entry(1)])
    assert len(client.ingest_service.failures) == 1


async def test_import_gives_up_after_four_attempts() -> None:
    client = RecordingClient()
    away = CallError(grpc.StatusCode.UNAVAILABLE, "", retry_after_s=0.001)
    client.ingest_service.failures = [away] * 10
    with pytest.raises(CallError):
        await run(client, [entry(1)])
    assert len(client.ingest_service.failures) == 6

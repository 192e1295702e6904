"""Memories of requests as values."""

from __future__ import annotations

from everword.rpc.translate import from_timestamp
from everword.v1 import ingest_service_pb2
from everword_ingest.memories.record_significant import SignificantMemory


def to_significant(request: ingest_service_pb2.RecordSignificantRequest) -> SignificantMemory:
    return SignificantMemory(
        content=request.content,
        title=request.title,
        instance=request.instance,
        agent=request.agent,
        subject=request.subject,
        occurred_at=(
            from_timestamp(request.occur_time, "occur_time")
            if request.HasField("occur_time")
            else None
        ),
    )

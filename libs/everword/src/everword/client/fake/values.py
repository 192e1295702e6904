"""Values that the fake makes, and how it compares them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from everword.client.errors import CallError
from everword.v1 import fact_pb2, memory_pb2


def is_wanted(memory: memory_pb2.Memory, wanted: memory_pb2.MemoryFilter) -> bool:
    """Return whether a memory matches a filter."""
    time = memory.occur_time.ToNanoseconds()
    return (
        memory.kind in (wanted.kinds or [memory.kind])
        and memory.subject in (wanted.subjects or [memory.subject])
        and memory.agent in (wanted.agents or [memory.agent])
        and memory.author in (wanted.authors or [memory.author])
        and (not wanted.tags or not set(wanted.tags).isdisjoint(memory.tags))
        and (not wanted.HasField("start_time") or time >= wanted.start_time.ToNanoseconds())
        and (not wanted.HasField("end_time") or time < wanted.end_time.ToNanoseconds())
    )


def holds(fact: fact_pb2.Fact, moment: Timestamp) -> bool:
    """Return whether a fact is valid at a moment."""
    time = moment.ToNanoseconds()
    ended = fact.HasField("valid_until_time") and fact.valid_until_time.ToNanoseconds() <= time
    return fact.valid_from_time.ToNanoseconds() <= time and not ended


def replace(fact: fact_pb2.Fact, newer: fact_pb2.Fact) -> None:
    """Let a fact end where a newer one of its attribute begins, if it holds then."""
    if holds(fact, newer.valid_from_time):
        fact.valid_until_time.CopyFrom(newer.valid_from_time)


def to_message(memory: memory_pb2.Memory) -> memory_pb2.Message:
    body = memory_pb2.NewMessage(
        content=memory.content,
        role=memory.role,
        author=memory.author,
        tags=memory.tags,
        external_id=memory.external_id,
        create_time=memory.occur_time,
    )
    return memory_pb2.Message(
        id=memory.id, conversation_id=memory.conversation_id, seq=memory.seq, body=body
    )


def to_service(*methods: Any) -> SimpleNamespace:
    return SimpleNamespace(**{method.__name__: method for method in methods})


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def now() -> Timestamp:
    time = Timestamp()
    time.GetCurrentTime()
    return time


def missing(reason: str, message: str) -> CallError:
    return CallError(grpc.StatusCode.NOT_FOUND, message, reason=reason)

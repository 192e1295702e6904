"""The sample conversations in a running stack, imported over gRPC."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from google.protobuf import struct_pb2, timestamp_pb2

from everword.samples import sample_path
from everword.v1 import ingest_service_pb2, memory_pb2, search_service_pb2
from support.calls import target
from support.databases import cloned
from support.stack import Stack, running_stack

_ROLES = {"system": 1, "user": 2, "assistant": 3, "tool": 4}
_PLAIN = ("content", "author", "instance", "tags", "automated", "tool_name", "tool_args")


@cache
def sample() -> list[dict[str, Any]]:
    """Return the sample's conversations as the file has them."""
    found: list[dict[str, Any]] = json.loads(sample_path().read_text(encoding="utf-8"))[
        "conversations"
    ]
    return found


def moment(text: str) -> timestamp_pb2.Timestamp:
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(datetime.fromisoformat(text))
    return stamp


def to_message(entry: dict[str, Any]) -> memory_pb2.NewMessage:
    """Return a message of the sample; its id becomes the external id."""
    message = memory_pb2.NewMessage(
        **{name: entry[name] for name in _PLAIN if name in entry},
        role=memory_pb2.Role.ValueType(_ROLES[entry["role"]]),
        tool_result=entry.get("tool_result", ""),
        external_id=entry["id"],
        create_time=moment(entry["create_time"]),
    )
    if "metadata" in entry:
        metadata = struct_pb2.Struct()
        metadata.update(entry["metadata"])
        message.metadata.CopyFrom(metadata)
    return message


async def import_sample(stack: Stack) -> dict[str, str]:
    """Import the sample into the namespace `default`; returns the memories' ids by the sample's own ids."""
    ids: dict[str, str] = {}
    for conversation in sample():
        details = {
            name: conversation[name]
            for name in ("agent", "channel", "subject", "title")
            if name in conversation
        }
        request = ingest_service_pb2.AppendMessagesRequest(
            conversation=target(conversation["conversation"], **details),
            messages=[to_message(entry) for entry in conversation["messages"]],
        )
        response = await stack.ingest.AppendMessages(request)
        for entry, stored in zip(conversation["messages"], response.messages, strict=True):
            ids[entry["id"]] = stored.message_id
    return ids


@dataclass(frozen=True)
class Corpus:
    """A stack with the sample, for read-only tests."""

    stack: Stack
    #: The memories' ids by the sample's own ids.
    ids: dict[str, str]

    def names(self, memory_ids: Iterable[str]) -> list[str]:
        known = {memory_id: name for name, memory_id in self.ids.items()}
        return [known[memory_id] for memory_id in memory_ids]

    async def search(
        self, query: str, mode: str = "LEXICAL", **fields: Any
    ) -> search_service_pb2.SearchResponse:
        return await self.stack.search.Search(search_request(query, mode, **fields))


def search_request(
    query: str, mode: str = "LEXICAL", **fields: Any
) -> search_service_pb2.SearchRequest:
    value = search_service_pb2.SearchMode.Value(f"SEARCH_MODE_{mode}")
    return search_service_pb2.SearchRequest(query=query, mode=value, **fields)


@asynccontextmanager
async def sample_corpus(postgres_url: str, cache_mb: int | None = None) -> AsyncIterator[Corpus]:
    """Run a stack over the sample while the block lasts."""
    with cloned(postgres_url) as database:
        async with running_stack(database, cache_mb=cache_mb, embedder=False) as stack:
            yield Corpus(stack, await import_sample(stack))

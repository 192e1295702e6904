"""Writes as real callers do, tries again where a call fails, and notes what was acknowledged."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TypeVar

import grpc

from everword.client import CallError, Client, ClientSettings
from everword.client.importing import import_messages
from everword.client.transcripts import Entry
from everword.domain.ids import new_id
from everword.embedded.folder import RunningStack
from everword.v1 import admin_service_pb2, memory_pb2
from kills.traffic import NAMESPACES, Conversation, batches, conversations

T = TypeVar("T")
#: What a caller may meet while a process is down; anything else is a bug.
PASSING = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.ABORTED,
    }
)
PAUSE_S = 0.5
CALL_TIMEOUT_S = 20.0


@dataclass
class Acknowledged:
    """What the callers were told is stored."""

    #: External ids; each names its namespace and conversation.
    external_ids: set[str] = field(default_factory=set)
    #: Calls that failed and were made again.
    retries: int = 0

    def note(self, messages: Sequence[memory_pb2.NewMessage]) -> None:
        self.external_ids.update(message.external_id for message in messages)


@dataclass(frozen=True)
class Load:
    """How much is imported, and how fast."""

    messages: int
    #: Mean pause of a writer between two batches.
    pause_s: float
    seed: int


async def import_all(stack: RunningStack, load: Load, acknowledged: Acknowledged) -> None:
    """Write all conversations at once. Raises CallError for a refusal that no outage explains."""
    await make_namespaces(stack)
    writers = conversations()
    async with AsyncExitStack() as connections:
        clients = {
            namespace: await connections.enter_async_context(_connect(stack, namespace))
            for namespace in NAMESPACES
        }
        async with asyncio.TaskGroup() as group:
            for number, conversation in enumerate(writers):
                write = _stream if number % 4 == 0 else _append
                writer = _Writer(clients[conversation.namespace], conversation, acknowledged)
                group.create_task(writer.run(write, load, load.messages // len(writers)))


async def make_namespaces(stack: RunningStack) -> None:
    async with _connect(stack, "") as client:
        for name in NAMESPACES[1:]:
            await client.admin_service.CreateNamespace(
                admin_service_pb2.CreateNamespaceRequest(name=name)
            )


def _connect(stack: RunningStack, namespace: str):
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)
    return Client.connect(settings)

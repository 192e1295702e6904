"""Writes as real callers do, tries again where a call fails, and notes what was acknowledged."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field

import grpc

from everword.client import CallError, Client, ClientSettings
from everword.domain.ids import new_id
from everword.embedded.folder import RunningStack
from everword.importing import import_records
from everword.transcripts import Entry
from everword.v1 import admin_service_pb2, memory_pb2
from kills.traffic import NAMESPACES, Conversation, batches, conversations

Batch = list[memory_pb2.NewMessage]
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


@dataclass
class Acknowledged:
    """What the callers were told is stored."""

    #: External ids; each names its namespace and conversation.
    external_ids: set[str] = field(default_factory=set)
    #: Calls that failed and were made again.
    retries: int = 0


@dataclass(frozen=True)
class Load:
    """How much is imported, and how fast."""

    messages: int
    #: Mean pause of a writer between two batches.
    pause_s: float
    seed: int


async def import_all(stack: RunningStack, load: Load, acknowledged: Acknowledged) -> None:
    """Write all conversations at once. Raises CallError for a refusal that no outage explains."""
    async with AsyncExitStack() as connections:
        clients = {
            namespace: await connections.enter_async_context(_connect(stack, namespace))
            for namespace in NAMESPACES
        }
        admin = clients[NAMESPACES[0]].admin_service
        for name in NAMESPACES[1:]:
            await admin.CreateNamespace(
                admin_service_pb2.CreateNamespaceRequest(
                    namespace=admin_service_pb2.Namespace(name=name)
                )
            )
        async with asyncio.TaskGroup() as group:
            for number, conversation in enumerate(conversations()):
                writer = Writer(clients[conversation.namespace], conversation, acknowledged)
                # Every fourth comes in as files do: in streams without request ids.
                send = writer.stream if number % 4 == 0 else writer.append
                group.create_task(writer.write(load, send))


class Writer:
    """Writes one conversation, in order, until all of it is acknowledged."""

    def __init__(
        self, client: Client, conversation: Conversation, acknowledged: Acknowledged
    ) -> None:
        self._client = client
        self._conversation = conversation
        self._acknowledged = acknowledged

    async def write(self, load: Load, send: Callable[[Batch], Awaitable[None]]) -> None:
        rng = random.Random(f"{load.seed} {self._conversation}")
        share = load.messages // len(conversations())
        for batch in batches(self._conversation, share, load.seed):
            await send(batch)
            self._acknowledged.external_ids.update(message.external_id for message in batch)
            await asyncio.sleep(rng.uniform(0.0, 2 * load.pause_s))

    async def append(self, batch: Batch) -> None:
        key, request_id = self._conversation.target.key, str(new_id())
        await self._until_answered(lambda: self._client.append(key, batch, request_id=request_id))

    async def stream(self, batch: Batch) -> None:
        entries = [Entry(self._conversation.target, message) for message in batch]
        await self._until_answered(lambda: import_records(self._client, entries))

    async def _until_answered(self, call: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await call()
            except CallError as error:
                if error.code not in PASSING:
                    raise
                self._acknowledged.retries += 1
                await asyncio.sleep(error.retry_after_s or PAUSE_S)
            else:
                return


def _connect(stack: RunningStack, namespace: str) -> AbstractAsyncContextManager[Client]:
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)
    return Client.connect(settings)

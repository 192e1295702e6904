"""Limits hold in bursts over several processes, even when the limit is new; each refusal is the typed error."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.client.channel import open_channel
from everword.quotas.usage import PARTS
from everword.v1 import admin_service_pb2 as admin
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.ingest_service_pb2 import EnsureConversationRequest
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from support.burst import bursts
from support.callers import within
from support.databases import DatabaseUnderTest
from support.service_process import free_address, is_serving, service_process
from support.waits import until

LIMIT = 60
REPLICAS, CLIENTS = 3, 3
REFUSED = "RESOURCE_EXHAUSTED RATE_LIMIT_REACHED ErrorInfo,RetryInfo"
#: Seconds after which a process reads the limit again.
AGO_S = 2.5
#: Seconds for all bursts of a test on a busy machine: a limit is of one minute of the clock.
BURSTS_S = 35.0
#: The slack that docs/limits.md states: a twentieth for each process but one.
MOST = LIMIT + (REPLICAS - 1) * LIMIT // PARTS


class Replicas:
    """Several ingest processes, with an operator's calls to the first one."""

    def __init__(self, database: DatabaseUnderTest, channels: list[grpc.aio.Channel]) -> None:
        self._database = database
        self._channels = channels

    async def create(self) -> None:
        await AdminServiceStub(self._channels[0]).CreateNamespace(
            admin.CreateNamespaceRequest(namespace=admin.Namespace(name="acme"))
        )

    async def limit(self, most: int) -> None:
        limits = admin.NamespaceLimits(requests_per_minute=most)
        await AdminServiceStub(self._channels[0]).UpdateNamespace(
            admin.UpdateNamespaceRequest(
                namespace=admin.Namespace(name="acme", limits=limits),
                update_mask=FieldMask(paths=["limits.requests_per_minute"]),
            )
        )

    async def call_each(self) -> None:
        request = EnsureConversationRequest(key=ConversationKey(session_key="s"))
        for channel in self._channels:
            await IngestServiceStub(channel).EnsureConversation(request, metadata=within("acme"))

    async def wait_for_minute(self, needed_s: float) -> None:
        """Wait for the next minute of the database's clock if this minute ends within `needed_s` seconds."""
        with closing(self._database.connect()) as conn:
            row = conn.execute("SELECT 60 - extract(second FROM now())::float8").fetchone()
        assert row
        left_s = float(row[0])
        if left_s < needed_s:
            await asyncio.sleep(left_s + 0.1)


@pytest.fixture
def addresses() -> list[str]:
    return [free_address() for _ in range(REPLICAS)]


@pytest_asyncio.fixture
async def replicas(database: DatabaseUnderTest, addresses: list[str]) -> AsyncIterator[Replicas]:
    async with AsyncExitStack() as running:
        channels = []
        for address in addresses:
            await running.enter_async_context(service_process("ingest", database, address))
            channels.append(await running.enter_async_context(open_channel(address)))
        for channel in channels:
            await until(lambda channel=channel: is_serving(channel))  # type: ignore[misc]
        replicas = Replicas(database, channels)
        await replicas.create()
        yield replicas


def _checked(ended: Counter[str]) -> int:
    """Return the number of answered calls; all others must be refused with the typed error."""
    assert set(ended) <= {"OK", REFUSED}, ended
    return ended["OK"]


@pytest.mark.slow
async def test_rate_limit_applies_in_bursts_over_several_processes_with_typed_errors(
    replicas: Replicas, addresses: list[str]
) -> None:
    await replicas.limit(LIMIT)
    await replicas.wait_for_minute(BURSTS_S)
    # Two processes do not know the namespace yet.
    assert LIMIT <= _checked(await bursts(addresses, 300, CLIENTS)) <= MOST
    # All processes know the limit, and that it is reached.
    assert _checked(await bursts(addresses, 600, CLIENTS)) == 0
    assert _checked(await bursts(addresses[:1], 900, CLIENTS)) == 0


@pytest.mark.slow
async def test_new_rate_limit_applies_to_a_burst(replicas: Replicas, addresses: list[str]) -> None:
    # The processes read some seconds ago that there was no limit.
    await replicas.call_each()
    await replicas.wait_for_minute(BURSTS_S)
    await asyncio.sleep(AGO_S)
    await replicas.limit(LIMIT)
    # Calls before the limit do not count. Each process admits one call without an exchange.
    answered = _checked(await bursts(addresses, 300, CLIENTS))
    assert LIMIT <= answered <= MOST + REPLICAS

"""A tenant's many calls do not block other tenants; and no one pays for unauthenticated callers."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from everword.admission.fair_share import RECENT_KEY_TTL_S
from everword.client.channel import open_channel
from everword.rpc import capacity
from everword.rpc.interceptors import capacity as receiving
from everword.rpc.interceptors import keyless
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as search
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from support.callers import bearer, make_namespaces, raw_call, within
from support.calls import append, append_request, message
from support.databases import DatabaseUnderTest
from support.health import serving
from support.jobs import make_namespace
from support.refusals import refused
from support.service_process import free_address, is_serving, service_process
from support.stack import BASE, Stack, running_stack
from support.waits import until

OPERATORS_KEY = "operators-key-for-the-tests"
OPERATOR = (*bearer(OPERATORS_KEY), *within("flood"))
CALLS = 64
LARGE = bytes(16 * 1024 * 1024)


@pytest.fixture
async def shared(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with a limit of 64 concurrent calls, two tenants and an operator."""
    server = replace(BASE, max_concurrent=CALLS)
    async with running_stack(database, admin_key=OPERATORS_KEY, server=server) as stack:
        await make_namespaces(stack, "flood", "other", metadata=bearer(OPERATORS_KEY))
        yield stack


# Two tenants


async def _tenant(stack: Stack, namespace: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a tenant with a key of its own."""
    request = admin.CreateApiKeyRequest(
        api_key=admin.ApiKey(namespace=namespace, role=admin.API_KEY_ROLE_WRITE)
    )
    made = await stack.admin.CreateApiKey(request, metadata=bearer(OPERATORS_KEY))
    return bearer(made.secret)


async def _endless(opened: asyncio.Event) -> AsyncIterator[ingest.ImportMessagesRequest]:
    """Yield a batch, and then wait for ever."""
    yield ingest.ImportMessagesRequest(batch=append_request("Hello."))
    opened.set()
    await asyncio.Event().wait()


@asynccontextmanager
async def _calls(calls: list[Any]) -> AsyncIterator[list[asyncio.Future[Any]]]:
    """Run calls while the block lasts."""
    futures = [asyncio.ensure_future(call) for call in calls]
    try:
        yield futures
    finally:
        for future in futures:
            future.cancel()
        await asyncio.gather(*futures, return_exceptions=True)


async def _answered(stack: Stack, *callers: tuple[tuple[str, str], ...]) -> None:
    """Assert that writes and reads of callers are answered."""
    for metadata in callers:
        await append(stack, "Still here.", session_key="other", metadata=metadata)
        await stack.maintenance.GetQueueStatus(
            maintenance.GetQueueStatusRequest(), metadata=metadata
        )
        await stack.ingest.ImportMessages(
            iter([ingest.ImportMessagesRequest(batch=append_request("Me too."))]), metadata=metadata
        )


async def test_idle_streams_of_one_tenant_do_not_block_other_tenants(shared: Stack) -> None:
    flood, other = await _tenant(shared, "flood"), await _tenant(shared, "other")
    opened = asyncio.Event()
    async with _calls(
        [shared.ingest.ImportMessages(_endless(opened), metadata=flood) for _ in range(CALLS)]
    ) as streams:
        await opened.wait()
        ended, _ = await asyncio.wait(streams, return_when=asyncio.FIRST_COMPLETED)
        refusal = await refused(ended.pop())
        assert (refusal.reason, refusal.metadata["limit"]) == ("OVERLOADED", str(CALLS // 32))
        await _answered(shared, other, OPERATOR)


async def test_only_one_stream_per_namespace_runs_while_other_tenants_call(shared: Stack) -> None:
    flood, other = await _tenant(shared, "flood"), await _tenant(shared, "other")
    await asyncio.sleep(RECENT_KEY_TTL_S + 0.2)  # Until no other caller counts as recent.

    def imports() -> list[Any]:
        return [
            shared.ingest.ImportMessages(_endless(asyncio.Event()), metadata=flood)
            for _ in range(CALLS // 32)
        ]

    with shared.database.connect() as holder:
        holder.autocommit = False
        holder.execute("LOCK TABLE everword.conversations")
        async with _calls(imports()):
            await until(lambda: _blocked(shared, at_least=2))
        await until(lambda: _blocked(shared, at_least=0), 8)
        said = shared.ingest.AppendMessages(append_request("Hi."), metadata=other)
        async with _calls([said]):
            await until(lambda: _blocked(shared, at_least=1))
            async with _calls(imports()):
                await until(lambda: _blocked(shared, at_least=2))
                await asyncio.sleep(0.3)
                assert not await _blocked(shared, at_least=3)
        holder.rollback()


async def test_indexing_waits_of_one_tenant_do_not_block_other_calls(shared: Stack) -> None:
    flood, other = await _tenant(shared, "flood"), await _tenant(shared, "other")
    token = (await append(shared, "Without a vector.", metadata=flood)).consistency_token
    request = ingest.WaitForIndexingRequest(
        consistency_token=token, stage=ingest.INDEXING_STAGE_EMBEDDED
    )
    waits = [shared.ingest.WaitForIndexing(request, metadata=flood) for _ in range(CALLS)]
    async with _calls(waits) as calls:
        ended, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert (await refused(ended.pop())).reason == "OVERLOADED"
        await _answered(shared, flood, other, OPERATOR)
        left = [call for call in calls if not call.done()]
        assert len(left) == CALLS // 8


async def test_import_stream_that_sends_nothing_times_out(
    shared: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "RECEIVE_S", 0.2)
    stream = shared.ingest.ImportMessages(_endless(asyncio.Event()), metadata=OPERATOR)
    monkeypatch.setattr("everword.rpc.interceptors.errors.DRAIN_S", 0.1)
    refusal = await refused(stream)
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.DEADLINE_EXCEEDED,
        "DEADLINE_EXCEEDED",
    )
    assert "received" in refusal.message
    # Messages of earlier requests are stored.
    with shared.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM messages").fetchone() == (1,)


async def test_call_latency_is_unaffected_by_flood_of_another_tenant(
    database: DatabaseUnderTest,
) -> None:
    """100 callers in one namespace and one in another; a process of its own serves both."""
    address = free_address()
    async with service_process("ingest", database, address), open_channel(address) as channel:
        await until(lambda: is_serving(channel))
        stub = IngestServiceStub(channel)
        with database.connect() as conn:
            _ = [make_namespace(conn, name) for name in ("flood", "other")]

        async def call(namespace: str, number: int) -> float:
            request = append_request(message("A few words. " * 400), session_key=f"s{number}")
            started = time.perf_counter()
            await stub.AppendMessages(request, metadata=within(namespace), timeout=60)
            return time.perf_counter() - started

        floods: list[float] = []

        async def flooding(caller: int) -> None:
            while True:
                floods.append(await call("flood", caller))

        async with _calls([flooding(caller) for caller in range(100)]):
            # Once more if something else slowed the few calls down.
            for _ in range(3):
                floods.clear()
                await until(lambda: len(floods) > 100)
                others = [await call("other", number) for number in range(20)]
                share = statistics.median(others) / statistics.median(floods)
                if share < 0.25:
                    break
    # Measured: a tenth. Without fair scheduling it is about 1, each time.
    assert share < 0.25


# Callers without a key


async def test_bodies_of_unauthenticated_requests_are_not_read(database: DatabaseUnderTest) -> None:
    """60 unauthenticated calls of 16 MiB once took 3.5 GB."""
    with database.connect() as conn:
        conn.execute("UPDATE deployment SET closed = true")
    address = free_address()
    async with (
        service_process("ingest", database, address) as process,
        open_channel(address) as channel,
    ):
        await until(lambda: is_serving(channel))
        memory = psutil.Process(process.pid).memory_info
        before = memory().rss
        calls = [
            refused(raw_call(channel, "/everword.v1.IngestService/AppendMessages", LARGE))
            for _ in range(60)
        ]
        refusals = await asyncio.gather(*calls)
        after = memory().rss
    assert {refusal.reason for refusal in refusals} == {"CREDENTIALS_MISSING"}
    assert after - before < 100 << 20


async def test_slow_senders_delay_only_their_own_tenant(shared: Stack) -> None:
    """Concurrent request bytes are limited, in total and for each tenant."""
    flood, other = await _tenant(shared, "flood"), await _tenant(shared, "other")
    slots = capacity.MAX_BODY_BYTES_OF_GROUP // capacity.TRANSPORT_BYTES
    async with open_channel(shared.addresses["ingest"]) as channel:
        slow: Any = channel.stream_unary("/everword.v1.IngestService/AppendMessages")
        async with _calls([slow(_silence(), metadata=flood) for _ in range(slots)]):
            await until(lambda: _waits(append(shared, "Behind them.", metadata=flood)))
            await _answered(shared, other, OPERATOR)


async def _waits(call: Awaitable[object]) -> bool:
    """Return whether a call has no answer after half a second."""
    try:
        async with asyncio.timeout(0.5):
            await call
    except TimeoutError:
        return True
    return False


async def _silence() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def test_guessed_api_keys_do_not_block_authenticated_callers(shared: Stack) -> None:
    """Each guess costs a database look-up, so only a few are made at once."""
    other = await _tenant(shared, "other")
    await append(shared, "Known.", metadata=other)
    guesses = [
        shared.search.GetStats(search.GetStatsRequest(), metadata=bearer(f"ew_guess-{number}"))
        for number in range(300)
    ]
    async with _calls([refused(guess) for guess in guesses]) as calls:
        await _answered(shared, other, OPERATOR)
        reasons = {refusal.reason for refusal in await asyncio.gather(*calls)}
    assert reasons <= {"CREDENTIALS_INVALID", "OVERLOADED"}
    assert "CREDENTIALS_INVALID" in reasons


async def test_call_without_request_message_is_refused(shared: Stack) -> None:
    async with open_channel(shared.addresses["search"]) as channel:
        empty: Any = channel.stream_unary("/everword.v1.SearchService/GetStats")
        refusal = await refused(empty(iter([]), metadata=OPERATOR))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "VALIDATION_FAILED",
    )


# Health and reflection, which need no key


async def test_health_watches_are_limited(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_channel(stack.addresses["search"]) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        watches = [
            health.Watch(health_pb2.HealthCheckRequest()) for _ in range(keyless.MAX_WATCHES)
        ]
        for watch in watches:
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
        one_more = health.Watch(health_pb2.HealthCheckRequest())
        refusal = await refused(_first(one_more))
        assert refusal.reason == "OVERLOADED"
        assert await serving(channel)
        watches[0].cancel()
        await until(lambda: _accepted(lambda: health.Watch(health_pb2.HealthCheckRequest())))
        for watch in watches:
            watch.cancel()


async def _first(call: Any) -> Any:
    async for answer in call:
        return answer
    return None


async def _accepted(call: Callable[[], Any]) -> bool:
    watch = call()
    try:
        await _first(watch)
    except grpc.aio.AioRpcError:
        return False
    finally:
        watch.cancel()
    return True


async def test_reflection_calls_are_limited(stack: Stack) -> None:
    async with open_channel(stack.addresses["search"]) as channel:
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        held = [reflection.ServerReflectionInfo() for _ in range(keyless.MAX_REFLECTIONS)]
        for call in held:
            await call.write(request)
            assert (await call.read()).list_services_response.service
        refusal = await refused(_first(reflection.ServerReflectionInfo(iter([request]))))
        assert refusal.reason == "OVERLOADED"
        for call in held:
            call.cancel()


@pytest.mark.parametrize(
    "call",
    [
        lambda channel, request: channel.unary_unary("/grpc.health.v1.Health/Check")(request),
        lambda channel, request: _first(
            channel.unary_stream("/grpc.health.v1.Health/Watch")(request)
        ),
        lambda channel, request: _first(
            channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")(
                iter([request])
            )
        ),
    ],
    ids=["check", "watch", "reflection"],
)
async def test_large_health_and_reflection_requests_are_refused(
    stack: Stack, call: Callable[[grpc.aio.Channel, bytes], Awaitable[Any]]
) -> None:
    request = health_pb2.HealthCheckRequest(service="x" * 100_000).SerializeToString()
    async with open_channel(stack.addresses["search"]) as channel:
        refusal = await refused(call(channel, request))
    assert refusal.reason == "REQUEST_TOO_LARGE"


# Disconnected callers


async def test_abandoned_call_cancels_its_statement_and_frees_its_slot(
    shared: Stack,
) -> None:
    """Cancelled, past its deadline, or with a dead client: each while the database executes its statement."""
    tenant = await _tenant(shared, "flood")
    await append(shared, "Hello.", metadata=tenant)
    looked = search.BrowseRequest(page_size=1)
    with shared.database.connect() as holder:
        holder.autocommit = False
        holder.execute("LOCK TABLE everword.messages, everword.conversations")
        async with open_channel(shared.addresses["ingest"]) as dying:
            calls: list[Any] = [
                *(shared.search.Browse(looked, metadata=tenant) for _ in range(6)),
                *(
                    shared.ingest.AppendMessages(append_request("Hi."), metadata=tenant)
                    for _ in range(6)
                ),
                *(
                    IngestServiceStub(dying).AppendMessages(append_request("Hi."), metadata=tenant)
                    for _ in range(6)
                ),
                shared.search.Browse(looked, metadata=tenant, timeout=2),
            ]
            async with _calls(calls):
                await until(lambda: _blocked(shared, at_least=4))
        # The channel is closed, so the calls are cancelled.
        await until(lambda: _blocked(shared, at_least=0), 8)
        holder.rollback()
    async with asyncio.timeout(5):
        await _answered(shared, tenant, OPERATOR)


async def _blocked(stack: Stack, at_least: int) -> bool:
    """Return whether `at_least` statements of calls wait for a lock; with 0, whether none does. Sweeps do not count."""
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND datname = current_database()"
            " AND application_name IN ('everword-ingest', 'everword-search')"
        ).fetchone()
    assert row
    return bool(row[0] >= at_least if at_least else row[0] == 0)

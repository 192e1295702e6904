"""All public services at one address, behind the proxy that `everword up` and `everword proxy` run."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from everword.client.channel import open_channel
from everword.client.servers import PUBLIC_PORTS, SERVER_HEADER, public_services
from everword.embedded.ports import free_ports
from everword.rpc.interceptors import keyless
from everword.v1.ingest_service_pb2 import ImportMessagesRequest
from everword.v1.search_service_pb2 import BrowseRequest, ListMessagesRequest, SearchRequest
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword.v1.watch_pb2 import WatchMemoriesRequest, WatchMemoriesResponse
from support.calls import append, append_request
from support.command_line import everword
from support.databases import DatabaseUnderTest
from support.one_address import proxied, running_proxy
from support.refusals import refused
from support.stack import Stack, running_stack, stack_of
from support.waits import until
from support.watchers import begin, take


@pytest.fixture
def address(stack: Stack, tmp_path: Path) -> Iterator[str]:
    with proxied(stack.addresses, tmp_path) as address:
        yield address


@pytest.fixture
async def behind(stack: Stack, address: str) -> AsyncIterator[Stack]:
    """The stack, with each public service called through the proxy."""
    async with open_channel(address) as channel, open_channel(stack.addresses["embedder"]) as own:
        channels = dict.fromkeys(PUBLIC_PORTS, channel) | {"embedder": own}
        yield stack_of(stack.database, stack.addresses, channels)


@asynccontextmanager
async def _bare(address: str) -> AsyncIterator[grpc.aio.Channel]:
    """Open a channel without retries."""
    async with grpc.aio.insecure_channel(address, [("grpc.enable_retries", 0)]) as channel:
        yield channel


async def _code(channel: grpc.aio.Channel, path: str) -> grpc.StatusCode:
    """Return the status code of a call with an empty request."""
    raw: Any = channel.unary_unary(path)
    call = raw(b"", timeout=10)
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


async def _reflect(
    channel: grpc.aio.Channel, request: reflection_pb2.ServerReflectionRequest
) -> reflection_pb2.ServerReflectionResponse:
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
    answer: reflection_pb2.ServerReflectionResponse
    answer = await stub.ServerReflectionInfo(iter([request])).read()
    return answer


async def test_proxy_routes_public_services_and_no_internal_ones(address: str) -> None:
    async with _bare(address) as channel:
        for service in public_services():
            method = next(each for each in service.methods if not each.server_streaming)
            code = await _code(channel, f"/{service.full_name}/{method.name}")
            assert code not in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.UNAVAILABLE)
        for path in ("/everword.internal.v1.EmbedderService/DescribeModel", "/no.Such/Thing", "/"):
            assert await _code(channel, path) is grpc.StatusCode.UNIMPLEMENTED


async def test_proxy_reflection_lists_and_describes_every_service(address: str) -> None:
    listing = reflection_pb2.ServerReflectionRequest(list_services="")
    async with open_channel(address) as channel:
        answer = await _reflect(channel, listing)
        names = {each.name for each in answer.list_services_response.service}
        assert names == {
            *(service.full_name for service in public_services()),
            "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection",
        }
        for name in names:
            asked = reflection_pb2.ServerReflectionRequest(file_containing_symbol=name)
            described = await _reflect(channel, asked)
            assert described.file_descriptor_response.file_descriptor_proto, name


async def test_proxy_health_check_goes_to_the_server_named_in_the_header(
    stack: Stack, address: str
) -> None:
    async with open_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        whole = await stub.Check(health_pb2.HealthCheckRequest())
        assert whole.status == health_pb2.HealthCheckResponse.SERVING
        own = {
            "ingest": "everword.v1.AdminService",
            "search": "everword.v1.SearchService",
            "compactor": "everword.v1.MaintenanceService",
        }
        for server, service in own.items():
            request = health_pb2.HealthCheckRequest(service=service)
            answer = await stub.Check(request, metadata=((SERVER_HEADER, server),))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_proxy_passes_error_details_and_request_metadata(behind: Stack) -> None:
    rule = await refused(behind.search.Search(SearchRequest(query="x", page_size=-1)))
    assert (rule.reason, rule.fields) == ("VALIDATION_FAILED", {"page_size"})
    elsewhere = (("x-everword-namespace", "nowhere"),)
    missing = await refused(behind.search.Browse(BrowseRequest(), metadata=elsewhere))
    assert missing.reason == "NAMESPACE_NOT_FOUND"
    binary = (("x-everword-traced-bin", bytes(range(256))),)
    await behind.search.Browse(BrowseRequest(), metadata=binary)


async def test_proxy_passes_large_messages_and_oversized_requests_are_refused(
    behind: Stack,
) -> None:
    texts = [f"{number} " + "long " * 3000 for number in range(1000)]
    request = append_request(*texts)
    assert 14 << 20 < request.ByteSize() < 16 << 20
    written = await behind.ingest.AppendMessages(request, timeout=120)
    page = ListMessagesRequest(conversation_id=written.conversation_id, page_size=200)
    listed = await behind.search.ListMessages(page)
    assert len(written.messages) == 1000
    assert listed.ByteSize() > 2 << 20
    request.messages[0].content = "x" * (2 << 20)
    refusal = await refused(behind.ingest.AppendMessages(request, timeout=120))
    assert refusal.reason == "REQUEST_TOO_LARGE"


async def test_proxy_forwards_streamed_requests_without_buffering(behind: Stack) -> None:
    written = asyncio.Event()

    async def batches() -> AsyncIterator[ImportMessagesRequest]:
        yield ImportMessagesRequest(batch=append_request("The first."))
        await written.wait()
        yield ImportMessagesRequest(batch=append_request("The second."))

    token = await begin(behind)
    importing = asyncio.ensure_future(behind.ingest.ImportMessages(batches()))
    told = await take(behind, token, 2)
    assert [event.memory.content for each in told for event in each.events] == ["The first."]
    assert not importing.done()
    written.set()
    assert (await importing).messages_written == 2


async def test_proxy_ends_stream_at_the_clients_deadline(behind: Stack) -> None:
    call = behind.search.WatchMemories(WatchMemoriesRequest(), timeout=1.5)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in call:
            pass
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_proxy_cancels_server_call_when_client_disconnects(address: str) -> None:
    request = reflection_pb2.ServerReflectionRequest(list_services="")

    async def may_ask() -> bool:
        async with _bare(address) as channel:
            try:
                await _reflect(channel, request)
            except grpc.aio.AioRpcError:
                return False
        return True

    async with _bare(address) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        held = [stub.ServerReflectionInfo() for _ in range(keyless.MAX_REFLECTIONS)]
        for call in held:
            await call.write(request)
            await call.read()
        assert not await may_ask()
        for call in held:
            call.cancel()
        await until(may_ask)


async def test_proxy_returns_unavailable_when_server_is_down(
    database: DatabaseUnderTest, tmp_path: Path
) -> None:
    async with running_stack(database, embedder=False) as stack:
        pass
    with proxied(stack.addresses, tmp_path) as address:
        async with _bare(address) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await SearchServiceStub(channel).Browse(BrowseRequest())
            assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_proxy_finishes_open_calls_on_sigterm(stack: Stack, tmp_path: Path) -> None:
    with running_proxy(stack.addresses, tmp_path) as (address, process):
        async with _bare(address) as channel:
            call = SearchServiceStub(channel).WatchMemories(WatchMemoriesRequest())
            first = await call.read()
            assert isinstance(first, WatchMemoriesResponse)
            process.send_signal(signal.SIGTERM)
            await asyncio.sleep(1)
            async with _bare(address) as late:
                assert (
                    await _code(late, "/everword.v1.SearchService/Browse")
                    is grpc.StatusCode.UNAVAILABLE
                )
            await append(stack, "It is still told.")
            told = await call.read()
            assert isinstance(told, WatchMemoriesResponse)
            assert [event.memory.content for event in told.events] == ["It is still told."]
            call.cancel()
        assert await asyncio.to_thread(process.wait, 10) == 0


@pytest.mark.parametrize(
    ("moved", "message"), [({}, "no API key exists"), ({"ingest": "127.0.0.1:1"}, "start it first")]
)
async def test_proxy_command_refuses_network_address_without_api_keys(
    stack: Stack, moved: dict[str, str], message: str
) -> None:
    variables = {f"EVERWORD_{name.upper()}_ADDRESS": at for name, at in moved.items()}
    listen = f"0.0.0.0:{free_ports(1)[0]}"
    done = await everword(stack, "proxy", EVERWORD_LISTEN=listen, **variables)
    assert done.status == 1
    assert message in done.errors


async def test_proxy_command_prints_its_configuration(stack: Stack) -> None:
    done = await everword(stack, "proxy", "--print")
    assert f"to {stack.addresses['search']}" in done.output

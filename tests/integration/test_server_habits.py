"""How a service starts, reports its health, and stops."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import psycopg
import pytest
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from psycopg import sql

from everword.client.channel import open_channel
from everword.client.servers import PUBLIC_PORTS
from everword.db.settings import DatabaseSettings
from everword.domain.deadline import remaining
from everword.domain.settings import Secret, SettingError
from everword.embedded.ports import free_ports
from everword.internal.v1.embedder_service_pb2 import GetCoverageRequest
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.rpc import health as health_module
from everword.rpc.settings import ServerSettings
from everword.v1.admin_service_pb2 import ListNamespacesRequest
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.context_service_pb2 import BuildContextRequest
from everword.v1.context_service_pb2_grpc import ContextServiceStub
from everword.v1.ingest_service_pb2 import RecordSignificantRequest
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.search_service_pb2 import BrowseRequest, SearchRequest
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_embedder.server import EmbedderServer
from everword_embedder.settings import EmbedderSettings
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings
from support.callers import internal
from support.calls import append_request
from support.databases import DatabaseUnderTest
from support.health import serving
from support.refusals import refused
from support.stack import BASE, Stack
from support.waits import until

INGEST = replace(BASE, service="ingest")
SERVICES = {
    "ingest": (
        "everword.v1.IngestService",
        "everword.v1.FactService",
        "everword.v1.PatternService",
        "everword.v1.CostService",
        "everword.v1.NoteService",
        "everword.v1.LoreService",
        "everword.v1.DocumentService",
        "everword.v1.ErasureService",
        "everword.v1.GraphService",
        "everword.v1.AdminService",
    ),
    "search": (
        "everword.v1.SearchService",
        "everword.v1.ContextService",
        "everword.v1.FactQueryService",
        "everword.v1.GraphQueryService",
    ),
    "compactor": ("everword.v1.MaintenanceService",),
    "embedder": ("everword.internal.v1.EmbedderService",),
}


@asynccontextmanager
async def _running(server: IngestServer | EmbedderServer | SearchServer) -> AsyncIterator[str]:
    """Run one service while the block lasts; yield its address."""
    try:
        yield await server.start()
    finally:
        await server.stop()


def _ingest(database: DatabaseSettings, server: ServerSettings = INGEST) -> IngestServer:
    return IngestServer(IngestSettings(server=server, database=database))


def _nowhere(role: str = "everword_ingest") -> DatabaseSettings:
    """Return settings of an unreachable database."""
    url = f"postgresql://nobody@127.0.0.1:{free_ports(1)[0]}/none"
    return DatabaseSettings(url=url, role=role)


@pytest.fixture
def _quick_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_module, "CHECK_INTERVAL_S", 0.1)


# Health


@pytest.mark.parametrize("service", SERVICES)
async def test_health_of_ready_service_is_serving_under_each_of_its_names(
    stack: Stack, service: str
) -> None:
    async with open_channel(stack.addresses[service]) as channel:
        for name in ("", *SERVICES[service]):
            assert await serving(channel, name)


@pytest.mark.usefixtures("_quick_checks")
async def test_service_without_postgres_starts_as_not_serving(
    database: DatabaseUnderTest, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that is refused while Postgres is down does not claim its request id; its retry is stored."""
    monkeypatch.setattr(health_module, "CHECK_TIMEOUT_S", 0.2)
    request = append_request("The VPN drops every day at noon.", request_id="noon")
    reading = SearchSettings(replace(BASE, service="search"), database.settings("search"))
    _allow_connections(postgres_url, database, allowed=False)
    async with (
        _running(_ingest(database.settings("ingest"))) as address,
        open_channel(address) as channel,
        _running(SearchServer(reading)) as search_address,
        open_channel(search_address) as search_channel,
    ):
        for name in ("", *SERVICES["ingest"]):
            assert not await serving(channel, name)
        ingest, admin = IngestServiceStub(channel), AdminServiceStub(channel)
        with monkeypatch.context() as hasty:
            hasty.setattr("everword.db.pool.POOL_TIMEOUT_S", 0.2)
            for call in (
                admin.ListNamespaces(ListNamespacesRequest(), timeout=60),
                ingest.AppendMessages(request, timeout=60),
            ):
                refusal = await refused(call)
                told = refusal.code, refusal.reason
                assert told == (grpc.StatusCode.UNAVAILABLE, "STORAGE_UNAVAILABLE")
        _allow_connections(postgres_url, database, allowed=True)
        await until(lambda: serving(channel))
        await until(lambda: serving(search_channel))
        stored = await ingest.AppendMessages(request)
        assert not stored.replayed
        found = await SearchServiceStub(search_channel).Search(SearchRequest(query="VPN"))
    ids = [result.memory.id for result in found.results]
    assert ids == [message.message_id for message in stored.messages]


async def test_record_significant_without_postgres_is_storage_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword.db.pool.POOL_TIMEOUT_S", 0.2)
    async with _running(_ingest(_nowhere())) as address, open_channel(address) as channel:
        request = RecordSignificantRequest(content="Emi was born today.", request_id="birth")
        refusal = await refused(IngestServiceStub(channel).RecordSignificant(request, timeout=60))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.UNAVAILABLE,
        "STORAGE_UNAVAILABLE",
    )


async def test_reads_without_postgres_are_storage_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword.db.pool.POOL_TIMEOUT_S", 0.2)
    settings = SearchSettings(replace(BASE, service="search"), _nowhere("everword_search"))
    async with _running(SearchServer(settings)) as address, open_channel(address) as channel:
        search = SearchServiceStub(channel)
        query = "When does the VPN drop?"
        for call in (
            search.Search(SearchRequest(query=query), timeout=60),
            search.Browse(BrowseRequest(), timeout=60),
            ContextServiceStub(channel).BuildContext(BuildContextRequest(query=query), timeout=60),
        ):
            refusal = await refused(call)
            told = refusal.code, refusal.reason
            assert told == (grpc.StatusCode.UNAVAILABLE, "STORAGE_UNAVAILABLE")


@pytest.mark.usefixtures("_quick_checks")
async def test_service_with_old_schema_is_not_serving_until_migrated(
    database: DatabaseUnderTest,
) -> None:
    newest = "(SELECT coalesce(max(number), 0) FROM schema_migrations)"
    with database.connect() as conn:
        conn.execute(f"DELETE FROM schema_migrations WHERE number = {newest}".encode())
    async with (
        _running(_ingest(database.settings("ingest"))) as address,
        open_channel(address) as channel,
    ):
        assert not await serving(channel)
        with database.connect() as conn:
            conn.execute(
                f"INSERT INTO schema_migrations SELECT {newest} + 1, 'now applied', ''".encode()
            )
        await until(lambda: serving(channel))


@pytest.mark.usefixtures("_quick_checks")
async def test_health_follows_postgres_down_and_up(
    database: DatabaseUnderTest, postgres_url: str
) -> None:
    async with (
        _running(_ingest(database.settings("ingest"))) as address,
        open_channel(address) as channel,
    ):
        assert await serving(channel)
        _allow_connections(postgres_url, database, allowed=False)
        await until(lambda: _not_serving(channel))
        _allow_connections(postgres_url, database, allowed=True)
        await until(lambda: serving(channel))


async def _not_serving(channel: grpc.aio.Channel) -> bool:
    return not await serving(channel)


def _allow_connections(postgres_url: str, database: DatabaseUnderTest, *, allowed: bool) -> None:
    """Forbid connections to a database and end existing ones, or allow them again."""
    name = database.admin_url.rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as conn:
        statement = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
        conn.execute(statement.format(sql.Identifier(name), sql.Literal(allowed)))
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )


@pytest.mark.usefixtures("_quick_checks")
async def test_call_with_exhausted_pool_is_overloaded_and_health_stays_serving(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword.db.pool.POOL_TIMEOUT_S", 0.5)
    settings = replace(database.settings("ingest"), pool_min=1, pool_max=1)
    async with _running(_ingest(settings)) as address, open_channel(address) as channel:
        admin = AdminServiceStub(channel)
        await admin.ListNamespaces(ListNamespacesRequest(), timeout=60)
        with database.connect() as conn, conn.transaction():
            conn.execute("LOCK TABLE namespaces IN ACCESS EXCLUSIVE MODE")
            holding = admin.ListNamespaces(ListNamespacesRequest(page_size=1), timeout=90)
            refusal = await refused(admin.ListNamespaces(ListNamespacesRequest(), timeout=60))
            assert await serving(channel)
        await holding
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")


async def test_deadline_of_the_first_health_check_is_not_inherited(
    database: DatabaseUnderTest,
) -> None:
    """Otherwise tasks started later, such as background tasks, would inherit the check's deadline."""
    async with _running(_ingest(database.settings("ingest"))):
        assert remaining(60) == 60


# Reflection


async def _reflect(
    channel: grpc.aio.Channel, request: reflection_pb2.ServerReflectionRequest
) -> reflection_pb2.ServerReflectionResponse:
    generated: Any = reflection_pb2_grpc  # Typed only for synchronous channels.
    answers = generated.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]))
    answer: reflection_pb2.ServerReflectionResponse = await answers.read()
    return answer


@pytest.mark.parametrize("service", SERVICES)
async def test_reflection_of_a_public_server_lists_all_public_services(
    stack: Stack, service: str
) -> None:
    async with open_channel(stack.addresses[service]) as channel:
        answer = await _reflect(channel, reflection_pb2.ServerReflectionRequest(list_services=""))
    public = {name for server in PUBLIC_PORTS for name in SERVICES[server]}
    assert {entry.name for entry in answer.list_services_response.service} == {
        *(public if service in PUBLIC_PORTS else SERVICES[service]),
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }


async def test_reflection_describes_error_detail_types(stack: Stack) -> None:
    symbol = error_details_pb2.ErrorInfo.DESCRIPTOR.full_name
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol)
    async with open_channel(stack.addresses["ingest"]) as channel:
        answer = await _reflect(channel, request)
    assert len(answer.file_descriptor_response.file_descriptor_proto) > 0


# Listening


async def test_second_server_on_the_same_port_is_refused(database: DatabaseUnderTest) -> None:
    settings = database.settings("ingest")
    async with _running(_ingest(settings)) as address:
        second = _ingest(settings, replace(INGEST, listen=address))
        with pytest.raises(SettingError, match="EVERWORD_LISTEN") as caught:
            async with _running(second):
                pass
    assert address in str(caught.value)


async def test_service_without_any_key_refuses_network_address(
    database: DatabaseUnderTest,
) -> None:
    server = _ingest(database.settings("ingest"), replace(INGEST, listen="0.0.0.0:0"))
    with pytest.raises(SettingError, match="EVERWORD_ADMIN_KEY"):
        async with _running(server):
            pass


async def test_service_refuses_network_address_while_postgres_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health_module, "CHECK_TIMEOUT_S", 0.2)
    monkeypatch.setattr("everword.db.pool.POOL_TIMEOUT_S", 0.2)
    with pytest.raises(SettingError, match="Postgres does not answer"):
        async with _running(_ingest(_nowhere(), replace(INGEST, listen="0.0.0.0:0"))):
            pass


async def test_service_with_admin_key_accepts_network_address(
    database: DatabaseUnderTest,
) -> None:
    settings = replace(INGEST, listen="0.0.0.0:0", admin_key=Secret("operators-key"))
    async with (
        _running(_ingest(database.settings("ingest"), settings)) as address,
        open_channel(address.replace("0.0.0.0", "127.0.0.1")) as channel,
    ):
        assert await serving(channel)
        refusal = await refused(AdminServiceStub(channel).ListNamespaces(ListNamespacesRequest()))
    assert refusal.reason == "CREDENTIALS_MISSING"


async def test_internal_call_on_network_address_requires_internal_token(
    database: DatabaseUnderTest,
) -> None:
    server = replace(
        BASE, service="embedder", listen="0.0.0.0:0", admin_key=Secret("operators-key")
    )
    embedder = EmbedderServer(EmbedderSettings(server, database.settings("embedder")))
    async with (
        _running(embedder) as address,
        open_channel(address.replace("0.0.0.0", "127.0.0.1")) as channel,
    ):
        call = EmbedderServiceStub(channel).GetCoverage(GetCoverageRequest(), metadata=internal(""))
        refusal = await refused(call)
    assert refusal.code == grpc.StatusCode.UNAUTHENTICATED
    assert "EVERWORD_INTERNAL_TOKEN" in refusal.message

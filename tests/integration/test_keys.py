"""Authentication of keys, their roles, and their namespaces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from everword.client.channel import open_channel
from everword.internal.v1.embedder_service_pb2 import GetCoverageRequest
from everword.rpc import authentication
from everword.rpc.authentication import KEY_CACHE_S
from everword.rpc.interceptors.auth import DRAIN_ACCEPT_S
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import ingest_service_pb2
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as search
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from support.callers import Metadata, bearer, internal, make_namespaces, within
from support.calls import append, append_request
from support.databases import DatabaseUnderTest
from support.refusals import Refusal, refused
from support.stack import BASE, Stack, running_stack
from support.waits import until

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = bearer(OPERATORS_KEY)
READ, WRITE, ADMIN = (
    admin.API_KEY_ROLE_READ,
    admin.API_KEY_ROLE_WRITE,
    admin.API_KEY_ROLE_ADMIN,
)


@pytest.fixture(autouse=True)
def _short_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let servers cache keys only briefly, so that tests do not wait."""
    monkeypatch.setattr(authentication, "KEY_CACHE_S", 0.3)
    monkeypatch.setattr(authentication, "OPEN_CACHE_S", 0.1)


@pytest.fixture
async def locked(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with an operator's key and the namespaces default, acme and other."""
    async with running_stack(
        database, admin_key=OPERATORS_KEY, internal_token="between-services", embedder=False
    ) as stack:
        await make_namespaces(stack, "acme", "other", metadata=OPERATOR)
        yield stack


async def _key(
    stack: Stack,
    role: admin.ApiKeyRole.ValueType,
    namespace: str = "",
    metadata: Metadata = OPERATOR,
) -> admin.CreateApiKeyResponse:
    request = admin.CreateApiKeyRequest(api_key=admin.ApiKey(namespace=namespace, role=role))
    return await stack.admin.CreateApiKey(request, metadata=metadata)


async def _list(stack: Stack, metadata: Metadata = ()) -> list[str]:
    request = admin.ListNamespacesRequest()
    listed = await stack.admin.ListNamespaces(request, metadata=metadata)
    return [namespace.name for namespace in listed.namespaces]


async def _owners(database: DatabaseUnderTest) -> list[str]:
    """Return the namespaces of the stored messages."""
    with database.connect() as conn:
        rows = conn.execute(
            """SELECT n.name FROM messages m JOIN namespaces n ON n.id = m.namespace_id
                ORDER BY m.recorded_at, m.id"""
        ).fetchall()
    return [name for (name,) in rows]


def _seen(refusal: Refusal) -> tuple[grpc.StatusCode, str]:
    return refusal.code, refusal.reason


MISSING = (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_MISSING")
INVALID = (grpc.StatusCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")
DENIED = (grpc.StatusCode.PERMISSION_DENIED, "ACCESS_DENIED")
NO_NAMESPACE = (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")


# Before any key exists


async def test_without_any_key_the_header_selects_the_namespace(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    await append(stack, "No header.")
    await append(stack, "With a header.", metadata=within("acme"))
    assert await _owners(stack.database) == ["default", "acme"]
    unknown = await refused(append(stack, "Nowhere.", metadata=within("nobody")))
    assert _seen(unknown) == NO_NAMESPACE
    assert unknown.metadata["namespace"] == "nobody"


async def test_creating_the_first_key_closes_every_service(stack: Stack) -> None:
    await _key(stack, ADMIN, metadata=())

    async def closed() -> bool:
        try:
            await _list(stack)
        except grpc.aio.AioRpcError:
            return True
        return False

    await until(closed)
    for call in (
        stack.admin.ListNamespaces(admin.ListNamespacesRequest()),
        append(stack, "Let me in."),
        append(stack, "Let me in.", metadata=within("default")),
        stack.search.GetStats(search.GetStatsRequest()),
        stack.maintenance.GetQueueStatus(maintenance.GetQueueStatusRequest()),
    ):
        assert _seen(await refused(call)) == MISSING


async def test_revoking_the_last_key_keeps_the_deployment_closed(stack: Stack) -> None:
    made = await _key(stack, ADMIN, metadata=())
    revoke = admin.RevokeApiKeyRequest(api_key_id=made.api_key.id)
    await stack.admin.RevokeApiKey(revoke, metadata=bearer(made.secret))

    async def refused_with_the_key() -> bool:
        try:
            await _list(stack, bearer(made.secret))
        except grpc.aio.AioRpcError:
            return True
        return False

    await until(refused_with_the_key)
    assert _seen(await refused(_list(stack))) == MISSING


async def test_erasing_the_last_key_keeps_the_deployment_closed(
    database: DatabaseUnderTest,
) -> None:
    """Deleting a namespace deletes its keys. Unknown keys and deleted keys get different errors."""
    async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as locked:
        await make_namespaces(locked, "acme", metadata=OPERATOR)
        await _key(locked, WRITE, "acme")
        delete = admin.DeleteNamespaceRequest(name="acme")
        await locked.admin.DeleteNamespace(delete, metadata=OPERATOR)
    async with running_stack(database, embedder=False) as stack:
        assert _seen(await refused(_list(stack))) == MISSING
        assert _seen(await refused(append(stack, "Let me in."))) == MISSING


async def test_deployment_stays_closed_if_restarted_without_the_operator_key(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as locked:
        await _list(locked, OPERATOR)
    async with running_stack(database, embedder=False) as stack:
        assert _seen(await refused(_list(stack))) == MISSING


async def test_call_without_key_is_refused_on_a_network_address(
    database: DatabaseUnderTest,
) -> None:
    """Also if the deployment was opened again while the server ran."""
    server = replace(BASE, service="ingest", listen="0.0.0.0:0")
    with database.connect() as conn:
        conn.execute("UPDATE deployment SET closed = true")
    ingest = IngestServer(IngestSettings(server=server, database=database.settings("ingest")))
    try:
        address = await ingest.start()
        with database.connect() as conn:
            conn.execute("UPDATE deployment SET closed = false")
        async with open_channel(address.replace("0.0.0.0", "127.0.0.1")) as channel:
            for _ in range(3):
                call = AdminServiceStub(channel).ListNamespaces(admin.ListNamespacesRequest())
                assert _seen(await refused(call)) == MISSING
                await asyncio.sleep(0.5)
    finally:
        await ingest.stop()


# With keys


async def test_key_selects_its_namespace(locked: Stack) -> None:
    acme = await _key(locked, WRITE, "acme")
    await append(locked, "Without a header.", metadata=bearer(acme.secret))
    same = (*bearer(acme.secret), *within("acme"))
    await append(locked, "With its own name.", metadata=same)
    assert await _owners(locked.database) == ["acme", "acme"]


async def test_key_cannot_select_another_namespace_by_header(locked: Stack) -> None:
    acme = await _key(locked, WRITE, "acme")
    for namespace in ("other", "default", "nobody"):
        metadata = (*bearer(acme.secret), *within(namespace))
        assert _seen(await refused(append(locked, "Elsewhere.", metadata=metadata))) == DENIED
    assert await _owners(locked.database) == []


@pytest.mark.parametrize("stored", [True, False], ids=["stored key", "key of the environment"])
async def test_operator_key_selects_a_namespace_by_header(locked: Stack, stored: bool) -> None:
    secret = (await _key(locked, ADMIN)).secret if stored else OPERATORS_KEY
    await append(locked, "By name.", metadata=(*bearer(secret), *within("other")))
    await append(locked, "By default.", metadata=bearer(secret))
    assert await _owners(locked.database) == ["other", "default"]
    nowhere = append(locked, "Nowhere.", metadata=(*bearer(secret), *within("nobody")))
    assert _seen(await refused(nowhere)) == NO_NAMESPACE


async def test_read_key_cannot_write(locked: Stack) -> None:
    key = bearer((await _key(locked, READ, "acme")).secret)
    await locked.search.GetStats(search.GetStatsRequest(), metadata=key)
    await locked.maintenance.GetQueueStatus(maintenance.GetQueueStatusRequest(), metadata=key)
    denied = await refused(append(locked, "Not allowed.", metadata=key))
    assert _seen(denied) == DENIED
    assert (denied.metadata["needed"], denied.metadata["role"]) == ("write", "read")
    retry = locked.maintenance.RetryJobs(maintenance.RetryJobsRequest(), metadata=key)
    assert _seen(await refused(retry)) == DENIED
    assert await _owners(locked.database) == []


async def test_write_key_reads_and_writes_but_cannot_administrate(locked: Stack) -> None:
    key = bearer((await _key(locked, WRITE, "acme")).secret)
    await append(locked, "Allowed.", metadata=key)
    await locked.search.GetStats(search.GetStatsRequest(), metadata=key)
    assert _seen(await refused(_list(locked, key))) == DENIED
    assert _seen(await refused(_key(locked, ADMIN, metadata=key))) == DENIED
    delete = locked.admin.DeleteNamespace(admin.DeleteNamespaceRequest(name="acme"), metadata=key)
    assert _seen(await refused(delete)) == DENIED


async def test_a_revoked_key_is_refused(locked: Stack) -> None:
    made = await _key(locked, WRITE, "acme")
    await append(locked, "Before.", metadata=bearer(made.secret))
    revoke = admin.RevokeApiKeyRequest(api_key_id=made.api_key.id)
    await locked.admin.RevokeApiKey(revoke, metadata=OPERATOR)
    await _until_refused(locked, made.secret)


async def test_keys_of_a_deleted_namespace_are_refused(locked: Stack) -> None:
    made = await _key(locked, WRITE, "acme")
    await append(locked, "Before.", metadata=bearer(made.secret))
    delete = admin.DeleteNamespaceRequest(name="acme")
    await locked.admin.DeleteNamespace(delete, metadata=OPERATOR)
    await _until_refused(locked, made.secret)


async def test_revoking_a_key_ends_its_open_calls(
    locked: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that would last an hour: a stream, and a wait."""
    made = await _key(locked, WRITE, "acme")
    key = bearer(made.secret)
    token = (await append(locked, "Without a vector.", metadata=key)).consistency_token
    wait = ingest_service_pb2.WaitForIndexingRequest(
        consistency_token=token, stage=ingest_service_pb2.INDEXING_STAGE_EMBEDDED
    )

    async def stream() -> AsyncIterator[ingest_service_pb2.ImportMessagesRequest]:
        yield ingest_service_pb2.ImportMessagesRequest(batch=append_request("First."))
        await asyncio.Event().wait()

    assert KEY_CACHE_S + DRAIN_ACCEPT_S < 1
    monkeypatch.setattr("everword.rpc.interceptors.auth.DRAIN_ACCEPT_S", 0.3)
    monkeypatch.setattr("everword.rpc.interceptors.errors.DRAIN_S", 0.1)
    calls = [
        asyncio.ensure_future(refused(locked.ingest.ImportMessages(stream(), metadata=key))),
        asyncio.ensure_future(refused(locked.ingest.WaitForIndexing(wait, metadata=key))),
    ]
    await asyncio.sleep(0.2)
    revoke = admin.RevokeApiKeyRequest(api_key_id=made.api_key.id)
    await locked.admin.RevokeApiKey(revoke, metadata=OPERATOR)
    async with asyncio.timeout(20):
        assert [_seen(refusal) for refusal in await asyncio.gather(*calls)] == [INVALID] * 2


async def test_key_is_refused_after_its_expire_time(locked: Stack) -> None:
    soon = Timestamp()
    soon.FromDatetime(datetime.now(UTC) + timedelta(seconds=1))
    wanted = admin.ApiKey(namespace="acme", role=WRITE, expire_time=soon)
    made = await locked.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=wanted), metadata=OPERATOR
    )
    await append(locked, "Before.", metadata=bearer(made.secret))
    await _until_refused(locked, made.secret)
    again = await refused(
        locked.admin.CreateApiKey(admin.CreateApiKeyRequest(api_key=wanted), metadata=OPERATOR)
    )
    assert again.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "in the future" in again.message


async def test_rotated_key_works_with_its_successor_during_the_overlap(locked: Stack) -> None:
    old = await _key(locked, WRITE, "acme")
    await append(locked, "With the old one.", metadata=bearer(old.secret))
    overlap = Duration(seconds=3)
    rotate = admin.RotateApiKeyRequest(api_key_id=old.api_key.id, overlap=overlap)
    new = await locked.admin.RotateApiKey(rotate, metadata=OPERATOR)
    assert (new.api_key.namespace, new.api_key.role) == ("acme", WRITE)
    assert new.previous.id == old.api_key.id
    for secret in (old.secret, new.secret):
        await append(locked, "With either.", metadata=bearer(secret))
    await _until_refused(locked, old.secret)
    await append(locked, "With the new one.", metadata=bearer(new.secret))
    # The replacement of an expiring key has the same lifetime.
    month = timedelta(days=30)
    passing = admin.ApiKey(namespace="acme", role=WRITE)
    passing.expire_time.FromDatetime(datetime.now(UTC) + month)
    made = await locked.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=passing), metadata=OPERATOR
    )
    again = admin.RotateApiKeyRequest(api_key_id=made.api_key.id)
    next_one = (await locked.admin.RotateApiKey(again, metadata=OPERATOR)).api_key
    lasts = next_one.expire_time.ToDatetime() - next_one.create_time.ToDatetime()
    assert abs(lasts - month) < timedelta(minutes=1)
    # At most until the maximal time.
    passing.expire_time.FromDatetime(datetime.max)
    request = admin.CreateApiKeyRequest(api_key=passing)
    last = await locked.admin.CreateApiKey(request, metadata=OPERATOR)
    again = admin.RotateApiKeyRequest(api_key_id=last.api_key.id)
    next_one = (await locked.admin.RotateApiKey(again, metadata=OPERATOR)).api_key
    assert next_one.expire_time.ToDatetime().year == 9999
    # Expired keys cannot be rotated.
    gone = await refused(locked.admin.RotateApiKey(rotate, metadata=OPERATOR))
    assert gone.code is grpc.StatusCode.NOT_FOUND


async def test_list_api_keys_shows_the_last_use_time(locked: Stack) -> None:
    made, idle = await _key(locked, WRITE, "acme"), await _key(locked, READ, "acme")
    begun = datetime.now(UTC) - timedelta(seconds=5)
    await append(locked, "Used.", metadata=bearer(made.secret))
    listed = await locked.admin.ListApiKeys(
        admin.ListApiKeysRequest(namespace="acme"), metadata=OPERATOR
    )
    used = {key.id: key for key in listed.api_keys}
    assert used[made.api_key.id].last_use_time.ToDatetime(UTC) >= begun
    assert not used[idle.api_key.id].HasField("last_use_time")


async def _until_refused(stack: Stack, secret: str) -> None:
    """Return once a cached key is refused, which takes as long as servers cache it."""

    async def invalid() -> bool:
        try:
            await append(stack, "Still here?", metadata=bearer(secret))
        except grpc.aio.AioRpcError as error:
            return error.code() == grpc.StatusCode.UNAUTHENTICATED
        return False

    await until(invalid)
    refusal = await refused(append(stack, "Still here?", metadata=bearer(secret)))
    assert _seen(refusal) == INVALID


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", MISSING),
        ("Basic b3BlcmF0b3I6a2V5", MISSING),
        ("Bearer", MISSING),
        ("Bearer   ", MISSING),
        (OPERATORS_KEY, MISSING),
        ("Bearer ew_guessed", INVALID),
        (f"Bearer {OPERATORS_KEY}x", INVALID),
    ],
)
async def test_invalid_authorization_header_is_refused(
    locked: Stack, header: str, expected: tuple[grpc.StatusCode, str]
) -> None:
    refusal = await refused(_list(locked, (("authorization", header),)))
    assert _seen(refusal) == expected
    assert OPERATORS_KEY not in refusal.message


async def test_authorization_scheme_is_case_insensitive(locked: Stack) -> None:
    assert await _list(locked, (("authorization", f"bearer {OPERATORS_KEY}"),))


# Between services


async def test_internal_token_and_keys_are_not_interchangeable(locked: Stack) -> None:
    with_token = await refused(_list(locked, internal("between-services")))
    assert _seen(with_token) == MISSING
    coverage = locked.embedder.GetCoverage(GetCoverageRequest(), metadata=OPERATOR)
    assert _seen(await refused(coverage)) == MISSING

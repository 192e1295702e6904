"""API keys: created once, listed without their secrets, revoked for good."""

from __future__ import annotations

from uuid import uuid4

import grpc
import pytest

from everword.rpc.authentication import hash_key
from everword.v1 import admin_service_pb2 as pb
from support.callers import bearer, make_namespaces
from support.calls import reason
from support.databases import DatabaseUnderTest
from support.refusals import refused
from support.stack import Stack, running_stack

ADMIN_KEY = "operators-key-for-tests"
OPERATOR = bearer(ADMIN_KEY)


async def _make(
    stack: Stack, role: pb.ApiKeyRole.ValueType, namespace: str = ""
) -> pb.CreateApiKeyResponse:
    request = pb.CreateApiKeyRequest(
        api_key=pb.ApiKey(namespace=namespace, role=role, description="a test's")
    )
    return await stack.admin.CreateApiKey(request, metadata=OPERATOR)


async def test_create_api_key_returns_secret_and_stores_only_its_hash(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, admin_key=ADMIN_KEY, embedder=False) as stack:
        made = await _make(stack, pb.API_KEY_ROLE_READ, "default")
        assert made.secret.startswith("ew_")
        assert len(made.secret) >= 43
        assert made.api_key.namespace == "default"
        assert not made.api_key.HasField("revoke_time")
        with database.connect() as conn:
            [row] = conn.execute("SELECT key_hash, api_keys::text FROM api_keys").fetchall()
        assert bytes(row[0]) == hash_key(made.secret)
        assert made.secret not in row[1]
        listed = await stack.admin.ListApiKeys(pb.ListApiKeysRequest(), metadata=OPERATOR)
        assert list(listed.api_keys) == [made.api_key]
        assert made.secret not in str(listed)


@pytest.mark.parametrize(
    ("role", "namespace"), [(pb.API_KEY_ROLE_ADMIN, "default"), (pb.API_KEY_ROLE_READ, "")]
)
async def test_create_api_key_refuses_admin_key_with_namespace_and_others_without(
    stack: Stack, role: pb.ApiKeyRole.ValueType, namespace: str
) -> None:
    refusal = await refused(
        stack.admin.CreateApiKey(
            pb.CreateApiKeyRequest(api_key=pb.ApiKey(namespace=namespace, role=role))
        )
    )
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "VALIDATION_FAILED",
    )


async def test_create_api_key_for_unknown_namespace_is_refused(stack: Stack) -> None:
    request = pb.CreateApiKeyRequest(
        api_key=pb.ApiKey(namespace="nobody", role=pb.API_KEY_ROLE_READ)
    )
    assert (await refused(stack.admin.CreateApiKey(request))).reason == "NAMESPACE_NOT_FOUND"
    await stack.admin.ListNamespaces(pb.ListNamespacesRequest())  # The deployment is still open.


async def test_list_api_keys_returns_oldest_first_for_one_or_all_namespaces(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, admin_key=ADMIN_KEY, embedder=False) as stack:
        await stack.admin.CreateNamespace(
            pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme")), metadata=OPERATOR
        )
        first = [await _make(stack, pb.API_KEY_ROLE_READ, "acme") for _ in range(3)]
        await _make(stack, pb.API_KEY_ROLE_WRITE, "default")
        await _make(stack, pb.API_KEY_ROLE_ADMIN)
        assert [key.namespace for key in await _list(stack)] == ["acme"] * 3 + ["default", ""]
        assert await _list(stack, "acme") == [made.api_key for made in first]


async def _list(stack: Stack, namespace: str = "") -> list[pb.ApiKey]:
    """List keys in pages of two."""
    keys: list[pb.ApiKey] = []
    token = ""
    while True:
        request = pb.ListApiKeysRequest(namespace=namespace, page_size=2, page_token=token)
        page = await stack.admin.ListApiKeys(request, metadata=OPERATOR)
        keys += page.api_keys
        token = page.next_page_token
        if not token:
            return keys


async def test_list_api_keys_refuses_page_token_of_another_rpc(stack: Stack) -> None:
    await make_namespaces(stack, "a", "b")
    page = await stack.admin.ListNamespaces(pb.ListNamespacesRequest(page_size=1))
    request = pb.ListApiKeysRequest(namespace="a", page_token=page.next_page_token)
    refusal = await refused(stack.admin.ListApiKeys(request))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "PAGE_TOKEN_INVALID",
    )


async def test_second_revocation_keeps_first_revoke_time(database: DatabaseUnderTest) -> None:
    async with running_stack(database, admin_key=ADMIN_KEY, embedder=False) as stack:
        made = await _make(stack, pb.API_KEY_ROLE_READ, "default")
        request = pb.RevokeApiKeyRequest(api_key_id=made.api_key.id)
        first = await stack.admin.RevokeApiKey(request, metadata=OPERATOR)
        assert first.api_key.HasField("revoke_time")
        assert await stack.admin.RevokeApiKey(request, metadata=OPERATOR) == first
        assert await _list(stack) == [first.api_key]


async def test_an_unknown_key_cannot_be_revoked(stack: Stack) -> None:
    request = pb.RevokeApiKeyRequest(api_key_id=str(uuid4()))
    refusal = await refused(stack.admin.RevokeApiKey(request))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "API_KEY_NOT_FOUND")
    assert refusal.metadata["api_key_id"] == request.api_key_id


async def test_first_api_key_must_have_admin_role(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, embedder=False) as stack:
        request = pb.CreateApiKeyRequest(
            api_key=pb.ApiKey(namespace="default", role=pb.API_KEY_ROLE_WRITE)
        )
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stack.admin.CreateApiKey(request)
        assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert reason(caught.value) == "ADMIN_KEY_NEEDED"
        with database.connect() as conn:
            assert conn.execute("SELECT count(*) FROM api_keys").fetchone() == (0,)
            assert conn.execute("SELECT api_keys_exist()").fetchone() == (False,)
        unknown = pb.RotateApiKeyRequest(api_key_id=str(uuid4()))
        with pytest.raises(grpc.aio.AioRpcError):
            await stack.admin.RotateApiKey(unknown)
        with database.connect() as conn:
            # A failed creation must not close the deployment.
            assert conn.execute("SELECT api_keys_exist()").fetchone() == (False,)

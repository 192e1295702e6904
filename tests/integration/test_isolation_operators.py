"""Operators' RPCs are closed to every tenant's key, and reveal nothing about existing resources."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import grpc
import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from everword.client.channel import open_channel
from everword.v1 import admin_service_pb2 as admin
from support.any_rpc import caller_of
from support.callers import bearer, make_namespaces
from support.databases import DatabaseUnderTest
from support.probes import Path, paths
from support.refusals import Refusal, refused
from support.stack import running_stack

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = bearer(OPERATORS_KEY)
METHODS = admin.DESCRIPTOR.services_by_name["AdminService"].methods
NOBODYS = ("nobody", str(UUID(int=7)))


def _called(channel: grpc.aio.Channel, method: MethodDescriptor, request: Any, key: str) -> Any:
    """Return an awaitable call of a unary or streaming RPC."""
    make = caller_of(
        channel,
        method,
        type(request).SerializeToString,
        GetMessageClass(method.output_type).FromString,
    )
    sent = iter([request]) if method.client_streaming else request
    call = make(sent, metadata=bearer(key), timeout=10)
    return _first(call) if method.server_streaming else call


async def _first(call: Any) -> Any:
    return await anext(aiter(call))


def _with(method: MethodDescriptor, path: Path | None, value: str) -> Any:
    request = GetMessageClass(method.input_type)()
    if path is not None:
        path.put(request, value)
    return request


@pytest.mark.parametrize("role", [admin.API_KEY_ROLE_READ, admin.API_KEY_ROLE_WRITE])
async def test_tenant_key_is_refused_for_every_operator_rpc_with_the_same_error(
    database: DatabaseUnderTest, role: admin.ApiKeyRole.ValueType
) -> None:
    """Each RPC with foreign, own and unused names and key ids in each field gets the same refusal."""
    async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack:
        await make_namespaces(stack, "acme", "other", metadata=OPERATOR)
        made = {
            name: await stack.admin.CreateApiKey(
                admin.CreateApiKeyRequest(api_key=admin.ApiKey(namespace=name, role=role)),
                metadata=OPERATOR,
            )
            for name in ("acme", "other")
        }
        values = ("other", made["other"].api_key.id, "acme", made["acme"].api_key.id, *NOBODYS)
        told: dict[str, list[Refusal]] = {}
        async with open_channel(stack.addresses["ingest"]) as channel:
            for method in METHODS:
                for path in (None, *paths(method)):
                    for value in values:
                        request = _with(method, path, value)
                        call = _called(channel, method, request, made["acme"].secret)
                        refusal = await refused(call)
                        del refusal.metadata["request_id"]
                        told.setdefault(method.name, []).append(refusal)
        kept = await stack.admin.ListNamespaces(admin.ListNamespacesRequest(), metadata=OPERATOR)
    assert set(told) == {method.name for method in METHODS}
    for name, (first, *others) in told.items():
        denied = (grpc.StatusCode.PERMISSION_DENIED, "ACCESS_DENIED")
        assert (first.code, first.reason) == denied, name
        assert all(each == first for each in others), name
        assert "other" not in str(first)
    assert [each.name for each in kept.namespaces] == ["acme", "default", "other"]

"""Options of the RPCs in the protos."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor import ServiceDescriptor

from everword.domain.caller import Role
from everword.internal.v1 import embedder_service_pb2
from everword.rpc.methods import access_table
from everword.v1 import (
    admin_service_pb2,
    context_service_pb2,
    ingest_service_pb2,
    maintenance_service_pb2,
    search_service_pb2,
)

SERVICES: list[ServiceDescriptor] = [
    service
    for module in (
        admin_service_pb2,
        context_service_pb2,
        ingest_service_pb2,
        maintenance_service_pb2,
        search_service_pb2,
    )
    for service in module.DESCRIPTOR.services_by_name.values()
]


def test_every_public_rpc_declares_its_access() -> None:
    table = access_table(SERVICES)
    assert len(table) == sum(len(service.methods) for service in SERVICES)


def test_only_admin_service_requires_the_admin_role() -> None:
    by_operators = {path for path, role in access_table(SERVICES).items() if role is Role.ADMIN}
    assert {path.split("/")[1] for path in by_operators} == {"everword.v1.AdminService"}
    assert len(by_operators) == len(
        admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"].methods
    )


@pytest.mark.parametrize("service", ["SearchService", "ContextService"])
def test_read_services_require_only_the_read_role(service: str) -> None:
    roles = {
        role
        for path, role in access_table(SERVICES).items()
        if path.startswith(f"/everword.v1.{service}/")
    }
    assert roles == {Role.READ}


def test_internal_rpcs_are_not_in_the_access_table() -> None:
    internal = embedder_service_pb2.DESCRIPTOR.services_by_name["EmbedderService"]
    assert access_table([internal]) == {}

"""What the protos say about each RPC: its full name, and the access that a caller needs."""

from __future__ import annotations

from google.protobuf.descriptor import ServiceDescriptor

from everword.domain.caller import Role
from everword.v1 import access_pb2

PUBLIC = "/everword.v1."
INTERNAL = "/everword.internal."


def access_table(services: list[ServiceDescriptor]) -> dict[str, Role]:
    """Return the role that each public RPC of `services` needs, by path: `/everword.v1.SearchService/Search`.

    Raises ValueError for an RPC whose proto says nothing.
    """
    table: dict[str, Role] = {}
    for service in services:
        for method in service.methods:
            path = f"/{service.full_name}/{method.name}"
            if path.startswith(PUBLIC):
                table[path] = Role(method.GetOptions().Extensions[access_pb2.access])
    return table

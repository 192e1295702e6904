"""The public services, and the server that answers each: the option `server` of the contracts."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from google.protobuf.descriptor import ServiceDescriptor

import everword.v1
from everword.v1 import access_pb2

#: The servers that clients call, with their usual ports.
PUBLIC_PORTS = {"ingest": 50051, "search": 50052, "compactor": 50053}
#: Metadata of a health check or of a reflection call to a proxy: the server that is to answer it.
SERVER_HEADER = "x-everword-server"


@cache
def public_services() -> tuple[ServiceDescriptor, ...]:
    """Return the services of everword.v1, by their names."""
    modules = [
        import_module(f"everword.v1.{module.name}")
        for module in iter_modules(everword.v1.__path__)
        if module.name.endswith("_service_pb2")
    ]
    found = [each for module in modules for each in module.DESCRIPTOR.services_by_name.values()]
    return tuple(sorted(found, key=lambda service: service.full_name))


def server_of(service: ServiceDescriptor) -> str:
    """Return the server that answers a public service: a key of PUBLIC_PORTS."""
    server: str = service.GetOptions().Extensions[access_pb2.server]
    return server

"""What Everword leaves out on purpose, and the streams that it has."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import everword.v1


def test_no_rpc_but_a_context_in_parts_and_sleep_streams_to_its_caller() -> None:
    methods = [
        method
        for module in pkgutil.iter_modules(everword.v1.__path__, "everword.v1.")
        if module.name.endswith("_service_pb2")
        for service in import_module(module.name).DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    assert len(methods) > 20
    streaming = [method.full_name for method in methods if method.server_streaming]
    assert streaming == [
        "everword.v1.ContextService.StreamContext",
        "everword.v1.MaintenanceService.Sleep",
    ]

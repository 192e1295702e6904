"""Features that Everword omits on purpose, and its few streaming RPCs."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import everword.v1

#: Streaming RPCs, with the reason why they stream.
STREAMS = {
    "everword.v1.AdminService.ExportNamespace": "a file, which is as large as the namespace",
    "everword.v1.ContextService.StreamContext": "a context in parts",
    "everword.v1.MaintenanceService.Sleep": "how far a run came",
    "everword.v1.GraphQueryService.ExportGraph": "an export, which is as large as the graph",
    "everword.v1.SearchService.WatchMemories": "what happens to memories, as it happens",
}


def test_only_listed_rpcs_stream_responses() -> None:
    methods = [
        method
        for module in pkgutil.iter_modules(everword.v1.__path__, "everword.v1.")
        if module.name.endswith("_service_pb2")
        for service in import_module(module.name).DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    assert len(methods) > 20
    streaming = {method.full_name for method in methods if method.server_streaming}
    assert streaming == set(STREAMS)

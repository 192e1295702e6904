"""The facts that the protos state about each RPC: its full name, and the access that a caller needs."""

from __future__ import annotations

from functools import lru_cache

from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from everword.domain.caller import Role
from everword.v1 import access_pb2

PUBLIC = "/everword.v1."
INTERNAL = "/everword.internal."
#: Calls that mostly wait: for background work, for a language model, or for a slow reader.
LONG = frozenset(
    {
        "/everword.v1.AdminService/ExportNamespace",
        "/everword.v1.IngestService/WaitForIndexing",
        "/everword.v1.MaintenanceService/FlushConversation",
        "/everword.v1.MaintenanceService/Sleep",
        "/everword.v1.SearchService/Answer",
        "/everword.v1.SearchService/WatchMemories",
    }
)

#: Calls that store text, and are refused where a namespace holds as much as it may.
STORES_TEXT = frozenset(
    {
        "/everword.v1.DocumentService/UploadDocument",
        "/everword.v1.DocumentService/WriteDocument",
        "/everword.v1.NoteService/SaveAdvisorNote",
        "/everword.v1.NoteService/WriteHandoff",
        "/everword.v1.IngestService/AppendMessages",
        "/everword.v1.IngestService/ImportMessages",
        "/everword.v1.NoteService/AppendDailyLog",
        "/everword.v1.NoteService/WriteNote",
        "/everword.v1.DocumentService/WriteWorkspaceFile",
    }
)


def is_brief(path: str) -> bool:
    """Return whether a public RPC takes one request and occupies a slot until it ends."""
    method = find_method(path) if path.startswith(PUBLIC) and path not in LONG else None
    return method is not None and not method.client_streaming


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


@lru_cache(maxsize=256)
def find_method(path: str) -> MethodDescriptor | None:
    """Return the method with a path; None if no proto defines it."""
    try:
        return descriptor_pool.Default().FindMethodByName(path[1:].replace("/", "."))
    except KeyError:
        return None

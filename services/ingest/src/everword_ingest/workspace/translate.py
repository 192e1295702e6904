"""Workspace requests to the model, and files to messages."""

from __future__ import annotations

from typing import TypeAlias

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import to_timestamp
from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb
from everword_ingest.documents.model import (
    DocumentChange,
    DocumentDeletion,
    DocumentFilter,
    DocumentKey,
    DocumentKind,
    HistoryRequest,
    RequestedPart,
)
from everword_ingest.documents.store import DocumentRow, DocumentVersionRow
from everword_ingest.documents.translate import scope_to_proto, to_scope
from everword_ingest.request_ids.claims import hash_body
from everword_ingest.workspace.files import FILES, MAX_FILE_BYTES, FileName, WorkspaceWriter

Writing: TypeAlias = pb.WriteWorkspaceFileRequest | pb.DeleteWorkspaceFileRequest


def to_key(name: int, scope: document_pb2.DocumentScope) -> DocumentKey:
    return DocumentKey(FileName(name).name, to_scope(scope), DocumentKind.WORKSPACE)


def to_writer(request: Writing) -> WorkspaceWriter:
    return WorkspaceWriter(request.writer or WorkspaceWriter.AGENT)


def to_change(request: pb.WriteWorkspaceFileRequest) -> DocumentChange:
    """Return how a file is to be changed. Raises InvalidArgument."""
    expected = request.expected_version if request.HasField("expected_version") else None
    if request.append and expected is not None:
        raise InvalidArgument(violations=(("expected_version", "cannot be combined with append"),))
    return DocumentChange(
        to_key(request.name, request.scope),
        request.author,
        (),
        expected,
        request.append,
        MAX_FILE_BYTES,
        to_writer(request),
        request.request_id,
        hash_body(request),
    )


def to_deletion(request: pb.DeleteWorkspaceFileRequest) -> DocumentDeletion:
    expected = request.expected_version if request.HasField("expected_version") else None
    return DocumentDeletion(
        to_key(request.name, request.scope),
        expected,
        request.author,
        to_writer(request),
        request.request_id,
        hash_body(request),
    )


def to_filter(request: pb.ListWorkspaceFilesRequest) -> DocumentFilter:
    return DocumentFilter(DocumentKind.WORKSPACE, agents=list(request.agents) or None)


def to_history(request: pb.GetWorkspaceFileHistoryRequest) -> HistoryRequest:
    part = RequestedPart(max_chars=request.max_content_chars)
    return HistoryRequest(to_key(request.name, request.scope), part=part)


def file_to_proto(row: DocumentRow, content: str = "") -> pb.WorkspaceFile:
    name = FileName[row.title]
    kind = FILES[name]
    return pb.WorkspaceFile(
        id=str(row.id),
        name=pb.WorkspaceFileName.ValueType(name),
        scope=scope_to_proto(row),
        layer=pb.WorkspaceLayer.ValueType(kind.layer),
        agent_may_write=WorkspaceWriter.AGENT in kind.writers,
        version=row.version,
        version_id=str(row.version_id),
        writer=pb.WorkspaceWriter.ValueType(row.writer),
        author=row.author,
        content=content,
        content_chars=row.chars,
        create_time=to_timestamp(row.created_at),
        update_time=to_timestamp(row.written_at),
    )


def version_to_proto(row: DocumentVersionRow) -> pb.WorkspaceFileVersion:
    return pb.WorkspaceFileVersion(
        id=str(row.id),
        version=row.version,
        deleted=row.deleted,
        content=row.content,
        content_chars=row.chars,
        writer=pb.WorkspaceWriter.ValueType(row.writer),
        author=row.author,
        write_time=to_timestamp(row.written_at),
    )

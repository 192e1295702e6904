"""Requests of DocumentService to the model, and documents to messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import text_of, to_timestamp
from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb
from everword_ingest.documents.model import (
    DocumentChange,
    DocumentDeletion,
    DocumentFilter,
    DocumentKey,
    DocumentScope,
    HistoryRequest,
    RequestedPart,
    Upload,
)
from everword_ingest.documents.read_documents import DocumentPart, FoundSection
from everword_ingest.documents.store import DocumentRow, DocumentVersionRow, NewVersion
from everword_ingest.request_ids.claims import hash_body

Named: TypeAlias = (
    pb.GetDocumentRequest
    | pb.ReadDocumentRequest
    | pb.DeleteDocumentRequest
    | pb.GetDocumentHistoryRequest
)


def to_scope(scope: document_pb2.DocumentScope) -> DocumentScope:
    conversation_id = UUID(scope.conversation_id) if scope.conversation_id else None
    return DocumentScope(scope.agent, scope.subject, conversation_id)


def to_target(request: Named) -> UUID | DocumentKey:
    """Return the id or key of a request's document."""
    if request.HasField("key"):
        return DocumentKey(request.key.title, to_scope(request.key.scope))
    return UUID(request.document_id)


def to_upload(header: pb.UploadHeader) -> Upload:
    """Return the upload without its bytes."""
    expected = header.expected_version if header.HasField("expected_version") else None
    change = _to_change(header.document, expected, header.request_id, hash_body(header))
    return Upload(change, header.file_name, header.media_type or None)


def to_writing(request: pb.WriteDocumentRequest) -> DocumentChange:
    """Raises InvalidArgument if an append names a version."""
    expected = request.expected_version if request.HasField("expected_version") else None
    if request.append and expected is not None:
        text = "is not allowed with append, which never conflicts"
        raise InvalidArgument(violations=(("expected_version", text),))
    body_hash = hash_body(request)
    return _to_change(
        request.document, expected, request.request_id, body_hash, appends=request.append
    )


def _to_change(
    document: document_pb2.NewDocument,
    expected: int | None,
    request_id: str,
    body_hash: bytes,
    *,
    appends: bool = False,
) -> DocumentChange:
    key = DocumentKey(document.title, to_scope(document.scope))
    return DocumentChange(
        key,
        document.author,
        list(document.tags),
        expected,
        appends,
        request_id=request_id,
        body_hash=body_hash,
    )


def to_deletion(request: pb.DeleteDocumentRequest) -> DocumentDeletion:
    expected = request.expected_version if request.HasField("expected_version") else None
    return DocumentDeletion(
        to_target(request),
        expected,
        request.author,
        request_id=request.request_id,
        body_hash=hash_body(request),
    )


def to_part(request: pb.ReadDocumentRequest) -> RequestedPart:
    return RequestedPart(list(request.headings), request.start_char, request.max_chars)


def to_filter(wanted: pb.DocumentFilter) -> DocumentFilter:
    return DocumentFilter(
        agents=list(wanted.agents) or None,
        subjects=list(wanted.subjects) or None,
        conversation_ids=[UUID(id_) for id_ in wanted.conversation_ids] or None,
        tags=list(wanted.tags) or None,
        title_prefix=wanted.title_prefix,
    )


def to_history(request: pb.GetDocumentHistoryRequest) -> HistoryRequest:
    part = RequestedPart(start=request.start_char, max_chars=request.max_content_chars)
    return HistoryRequest(to_target(request), request.version, part)


def scope_to_proto(row: DocumentRow) -> document_pb2.DocumentScope:
    return document_pb2.DocumentScope(
        agent=row.agent, subject=row.subject, conversation_id=text_of(row.conversation_id)
    )


def document_to_proto(row: DocumentRow) -> document_pb2.Document:
    body = document_pb2.NewDocument(
        title=row.title, scope=scope_to_proto(row), tags=row.tags, author=row.author
    )
    return document_pb2.Document(
        id=str(row.id),
        version=row.version,
        version_id=str(row.version_id),
        body=body,
        source=_source_to_proto(row),
        content_chars=row.chars,
        chunk_count=row.chunks,
        create_time=to_timestamp(row.created_at),
        update_time=to_timestamp(row.written_at),
    )


def sections_to_proto(sections: Iterable[FoundSection]) -> list[document_pb2.DocumentSection]:
    return [
        document_pb2.DocumentSection(
            headings=each.headings, start_char=each.start, end_char=each.end, page=each.page or 0
        )
        for each in sections
    ]


def part_to_proto(part: DocumentPart) -> pb.ReadDocumentResponse:
    return pb.ReadDocumentResponse(
        content=part.content,
        start_char=part.start,
        next_start_char=part.next_start,
        document=document_to_proto(part.document),
    )


def version_to_proto(row: DocumentVersionRow) -> document_pb2.DocumentVersion:
    return document_pb2.DocumentVersion(
        id=str(row.id),
        version=row.version,
        deleted=row.deleted,
        content=row.content,
        content_chars=row.chars,
        tags=row.tags,
        author=row.author,
        source=_source_to_proto(row),
        write_time=to_timestamp(row.written_at),
    )


def _source_to_proto(row: DocumentRow | NewVersion) -> document_pb2.DocumentSource:
    return document_pb2.DocumentSource(
        file_name=row.file_name,
        media_type=row.media_type,
        file_bytes=row.file_bytes,
        sha256=row.file_sha256.hex(),
    )

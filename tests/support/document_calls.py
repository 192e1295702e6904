"""Helpers for calls on documents and workspace files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb
from support.stack import Stack


def new_document(title: str, **fields: Any) -> document_pb2.NewDocument:
    return document_pb2.NewDocument(title=title, **fields)


def upload_requests(
    data: bytes,
    title: str,
    file_name: str,
    *,
    part_bytes: int = 100_000,
    media_type: str = "",
    expected: int | None = None,
    request_id: str = "",
    **fields: Any,
) -> Iterator[pb.UploadDocumentRequest]:
    """Yield an upload; `fields` are those of NewDocument."""
    header = pb.UploadHeader(
        document=new_document(title, **fields),
        file_name=file_name,
        media_type=media_type,
        expected_version=expected,
        request_id=request_id,
    )
    yield pb.UploadDocumentRequest(header=header)
    for start in range(0, len(data), part_bytes):
        yield pb.UploadDocumentRequest(data=data[start : start + part_bytes])


async def upload(
    stack: Stack, data: bytes, title: str, file_name: str, **fields: Any
) -> pb.UploadDocumentResponse:
    return await stack.documents.UploadDocument(upload_requests(data, title, file_name, **fields))


async def write(
    stack: Stack,
    content: str,
    title: str,
    *,
    expected: int | None = None,
    request_id: str = "",
    **fields: Any,
) -> pb.WriteDocumentResponse:
    request = pb.WriteDocumentRequest(
        document=new_document(title, **fields),
        content=content,
        expected_version=expected,
        request_id=request_id,
    )
    return await stack.documents.WriteDocument(request)


async def append(
    stack: Stack, content: str, title: str, *, request_id: str = "", **fields: Any
) -> pb.WriteDocumentResponse:
    request = pb.WriteDocumentRequest(
        document=new_document(title, **fields), content=content, append=True, request_id=request_id
    )
    return await stack.documents.WriteDocument(request)


def named(title: str, **scope: Any) -> document_pb2.DocumentKey:
    whose = document_pb2.DocumentScope(**scope) if scope else None
    return document_pb2.DocumentKey(title=title, scope=whose)


async def read(stack: Stack, title: str, **fields: Any) -> str:
    """Return a document's text, read in several parts."""
    request = pb.ReadDocumentRequest(key=named(title), **fields)
    parts = list[str]()
    while True:
        part = await stack.documents.ReadDocument(request)
        parts.append(part.content)
        if not part.next_start_char:
            return "".join(parts)
        request.start_char = part.next_start_char


async def history(stack: Stack, title: str, **fields: Any) -> list[document_pb2.DocumentVersion]:
    """Return all versions of a document, oldest first."""
    request = pb.GetDocumentHistoryRequest(key=named(title), page_size=7, **fields)
    versions: list[document_pb2.DocumentVersion] = []
    while True:
        page = await stack.documents.GetDocumentHistory(request)
        versions += page.versions
        if not page.next_page_token:
            return versions[::-1]
        request.page_token = page.next_page_token


async def write_file(
    stack: Stack,
    name: str,
    content: str,
    *,
    writer: str = "",
    expected: int | None = None,
    metadata: Any = (),
    **fields: Any,
) -> pb.WriteWorkspaceFileResponse:
    """Write a file by its name, as the agent if `writer` is empty; `fields` are other fields of the request."""
    request = pb.WriteWorkspaceFileRequest(
        name=file_name(name),
        content=content,
        writer=to_writer(writer),
        expected_version=expected,
        **fields,
    )
    return await stack.documents.WriteWorkspaceFile(request, metadata=metadata)


async def read_file(stack: Stack, name: str, **scope: Any) -> pb.WorkspaceFile:
    whose = document_pb2.DocumentScope(**scope) if scope else None
    request = pb.GetWorkspaceFileRequest(name=file_name(name), scope=whose)
    return (await stack.documents.GetWorkspaceFile(request)).file


def file_name(name: str) -> pb.WorkspaceFileName.ValueType:
    return pb.WorkspaceFileName.Value(f"WORKSPACE_FILE_NAME_{name}")


def to_writer(name: str) -> pb.WorkspaceWriter.ValueType:
    return pb.WorkspaceWriter.Value(f"WORKSPACE_WRITER_{name or 'UNSPECIFIED'}")

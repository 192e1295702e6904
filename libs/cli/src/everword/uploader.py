"""Upload of files as documents, and of templates that do not exist yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc

from everword.client import CallError, Client
from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb

#: Extensions of files that can be uploaded as documents.
FORMATS = (".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx", ".xlsx", ".pptx", ".csv")
#: A file of 10 MiB may take half a minute to read, and as long to be cut and indexed.
TIMEOUT_S = 300.0
_PART_BYTES = 500_000
#: Errors that concern every file, not one.
_OF_ALL = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


@dataclass(frozen=True)
class TemplateResult:
    """Result of the upload of one template."""

    title: str
    #: None if the title exists already, existed and was deleted, or the upload failed.
    response: pb.UploadDocumentResponse | None
    #: The error; None if nothing failed.
    failure: CallError | OSError | None = None


async def upload(
    client: Client,
    path: Path,
    document: document_pb2.NewDocument,
    *,
    expected: int | None = None,
    request_id: str = "",
) -> pb.UploadDocumentResponse:
    """Upload a file. Raises CallError and OSError."""
    header = pb.UploadHeader(
        document=document,
        file_name=path.name,
        expected_version=expected,
        request_id=request_id,
    )
    data = await asyncio.to_thread(path.read_bytes)
    requests = _requests(header, data)
    return await client.document_service.UploadDocument(requests, timeout=TIMEOUT_S)


async def seed(
    client: Client, folder: Path, scope: document_pb2.DocumentScope
) -> list[TemplateResult]:
    """Upload each file of a folder unless its title was ever used; a file that fails does not stop the others.

    Raises: CallError if the server cannot be reached, or rejects the API key.
    """
    seeded = list[TemplateResult]()
    for title, path in _templates(folder):
        try:
            seeded.append(TemplateResult(title, await _seed(client, path, title, scope)))
        except CallError as error:
            if error.is_unanswered or error.code in _OF_ALL:
                raise
            seeded.append(TemplateResult(title, None, error))
        except OSError as error:
            seeded.append(TemplateResult(title, None, error))
    return seeded


def _templates(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder that can be read, each with its title."""
    return [
        (path.relative_to(folder).with_suffix("").as_posix(), path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix.lower() in FORMATS
    ]


async def _seed(
    client: Client, path: Path, title: str, scope: document_pb2.DocumentScope
) -> pb.UploadDocumentResponse | None:
    document = document_pb2.NewDocument(title=title, scope=scope)
    key = document_pb2.DocumentKey(title=title, scope=scope)
    try:
        await client.document_service.GetDocumentHistory(
            pb.GetDocumentHistoryRequest(key=key, page_size=1, max_content_chars=1)
        )
        return None
    except CallError as error:
        if error.reason != "DOCUMENT_NOT_FOUND":
            raise
    try:
        return await upload(client, path, document, expected=0)
    except CallError as error:
        # Somebody else was faster.
        if error.reason != "DOCUMENT_VERSION_CONFLICT":
            raise
        return None


def _requests(header: pb.UploadHeader, data: bytes) -> Iterator[pb.UploadDocumentRequest]:
    yield pb.UploadDocumentRequest(header=header)
    for start in range(0, len(data), _PART_BYTES):
        yield pb.UploadDocumentRequest(data=data[start : start + _PART_BYTES])

"""DocumentService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.errors import InvalidArgument
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import document_service_pb2 as pb
from everword.v1.document_service_pb2_grpc import DocumentServiceServicer
from everword_ingest.documents.append_document import append_document
from everword_ingest.documents.delete_document import delete_document
from everword_ingest.documents.model import DocumentKind, Upload, WrittenDocument
from everword_ingest.documents.read_documents import (
    get_document,
    get_document_history,
    list_documents,
    read_document,
)
from everword_ingest.documents.translate import (
    document_to_proto,
    part_to_proto,
    sections_to_proto,
    to_deletion,
    to_filter,
    to_history,
    to_part,
    to_target,
    to_upload,
    to_writing,
    version_to_proto,
)
from everword_ingest.documents.upload_document import upload_document
from everword_ingest.documents.write_document import write_document

_KIND = DocumentKind.DOCUMENT
Answer = TypeVar("Answer", pb.UploadDocumentResponse, pb.WriteDocumentResponse)


class DocumentServicer(DocumentServiceServicer):
    """Documents, and their history."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def UploadDocument(
        self, request_iterator: AsyncIterator[pb.UploadDocumentRequest], context: Context
    ) -> pb.UploadDocumentResponse:
        upload = await _header(request_iterator)
        written = await upload_document(
            self._database, current_namespace(), upload, _bytes(request_iterator), self._wake
        )
        response = await self._answer(pb.UploadDocumentResponse, written)
        response.warnings.extend(written.warnings)
        return response

    async def WriteDocument(
        self, request: pb.WriteDocumentRequest, context: Context
    ) -> pb.WriteDocumentResponse:
        write = append_document if request.append else write_document
        written = await write(
            self._database, current_namespace(), to_writing(request), request.content, self._wake
        )
        return await self._answer(pb.WriteDocumentResponse, written)

    async def GetDocument(
        self, request: pb.GetDocumentRequest, context: Context
    ) -> pb.GetDocumentResponse:
        found, sections = await get_document(
            self._database, current_namespace(), to_target(request), _KIND
        )
        return pb.GetDocumentResponse(
            document=document_to_proto(found), sections=sections_to_proto(sections)
        )

    async def ReadDocument(
        self, request: pb.ReadDocumentRequest, context: Context
    ) -> pb.ReadDocumentResponse:
        part = await read_document(
            self._database, current_namespace(), to_target(request), to_part(request), _KIND
        )
        return part_to_proto(part)

    async def ListDocuments(
        self, request: pb.ListDocumentsRequest, context: Context
    ) -> pb.ListDocumentsResponse:
        documents, token = await list_documents(
            self._database, current_namespace(), to_filter(request.filter), to_page(request)
        )
        return pb.ListDocumentsResponse(
            documents=[document_to_proto(each) for each in documents], next_page_token=token
        )

    async def DeleteDocument(
        self, request: pb.DeleteDocumentRequest, context: Context
    ) -> pb.DeleteDocumentResponse:
        deleted = await delete_document(
            self._database, current_namespace(), to_deletion(request), _KIND, self._wake
        )
        return pb.DeleteDocumentResponse(
            document_id=str(deleted.document_id),
            version=deleted.version,
            consistency_token=await self._seal(deleted),
            replayed=deleted.replayed,
        )

    async def GetDocumentHistory(
        self, request: pb.GetDocumentHistoryRequest, context: Context
    ) -> pb.GetDocumentHistoryResponse:
        document_id, versions, token = await get_document_history(
            self._database, current_namespace(), to_history(request), to_page(request), _KIND
        )
        return pb.GetDocumentHistoryResponse(
            versions=[version_to_proto(each) for each in versions],
            next_page_token=token,
            document_id=str(document_id),
        )

    async def _answer(self, kind: type[Answer], written: WrittenDocument) -> Answer:
        return kind(
            document_id=str(written.document_id),
            version=written.version,
            version_id=str(written.version_id),
            chunk_count=written.chunks,
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def _seal(self, written: WrittenDocument) -> str:
        return written.consistency_token.seal(await self._database.token_secret())


async def _header(requests: AsyncIterator[pb.UploadDocumentRequest]) -> Upload:
    """Return the header in the first request of a stream. Raises InvalidArgument."""
    async for request in requests:
        if request.HasField("header"):
            return to_upload(request.header)
        break
    raise InvalidArgument(violations=(("header", "must be sent first, before any data"),))


async def _bytes(requests: AsyncIterator[pb.UploadDocumentRequest]) -> AsyncIterator[bytes]:
    """Yield the data of the other requests of a stream. Raises InvalidArgument."""
    async for request in requests:
        if request.HasField("header"):
            raise InvalidArgument(
                violations=(("header", "must be sent only once: send data after it"),)
            )
        yield request.data

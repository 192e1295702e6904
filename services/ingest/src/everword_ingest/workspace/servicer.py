"""WorkspaceService: translates requests, calls the use case of documents, translates the result."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import current_caller, current_namespace
from everword.rpc.interceptors.base import Context
from everword.v1 import workspace_service_pb2 as pb
from everword.v1.workspace_service_pb2_grpc import WorkspaceServiceServicer
from everword_ingest.documents.delete_document import delete_document
from everword_ingest.documents.model import DocumentKind, Part, Written
from everword_ingest.documents.read_documents import (
    get_document_history,
    list_documents,
    read_document,
)
from everword_ingest.documents.translate import to_page
from everword_ingest.documents.write_document import write_document
from everword_ingest.workspace.files import MAX_FILE_BYTES, FileName, check_writer
from everword_ingest.workspace.translate import (
    file_to_proto,
    to_change,
    to_deletion,
    to_filter,
    to_history,
    to_key,
    to_writer,
    version_to_proto,
)

_KIND = DocumentKind.WORKSPACE
_WHOLE = Part(max_chars=MAX_FILE_BYTES)


class WorkspaceServicer(WorkspaceServiceServicer):
    """The files of workspaces, and their history."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def WriteWorkspaceFile(
        self, request: pb.WriteWorkspaceFileRequest, context: Context
    ) -> pb.WriteWorkspaceFileResponse:
        check_writer(current_caller(), to_writer(request), FileName(request.name))
        written = await write_document(
            self._database, current_namespace(), to_change(request), request.content, self._wake
        )
        return pb.WriteWorkspaceFileResponse(
            file_id=str(written.document_id),
            version=written.version,
            version_id=str(written.version_id),
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def GetWorkspaceFile(
        self, request: pb.GetWorkspaceFileRequest, context: Context
    ) -> pb.GetWorkspaceFileResponse:
        key = to_key(request.name, request.scope)
        part = await read_document(self._database, current_namespace(), key, _WHOLE, _KIND)
        return pb.GetWorkspaceFileResponse(file=file_to_proto(part.document, part.content))

    async def ListWorkspaceFiles(
        self, request: pb.ListWorkspaceFilesRequest, context: Context
    ) -> pb.ListWorkspaceFilesResponse:
        files, token = await list_documents(
            self._database, current_namespace(), to_filter(request), to_page(request)
        )
        return pb.ListWorkspaceFilesResponse(
            files=[file_to_proto(each) for each in files], next_page_token=token
        )

    async def DeleteWorkspaceFile(
        self, request: pb.DeleteWorkspaceFileRequest, context: Context
    ) -> pb.DeleteWorkspaceFileResponse:
        check_writer(current_caller(), to_writer(request), FileName(request.name))
        deleted = await delete_document(
            self._database, current_namespace(), to_deletion(request), _KIND, self._wake
        )
        return pb.DeleteWorkspaceFileResponse(
            file_id=str(deleted.document_id),
            version=deleted.version,
            consistency_token=await self._seal(deleted),
            replayed=deleted.replayed,
        )

    async def GetWorkspaceFileHistory(
        self, request: pb.GetWorkspaceFileHistoryRequest, context: Context
    ) -> pb.GetWorkspaceFileHistoryResponse:
        file_id, versions, token = await get_document_history(
            self._database, current_namespace(), to_history(request), to_page(request), _KIND
        )
        return pb.GetWorkspaceFileHistoryResponse(
            versions=[version_to_proto(each) for each in versions],
            next_page_token=token,
            file_id=str(file_id),
        )

    async def _seal(self, written: Written) -> str:
        return written.consistency_token.seal(await self._database.token_secret())

"""Workspace files of DocumentService: translates requests, calls the use case, translates the result."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import current_caller, current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import document_service_pb2 as pb
from everword.v1.document_service_pb2_grpc import DocumentServiceServicer
from everword_ingest.documents.model import WrittenDocument
from everword_ingest.workspace.read_workspace_files import (
    get_workspace_file,
    get_workspace_file_history,
    list_workspace_files,
)
from everword_ingest.workspace.translate import (
    file_to_proto,
    to_change,
    to_deletion,
    to_filter,
    to_history,
    to_key,
    version_to_proto,
)
from everword_ingest.workspace.write_workspace_file import (
    delete_workspace_file,
    write_workspace_file,
)


class WorkspaceServicer(DocumentServiceServicer):
    """The files of workspaces, and their history."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def WriteWorkspaceFile(
        self, request: pb.WriteWorkspaceFileRequest, context: Context
    ) -> pb.WriteWorkspaceFileResponse:
        written = await write_workspace_file(
            self._database,
            current_namespace(),
            current_caller(),
            to_change(request),
            request.content,
            self._wake,
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
        part = await get_workspace_file(self._database, current_namespace(), key)
        return pb.GetWorkspaceFileResponse(file=file_to_proto(part.document, part.content))

    async def ListWorkspaceFiles(
        self, request: pb.ListWorkspaceFilesRequest, context: Context
    ) -> pb.ListWorkspaceFilesResponse:
        files, token = await list_workspace_files(
            self._database, current_namespace(), to_filter(request), to_page(request)
        )
        return pb.ListWorkspaceFilesResponse(
            files=[file_to_proto(each) for each in files], next_page_token=token
        )

    async def DeleteWorkspaceFile(
        self, request: pb.DeleteWorkspaceFileRequest, context: Context
    ) -> pb.DeleteWorkspaceFileResponse:
        deleted = await delete_workspace_file(
            self._database,
            current_namespace(),
            current_caller(),
            to_deletion(request),
            self._wake,
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
        file_id, versions, token = await get_workspace_file_history(
            self._database, current_namespace(), to_history(request), to_page(request)
        )
        return pb.GetWorkspaceFileHistoryResponse(
            versions=[version_to_proto(each) for each in versions],
            next_page_token=token,
            file_id=str(file_id),
        )

    async def _seal(self, written: WrittenDocument) -> str:
        return written.consistency_token.seal(await self._database.token_secret())

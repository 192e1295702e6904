"""Read the files of workspaces: one, which there are, and the history of one."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.rpc.pages import PageRequest
from everword_ingest.documents.model import (
    DocumentFilter,
    DocumentKey,
    DocumentKind,
    HistoryRequest,
    RequestedPart,
)
from everword_ingest.documents.read_documents import (
    DocumentPart,
    get_document_history,
    list_documents,
    read_document,
)
from everword_ingest.documents.store import DocumentRow, DocumentVersionRow
from everword_ingest.workspace.files import MAX_FILE_BYTES

_KIND = DocumentKind.WORKSPACE
_WHOLE = RequestedPart(max_chars=MAX_FILE_BYTES)


async def get_workspace_file(
    database: Database, namespace: NamespaceScope, key: DocumentKey
) -> DocumentPart:
    """Return a file whole. Raises DocumentNotFound and ConversationNotFound."""
    return await read_document(database, namespace, key, _WHOLE, _KIND)


async def list_workspace_files(
    database: Database,
    namespace: NamespaceScope,
    document_filter: DocumentFilter,
    page: PageRequest,
) -> tuple[Sequence[DocumentRow], str]:
    """Return a page of files, and the token of the next one. Raises InvalidPageToken."""
    return await list_documents(database, namespace, document_filter, page)


async def get_workspace_file_history(
    database: Database, namespace: NamespaceScope, request: HistoryRequest, page: PageRequest
) -> tuple[UUID, Sequence[DocumentVersionRow], str]:
    """Return a file's id, a page of its versions, and the token of the next page.

    Raises the errors of `get_document_history`.
    """
    return await get_document_history(database, namespace, request, page, _KIND)

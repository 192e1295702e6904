"""Write or delete a file of a workspace, if its writer is allowed to."""

from __future__ import annotations

from collections.abc import Callable

from everword.db.pool import Database
from everword.domain.caller import Caller, NamespaceScope
from everword_ingest.documents.append_document import append_document
from everword_ingest.documents.delete_document import delete_document
from everword_ingest.documents.model import (
    DocumentChange,
    DocumentDeletion,
    DocumentKey,
    DocumentKind,
    WrittenDocument,
)
from everword_ingest.documents.write_document import write_document
from everword_ingest.workspace.files import FileName, WorkspaceWriter, check_writer


async def write_workspace_file(
    database: Database,
    namespace: NamespaceScope,
    caller: Caller,
    change: DocumentChange,
    content: str,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Store a version of a file. Raises WorkspaceFileProtected, and what `write_document` does."""
    check_writer(caller, WorkspaceWriter(change.writer), FileName[change.key.title])
    write = append_document if change.appends else write_document
    return await write(database, namespace, change, content, wake)


async def delete_workspace_file(
    database: Database,
    namespace: NamespaceScope,
    caller: Caller,
    deletion: DocumentDeletion,
    wake: Callable[[], None],
) -> WrittenDocument:
    """Delete a file. Raises WorkspaceFileProtected, and what `delete_document` does."""
    assert isinstance(deletion.target, DocumentKey)
    check_writer(caller, WorkspaceWriter(deletion.writer), FileName[deletion.target.title])
    return await delete_document(database, namespace, deletion, DocumentKind.WORKSPACE, wake)

"""Calls on documents and workspace files with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as documents
from support.callers import within
from support.foreign import NO_CONVERSATION, NO_PAGE, Call, Theirs
from support.stack import Stack

NO_DOCUMENT = "DOCUMENT_NOT_FOUND"
MEMORY = documents.WORKSPACE_FILE_NAME_MEMORY


def _document(theirs: Theirs | None = None) -> document_pb2.NewDocument:
    return document_pb2.NewDocument(title="Theirs", scope=_scope(theirs))


def _scope(theirs: Theirs | None) -> document_pb2.DocumentScope | None:
    return document_pb2.DocumentScope(conversation_id=theirs.conversation_id) if theirs else None


def _key(theirs: Theirs) -> document_pb2.DocumentKey:
    return document_pb2.DocumentKey(title="Theirs", scope=_scope(theirs))


def write_request(theirs: Theirs | None = None, **fields: Any) -> documents.WriteDocumentRequest:
    document = _document(theirs)
    return documents.WriteDocumentRequest(document=document, content="Their text.", **fields)


def append_request(theirs: Theirs | None = None, **fields: Any) -> documents.WriteDocumentRequest:
    document = _document(theirs)
    return documents.WriteDocumentRequest(
        document=document, content="Their more.", append=True, **fields
    )


def upload_requests(
    theirs: Theirs | None = None, request_id: str = ""
) -> Iterator[documents.UploadDocumentRequest]:
    header = documents.UploadHeader(
        document=_document(theirs), file_name="theirs.md", request_id=request_id
    )
    yield documents.UploadDocumentRequest(header=header)
    yield documents.UploadDocumentRequest(data=b"Their file.")


def documents_request(**fields: Any) -> documents.ListDocumentsRequest:
    return documents.ListDocumentsRequest(page_size=1, **fields)


def document_history_request(**fields: Any) -> documents.GetDocumentHistoryRequest:
    return documents.GetDocumentHistoryRequest(page_size=1, **fields)


def files_request(**fields: Any) -> documents.ListWorkspaceFilesRequest:
    return documents.ListWorkspaceFilesRequest(page_size=1, **fields)


def file_request(
    theirs: Theirs | None = None, name: int = MEMORY, **fields: Any
) -> documents.WriteWorkspaceFileRequest:
    return documents.WriteWorkspaceFileRequest(
        name=documents.WorkspaceFileName.ValueType(name),
        scope=_scope(theirs),
        content="Their memory.",
        **fields,
    )


def file_history_request(
    theirs: Theirs | None = None, **fields: Any
) -> documents.GetWorkspaceFileHistoryRequest:
    return documents.GetWorkspaceFileHistoryRequest(
        name=MEMORY, scope=_scope(theirs), page_size=1, **fields
    )


@dataclass(frozen=True)
class TheirDocuments:
    """Ids and tokens of a namespace's documents."""

    document_id: str
    page_tokens: dict[str, str]


async def write_documents(stack: Stack, namespace: str) -> TheirDocuments:
    """Write a document and a file with three versions each, and a second document and file."""
    metadata = within(namespace)
    documents_, files = stack.documents, stack.documents
    written = await documents_.WriteDocument(write_request(request_id="write"), metadata=metadata)
    await documents_.WriteDocument(append_request(request_id="append"), metadata=metadata)
    await documents_.UploadDocument(upload_requests(request_id="upload"), metadata=metadata)
    other = documents.WriteDocumentRequest(
        document=document_pb2.NewDocument(title="Theirs too"), content="Other text."
    )
    await documents_.WriteDocument(other, metadata=metadata)
    await files.WriteWorkspaceFile(file_request(request_id="file"), metadata=metadata)
    await files.WriteWorkspaceFile(file_request(append=True), metadata=metadata)
    soul = file_request(
        name=documents.WORKSPACE_FILE_NAME_SOUL, writer=documents.WORKSPACE_WRITER_HUMAN
    )
    await files.WriteWorkspaceFile(soul, metadata=metadata)
    listed = await documents_.ListDocuments(documents_request(), metadata=metadata)
    history = document_history_request(document_id=written.document_id)
    versions = await documents_.GetDocumentHistory(history, metadata=metadata)
    listed_files = await files.ListWorkspaceFiles(files_request(), metadata=metadata)
    of_file = await files.GetWorkspaceFileHistory(file_history_request(), metadata=metadata)
    tokens = {
        "ListDocuments": listed.next_page_token,
        "GetDocumentHistory": versions.next_page_token,
        "ListWorkspaceFiles": listed_files.next_page_token,
        "GetWorkspaceFileHistory": of_file.next_page_token,
    }
    return TheirDocuments(written.document_id, tokens)


#: Like `REFUSED` and `EMPTY` of the test.
DOCUMENTS_REFUSED: dict[str, tuple[str, Call]] = {
    "UploadDocument header.document.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.UploadDocument(upload_requests(t)),
    ),
    "WriteDocument document.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.WriteDocument(write_request(t)),
    ),
    "GetDocument document_id": (
        NO_DOCUMENT,
        lambda s, t: s.documents.GetDocument(
            documents.GetDocumentRequest(document_id=t.document_id)
        ),
    ),
    "GetDocument key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.GetDocument(documents.GetDocumentRequest(key=_key(t))),
    ),
    "ReadDocument document_id": (
        NO_DOCUMENT,
        lambda s, t: s.documents.ReadDocument(
            documents.ReadDocumentRequest(document_id=t.document_id)
        ),
    ),
    "ReadDocument key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.ReadDocument(documents.ReadDocumentRequest(key=_key(t))),
    ),
    "DeleteDocument document_id": (
        NO_DOCUMENT,
        lambda s, t: s.documents.DeleteDocument(
            documents.DeleteDocumentRequest(document_id=t.document_id)
        ),
    ),
    "DeleteDocument key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.DeleteDocument(documents.DeleteDocumentRequest(key=_key(t))),
    ),
    "ListDocuments page_token": (
        NO_PAGE,
        lambda s, t: s.documents.ListDocuments(
            documents_request(page_token=t.page_tokens["ListDocuments"])
        ),
    ),
    "GetDocumentHistory document_id": (
        NO_DOCUMENT,
        lambda s, t: s.documents.GetDocumentHistory(
            document_history_request(document_id=t.document_id)
        ),
    ),
    "GetDocumentHistory key.scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.GetDocumentHistory(document_history_request(key=_key(t))),
    ),
    "GetDocumentHistory page_token": (
        NO_PAGE,
        lambda s, t: s.documents.GetDocumentHistory(
            document_history_request(
                document_id=t.document_id, page_token=t.page_tokens["GetDocumentHistory"]
            )
        ),
    ),
    "WriteWorkspaceFile scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.WriteWorkspaceFile(file_request(t)),
    ),
    "GetWorkspaceFile": (
        NO_DOCUMENT,
        lambda s, t: s.documents.GetWorkspaceFile(documents.GetWorkspaceFileRequest(name=MEMORY)),
    ),
    "GetWorkspaceFile scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.GetWorkspaceFile(
            documents.GetWorkspaceFileRequest(name=MEMORY, scope=_scope(t))
        ),
    ),
    "DeleteWorkspaceFile scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.DeleteWorkspaceFile(
            documents.DeleteWorkspaceFileRequest(name=MEMORY, scope=_scope(t))
        ),
    ),
    "DeleteWorkspaceFile": (
        NO_DOCUMENT,
        lambda s, t: s.documents.DeleteWorkspaceFile(
            documents.DeleteWorkspaceFileRequest(name=MEMORY)
        ),
    ),
    "ListWorkspaceFiles page_token": (
        NO_PAGE,
        lambda s, t: s.documents.ListWorkspaceFiles(
            files_request(page_token=t.page_tokens["ListWorkspaceFiles"])
        ),
    ),
    "GetWorkspaceFileHistory scope.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.documents.GetWorkspaceFileHistory(file_history_request(t)),
    ),
    "GetWorkspaceFileHistory page_token": (
        NO_PAGE,
        lambda s, t: s.documents.GetWorkspaceFileHistory(
            file_history_request(page_token=t.page_tokens["GetWorkspaceFileHistory"])
        ),
    ),
}
DOCUMENTS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListDocuments": (
        lambda s, t: s.documents.ListDocuments(documents_request()),
        lambda answer: not answer.documents,
    ),
    "ListDocuments filter.conversation_ids": (
        lambda s, t: s.documents.ListDocuments(
            documents_request(filter=documents.DocumentFilter(conversation_ids=[t.conversation_id]))
        ),
        lambda answer: not answer.documents,
    ),
    "ListWorkspaceFiles": (
        lambda s, t: s.documents.ListWorkspaceFiles(files_request()),
        lambda answer: not answer.files,
    ),
    "WriteDocument": (
        lambda s, t: s.documents.WriteDocument(
            write_request(request_id="write"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "UploadDocument": (
        lambda s, t: s.documents.UploadDocument(
            upload_requests(request_id="upload"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "WriteWorkspaceFile": (
        lambda s, t: s.documents.WriteWorkspaceFile(
            file_request(request_id="file"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
}

"""The statements on documents as typed functions: one for each in queries.sql."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.statements import BoundStatement, load_statements
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.documents")


@dataclass(frozen=True)
class DocumentsThere:
    """What a namespace has of documents."""

    documents: bool = False
    #: Workspace files.
    files: bool = False
    #: Either of these that belong to a conversation.
    of_conversations: bool = False


NO_DOCUMENTS = DocumentsThere()


def documents_there_asked(namespace_id: int) -> BoundStatement[DocumentsThere]:
    """Ask what a namespace has of documents, together with something else."""
    return BoundStatement(SQL["find_documents_there"], namespaced(namespace_id), DocumentsThere)

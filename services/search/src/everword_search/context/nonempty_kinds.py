"""The kinds of rows that a namespace has, so that blocks without data cost a context nothing."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.statements import BoundStatement
from everword_search.passages.store import SQL
from everword_search.records.store import namespaced


@dataclass(frozen=True)
class NonemptyKinds:
    """Which kinds of rows exist in the namespace; True by default, if they were not checked."""

    facts: bool = True
    corrections: bool = True
    #: Styles, people or events.
    people: bool = True
    strategies: bool = True
    logs: bool = True
    graph: bool = True
    lore: bool = True
    documents: bool = True
    #: Workspace files.
    files: bool = True
    #: Documents or files of a conversation.
    conversation_documents: bool = True


def nonempty_kinds_statement(namespace_id: int) -> BoundStatement[NonemptyKinds]:
    """Return the statement that checks which kinds of rows a namespace has."""
    return BoundStatement(SQL["find_present"], namespaced(namespace_id), NonemptyKinds)

"""Which rows a namespace has that blocks are made from: what has none costs a context nothing more."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.statements import BoundStatement
from everword_search.passages.store import SQL
from everword_search.records.store import namespaced


@dataclass(frozen=True)
class Present:
    """Which kinds of rows there are, whoever's they are; what nobody looked for may be there."""

    facts: bool = True
    #: How somebody communicates, who they know, and what is ahead of them.
    people: bool = True
    strategies: bool = True
    logs: bool = True
    graph: bool = True
    lore: bool = True
    documents: bool = True
    #: Of the workspace.
    files: bool = True
    #: Documents or files of a conversation.
    conversation_documents: bool = True


def present_asked(namespace_id: int) -> BoundStatement[Present]:
    """Return what asks which kinds of rows a namespace has."""
    return BoundStatement(SQL["find_present"], namespaced(namespace_id), Present)

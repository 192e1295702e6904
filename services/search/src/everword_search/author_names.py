"""Finds the authors that a query names."""

from __future__ import annotations

from everword.db.pool import Connection, Database
from everword.db.statements import fetch_value
from everword.domain.caller import NamespaceScope
from everword.text.author_names import name_words
from everword_search.store import SQL, namespaced


async def find_names(database: Database, namespace: NamespaceScope, text: str) -> frozenset[str]:
    """Return the words of `text`, in lower case and cut at apostrophes, that name authors of the namespace.

    It has a transaction of its own, which ends before the query is embedded: a slow model must not hold a connection.
    """
    words = sorted(name_words(text))
    if not words:
        return frozenset()
    async with database.transaction(namespace.id) as conn:
        return frozenset(await names_in_query(conn, namespace.id, words))


async def names_in_query(conn: Connection, namespace_id: int, words: list[str]) -> list[str]:
    parameters = {**namespaced(namespace_id), "words": words}
    return list(await fetch_value(conn, SQL["names_in_query"], parameters))

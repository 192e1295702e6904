"""Read facts: the profile of a subject, lists, the history of an attribute, and why a fact is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import FactNotFound
from everword.facts.store import FactView, show_facts
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.facts import store
from everword_search.facts.model import FactFilter, ProfileRequest
from everword_search.facts.store import FactChangeRow, FactDisputeRow, LinkRow, QuotedEvidenceRow
from everword_search.records.freshness import fresh_transaction

#: Maximum intervals of a history, and maximum evidence, changes, links and disputes of a fact.
MOST = 1_000
#: Facts beyond a profile's limit are counted up to this many.
MOST_OMITTED = 100


@dataclass(frozen=True)
class Link:
    """A link from or to a fact."""

    row: LinkRow
    #: The fact at the other end.
    other: FactView


@dataclass(frozen=True)
class Dispute:
    """Two facts that contradict each other."""

    row: FactDisputeRow
    old: FactView
    new: FactView


@dataclass(frozen=True)
class FactExplanation:
    """The evidence, history, links and disputes of a fact."""

    fact: FactView
    evidence: Sequence[QuotedEvidenceRow]
    changes: Sequence[FactChangeRow]
    links: Sequence[Link]
    disputes: Sequence[Dispute]


async def get_profile(
    database: Database, namespace: NamespaceScope, request: ProfileRequest
) -> tuple[Sequence[FactView], int]:
    """Return the facts about a subject that are valid as of the request, and the number of omitted ones.

    Omitted facts are counted up to `MOST_OMITTED`.
    """
    most = request.max_facts
    async with fresh_transaction(database, namespace, request.at_least_as_fresh) as conn:
        found = await store.get_profile(conn, namespace.id, request, most + 1)
        if len(found) <= most:
            return found, 0
        counted = await store.count_profile(conn, namespace.id, request, most + MOST_OMITTED)
    return found[:most], counted - most


async def list_facts(
    database: Database,
    namespace: NamespaceScope,
    fact_filter: FactFilter,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[FactView], str]:
    """Return a page of facts and the token of the next page. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListFacts", page)
    after = [UUID(id_) for id_ in cursor.after] if cursor.after else None
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await store.list_facts(conn, namespace.id, fact_filter, after, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id), str(last.memory_id or last.id)])


async def get_fact_history(
    database: Database,
    namespace: NamespaceScope,
    subject: str,
    attribute: str,
    at_least_as_fresh: str = "",
) -> Sequence[FactView]:
    """Return every past and current value of an attribute of a subject, `MOST` at most."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        return await store.list_history(conn, namespace.id, subject, attribute, MOST)


async def explain_fact(
    database: Database,
    namespace: NamespaceScope,
    fact_id: UUID,
    at_least_as_fresh: str = "",
) -> FactExplanation:
    """Return a fact with its evidence, quotes included. Raises FactNotFound."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await show_facts(conn, namespace.id, [fact_id])
        fact = _only(found.get(fact_id), fact_id)
        evidence = await store.list_evidence(conn, namespace.id, fact_id, MOST)
        changes = await store.list_changes(conn, namespace.id, fact_id, MOST)
        links = await _links(conn, namespace.id, fact_id)
        rows = await store.list_disputes(conn, namespace.id, fact_id, MOST)
        disputes = await _show_disputes(conn, namespace.id, rows)
    return FactExplanation(fact, evidence, changes, links, disputes)


async def list_disputes(
    database: Database,
    namespace: NamespaceScope,
    subjects: Sequence[str] | None,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[Dispute], str]:
    """Return a page of open disputes and the token of the next page. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListDisputes", page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        rows = await store.list_open_disputes(
            conn, namespace.id, subjects, cursor.after_id, cursor.limit
        )
        disputes = await _show_disputes(conn, namespace.id, rows)
    return cursor.cut(disputes, lambda last: [str(last.row.id)])


async def _show_disputes(
    conn: Connection, namespace_id: int, rows: Sequence[FactDisputeRow]
) -> list[Dispute]:
    """Return disputes with both facts; those with an erased fact are left out."""
    ids = {id_ for row in rows for id_ in (row.old_fact_id, row.new_fact_id)}
    found = await show_facts(conn, namespace_id, sorted(ids)) if ids else {}
    return [
        Dispute(row, found[row.old_fact_id], found[row.new_fact_id])
        for row in rows
        if row.old_fact_id in found and row.new_fact_id in found
    ]


async def _links(conn: Connection, namespace_id: int, fact_id: UUID) -> list[Link]:
    rows = await store.list_links(conn, namespace_id, fact_id, MOST)
    others = [row.to_fact_id if row.from_fact_id == fact_id else row.from_fact_id for row in rows]
    found = await show_facts(conn, namespace_id, others) if others else {}
    return [Link(row, found[id_]) for row, id_ in zip(rows, others, strict=True) if id_ in found]


def _only(found: FactView | None, fact_id: UUID) -> FactView:
    if found is None:
        raise FactNotFound(fact_id=fact_id)
    return found

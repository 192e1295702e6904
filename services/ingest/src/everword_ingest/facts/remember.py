"""Remember a fact: it supersedes the current value, or becomes further evidence for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ConcurrentUpdate, InvalidArgument
from everword.domain.tokens import ConsistencyToken
from everword.facts import store
from everword.facts.attributes import find_attribute
from everword.facts.model import FactSource
from everword.facts.statement import FactStatement
from everword.facts.statement_writer import StatementResult, state_fact
from everword.facts.writer import ChangeReason, lock_attribute
from everword_ingest.facts.evidence import check_evidence, is_untrusted_claim, to_store
from everword_ingest.facts.model import FactWriteResult, NewFact
from everword_ingest.request_ids.claims import claim_request, highest_passage, update_request


async def remember(
    database: Database,
    namespace: NamespaceScope,
    claim: NewFact,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> FactWriteResult:
    """Store a fact, or find that an equal call did. Raises RequestIdConflict, MemoryNotFound and InvalidArgument.

    `wake` is called after the commit: there may be work to publish.
    """
    async with database.write(namespace.id) as write:
        conn, superseded = write.conn, list[UUID]()
        earlier = await claim_request(conn, namespace.id, request_id, body_hash)
        if earlier is None:
            remembered = await _write(conn, namespace.id, claim)
            fact_id, superseded = remembered.fact_id, list(remembered.superseded)
            if request_id:
                await update_request(conn, namespace.id, request_id, [fact_id])
        else:
            [fact_id] = earlier.message_ids
        shown = await show_stored(conn, namespace.id, [fact_id, *superseded])
        fact = shown[fact_id]
        memory_ids = [fact.memory_id] if fact.memory_id else []
        highest = await highest_passage(conn, namespace.id, memory_ids)
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    others = [shown[id_] for id_ in superseded]
    return FactWriteResult(fact, others, token, replayed=earlier is not None)


async def show_stored(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> dict[UUID, store.FactView]:
    """Return facts as they are now. Raises ConcurrentUpdate if one was erased during this transaction."""
    shown = await store.show_facts(conn, namespace_id, fact_ids)
    if not shown.keys() >= set(fact_ids):
        raise ConcurrentUpdate
    return shown


async def _write(conn: Connection, namespace_id: int, claim: NewFact) -> StatementResult:
    settings = await get_namespace_settings(conn, namespace_id)
    checked = await check_evidence(conn, namespace_id, claim.evidence)
    known = find_attribute(claim.key.attribute).several
    several = known if claim.several is None else claim.several
    locked = await lock_attribute(
        conn, namespace_id, settings.trust, claim.key, claim.value if several else None
    )
    pieces = to_store(checked, locked.now)
    since = claim.since or max(piece.said_at for piece in pieces)
    if claim.until is not None and claim.until <= since:
        raise InvalidArgument(violations=(("valid_until_time", "must be after valid_from_time"),))
    told = FactStatement(
        claim.key,
        claim.value,
        claim.source,
        since,
        pieces,
        claim.until,
        claim.hypothesis,
        several,
        claim.category,
        claim.lifetime_days,
        claim.agent,
        is_untrusted_claim(checked, claim.source, settings.trust),
    )
    actor = "person" if claim.source is FactSource.PERSON else "agent"
    audit = ChangeReason(actor, claim.note)
    return await state_fact(conn, settings, locked, told, audit)

"""Record an action on an entity: one more occurrence of a pattern, or a new one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime
from typing import Any

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ContentErased, InvalidArgument
from everword.domain.ids import new_id
from everword_ingest.patterns import store
from everword_ingest.patterns.confidence import confidence
from everword_ingest.patterns.model import EntityAction, PatternWriteResult, entity_key
from everword_ingest.patterns.store import NewOutcome, PatternRow
from everword_ingest.request_ids.claims import claim_request, update_request

#: Number of patterns of a type for one entity; actions that vary more are not a pattern.
MOST_OF_A_TYPE = 100


async def record_pattern(
    database: Database,
    namespace: NamespaceScope,
    seen: EntityAction,
    request_id: str,
    body_hash: bytes,
) -> PatternWriteResult:
    """Count an occurrence, or find that an equal call did. Raises RequestIdConflict and InvalidArgument."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        earlier = await claim_request(conn, namespace.id, request_id, body_hash)
        if earlier is not None:
            pattern = await store.get_pattern(conn, namespace.id, earlier.message_ids[0])
            if pattern is None:
                raise ContentErased(request_id=request_id)
            return PatternWriteResult(pattern, replayed=True)
        pattern, created = await _record(conn, namespace.id, seen)
        if request_id:
            await update_request(conn, namespace.id, request_id, [pattern.id])
    return PatternWriteResult(pattern, created)


async def _record(
    conn: Connection, namespace_id: int, seen: EntityAction
) -> tuple[PatternRow, bool]:
    key = entity_key(seen.entity)
    now = await store.lock_patterns(conn, namespace_id, key, seen.type)
    known = await store.find_patterns(conn, namespace_id, key, seen.type, MOST_OF_A_TYPE)
    hash_ = hash_data(seen.data)
    own = next((each for each in known if each.data_hash == hash_), None)
    created = own is None
    if own is None:
        if len(known) >= MOST_OF_A_TYPE:
            text = f"{MOST_OF_A_TYPE} patterns of this entity and type differ already"
            raise InvalidArgument(violations=(("data", text),))
        own = _new(seen, key, hash_, now)
        await store.insert_pattern(conn, namespace_id, own)
    others = [each for each in known if each.id != own.id]
    agreeing = counted(replace(own, category=seen.category or own.category), True, now)
    changed = [agreeing, *(counted(each, False, now) for each in others)]
    outcomes = [
        NewOutcome(new_id(), each.id, each.id == own.id, None if each.id == own.id else own.id)
        for each in changed
    ]
    await store.insert_outcomes(conn, namespace_id, now, outcomes, seen.reason, recorded=True)
    await store.update_patterns(conn, namespace_id, changed)
    return agreeing, created


def counted(pattern: PatternRow, agreed: bool, now: datetime) -> PatternRow:
    """Return a pattern with one more outcome."""
    occurrences = pattern.occurrences + agreed
    disagreements = pattern.disagreements + (not agreed)
    return replace(
        pattern,
        occurrences=occurrences,
        disagreements=disagreements,
        confidence=confidence(occurrences, disagreements),
        last_seen_at=now if agreed else pattern.last_seen_at,
    )


def hash_data(data: dict[str, Any]) -> bytes:
    """Return a hash of a JSON object, independent of the order of its keys."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).digest()


def _new(seen: EntityAction, key: str, hash_: bytes, now: datetime) -> PatternRow:
    return PatternRow(
        id=new_id(),
        entity=seen.entity,
        entity_key=key,
        type=seen.type,
        category=seen.category,
        data=seen.data,
        data_hash=hash_,
        agent=seen.agent,
        occurrences=0,
        disagreements=0,
        confidence=0.0,
        created_at=now,
        last_seen_at=now,
    )

"""A fact with an interval, evidence and a change, and parameters with which every statement of facts affects it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id
from everword.facts.model import value_hash

FACT, INTERVAL, EVIDENCE, CHANGE, ENDED = (UUID(int=number) for number in range(71, 76))
SUBJECT, ATTRIBUTE = "Xanthippe of Athens", "residence"
BEGAN = datetime(2001, 2, 3, tzinfo=UTC)
_PROFILE = {"subject": SUBJECT, "categories": None, "attributes": None, "include_expired": True}
_LISTED = {
    **dict.fromkeys(("attributes", "states", "after_id", "after_interval")),
    "everything": True,
}
_KNOWN = {"first_seen": None, "unnamed": False, "user": SUBJECT, "max_messages": 9}

_KNOWN = {"first_seen": None, "unnamed": False, "user": SUBJECT, "max_messages": 9}


def insert_facts(
    conn: psycopg.Connection, namespace_id: int, message_ids: Sequence[UUID], words: str
) -> None:
    """Store a fact with the first message as its evidence."""
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, state, "
        "confidence, lifetime_days, first_seen_at, last_seen_at) "
        "VALUES (%s, %s, %s, 'home', %s, %s, %s, false, 1, 1, 0.5, 3000000, %s, %s)",
        [namespace_id, FACT, SUBJECT, ATTRIBUTE, words, value_hash(words), BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, known_from) "
        "VALUES (%s, %s, %s, %s, %s)",
        [namespace_id, INTERVAL, FACT, BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, contradicts, source, quote, said_at, "
        "recorded_at) VALUES (%s, %s, %s, %s, false, 1, %s, %s, %s)",
        [namespace_id, EVIDENCE, FACT, message_ids[0], words, BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO message_corrections (namespace_id, message_id, corrected_id, kind, value, current_value, "
        "corrected_at, recorded_at) "
        "SELECT %s, later, first, 1, %s, %s, %s, %s FROM unnest(%s::uuid[], %s::uuid[]) AS t (later, first)",
        [namespace_id, words, words, BEGAN, BEGAN, message_ids[1:2], message_ids[:1]],
    )
    _insert_ended(conn, namespace_id, message_ids[0], words)
    conn.execute(
        "INSERT INTO fact_changes (namespace_id, id, fact_id, changed_at, actor, action, state) "
        "VALUES (%s, %s, %s, %s, 'agent', 'remembered', 1)",
        [namespace_id, CHANGE, FACT, BEGAN],
    )


def _insert_ended(
    conn: psycopg.Connection, namespace_id: int, message_id: UUID, words: str
) -> None:
    """Store an outdated fact with a message as its evidence."""
    value = f"{words}, once"
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, state, "
        "confidence, lifetime_days, first_seen_at, last_seen_at) "
        "VALUES (%s, %s, %s, 'home', %s, %s, %s, true, 1, 5, 0.5, 3000000, %s, %s)",
        [namespace_id, ENDED, SUBJECT, ATTRIBUTE, value, value_hash(value), BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, valid_until, known_from) "
        "VALUES (%s, %s, %s, %s, %s, %s)",
        [namespace_id, new_id(), ENDED, BEGAN, BEGAN + timedelta(days=1), BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, contradicts, source, quote, said_at, "
        "recorded_at) VALUES (%s, %s, %s, %s, false, 1, %s, %s, %s)",
        [namespace_id, new_id(), ENDED, message_id, words, BEGAN, BEGAN],
    )


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    """Return the values of one row as lists of length one."""
    return {name: [value] for name, value in row.items()}


def fact_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of the fact statements, by statement name."""
    writes, reads = "everword.facts", "everword_search.facts"
    key = {"subject": SUBJECT, "attribute": ATTRIBUTE}
    new = {"id": new_id(), "now": BEGAN, "fact_id": FACT, "fact_ids": [FACT]}
    fact = {
        **key,
        "category": "home",
        "value": "smuggled",
        "value_hash": value_hash("smuggled"),
        "several": False,
        "source": 1,
        "hypothesis": False,
        "state": 2,
        "confidence": 0.7,
        "lifetime_days": 7,
        **dict.fromkeys(("seen_at", "first_seen_at", "last_seen_at"), BEGAN),
        "supporting": 2,
        "contradicting": 1,
        **dict.fromkeys(("ruling", "ruled_at", "verdict", "verdict_at")),
        "is_anchor": False,
        "agent": "",
    }
    evidence = {
        "ids": [new_id()],
        "message_ids": [None],
        "conversation_ids": [None],
        "contradicts": [False],
        "quotes": ["smuggled"],
        "reasons": [""],
        "said_at": [BEGAN],
        "sources": [1],
        "hypotheses": [False],
    }
    interval = {"ids": [new_id()], "valid_from": [BEGAN]}
    interval |= {"valid_until": [None], "successor_ids": [None]}
    change = {
        "ids": [new_id()],
        "actions": ["remembered"],
        "other_fact_ids": [None],
        "actor": "agent",
        "reason": "",
    }
    return {
        f"{writes}.lock_keys": _listed(key),
        f"{writes}.find_facts": {**_listed(key), "value_hash": None},
        f"{writes}.find_spellings": {"names": [SUBJECT.upper()]},
        f"{writes}.get_fact": new,
        f"{writes}.find_believed_intervals": new,
        f"{writes}.insert_facts": _listed({**new, **fact}),
        f"{writes}.update_facts": _listed({**fact, "id": FACT}),
        f"{writes}.insert_intervals": {**new, **interval},
        f"{writes}.disbelieve_intervals": {"now": BEGAN, "ids": [INTERVAL]},
        f"{writes}.lock_sources": {"message_ids": [], "may_be_gone": False},
        f"{writes}.insert_evidence": {**new, **evidence},
        **dict.fromkeys((f"{writes}.weigh_evidence", f"{writes}.find_voices"), new),
        f"{writes}.insert_changes": {**new, **change},
        f"{writes}.enqueue_facts": {**new, **change},
        f"{writes}.show_facts": new,
        f"{reads}.find_known": {**_KNOWN, "subjects": [SUBJECT]},
        f"{reads}.find_own": {**_KNOWN, "subjects": [SUBJECT], "user": SUBJECT},
        f"{reads}.get_profile": _PROFILE,
        f"{reads}.count_profile": _PROFILE,
        "everword_search.passages.find_later_memories": {"as_of_time": BEGAN},
        "everword_search.passages.source_messages": {"source_ids": [INTERVAL]},
        f"{reads}.list_facts": _LISTED,
        f"{reads}.list_history": {**key, "known_at": None},
        f"{reads}.list_evidence": new,
        f"{reads}.list_changes": new,
    }


def correction_parameters(message_ids: Sequence[UUID]) -> dict[str, dict[str, Any]]:
    """Return the parameters of the statements of corrections of messages, by statement name."""
    package = "everword_compactor.learning"
    earlier = {"message_id": message_ids[-2], "words": "'xylophon'", "near": 9, "elsewhere": True}
    inserted = {"message_ids": [message_ids[-1]], "corrected_ids": [message_ids[-2]], "kinds": [1]}
    words = {"values": ["smuggled"], "current_values": ["smuggled"], "now": BEGAN}
    return {
        f"{package}.list_earlier_messages": earlier,
        f"{package}.lock_sources": {"message_ids": message_ids},
        f"{package}.insert_corrections": {**inserted, **words},
        f"{package}.list_stated_facts": {"message_ids": message_ids},
    }

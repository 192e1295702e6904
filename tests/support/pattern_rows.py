"""A pattern with an outcome, a decision and a threshold, and parameters with which every statement affects them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id

PATTERN, OUTCOME, DECISION = (UUID(int=number) for number in range(81, 84))
ENTITY, TYPE = "xenia's shop", "merchant_category"
SEEN = datetime(2001, 2, 3, tzinfo=UTC)


def insert_patterns(conn: psycopg.Connection, namespace_id: int, words: str) -> None:
    """Store a pattern with one agreeing outcome and one approval."""
    conn.execute(
        "INSERT INTO patterns (namespace_id, id, entity, entity_key, type, category, data, data_hash, occurrences, "
        "                      confidence, created_at, last_seen_at) "
        "VALUES (%s, %s, %s, %s, %s, 'food', %s, '\\x01', 1, 0.5, %s, %s)",
        [namespace_id, PATTERN, ENTITY, ENTITY, TYPE, Jsonb({"words": words}), SEEN, SEEN],
    )
    conn.execute(
        "INSERT INTO pattern_outcomes (namespace_id, id, pattern_id, agreed, recorded, reason, outcome_at) "
        "VALUES (%s, %s, %s, true, true, %s, %s)",
        [namespace_id, OUTCOME, PATTERN, words, SEEN],
    )
    conn.execute(
        "INSERT INTO pattern_decisions (namespace_id, id, pattern_id, approved, confidence, threshold, "
        "                               threshold_source, occurrences, disagreements, decided_at) "
        "VALUES (%s, %s, %s, true, 0.5, 0.4, 1, 1, 0, %s)",
        [namespace_id, DECISION, PATTERN, SEEN],
    )
    conn.execute(
        "INSERT INTO pattern_thresholds (namespace_id, type, threshold) VALUES (%s, %s, 0.4)",
        [namespace_id, TYPE],
    )


def pattern_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of the pattern statements, by statement name."""
    package = "everword_ingest.patterns"
    key = {"entity_key": ENTITY, "type": TYPE}
    counts = {"occurrences": 2, "disagreements": 1, "confidence": 0.4}
    return {
        f"{package}.lock_patterns": key,
        f"{package}.find_patterns": key,
        f"{package}.get_pattern": {"pattern_id": PATTERN},
        f"{package}.list_patterns": {
            **dict.fromkeys(("entity_key", "type", "category", "after_confidence", "after_id"))
        },
        f"{package}.insert_pattern": {
            **key,
            "id": new_id(),
            "entity": "smuggled",
            "category": "",
            "data": Jsonb({}),
            "data_hash": b"\x02",
            "agent": "",
            "created_at": SEEN,
            "last_seen_at": SEEN,
        },
        f"{package}.update_patterns": {
            "ids": [PATTERN],
            "occurrences": [2],
            "disagreements": [1],
            "confidences": [0.4],
            "categories": ["food"],
            "last_seen_at": [SEEN],
        },
        f"{package}.insert_outcomes": {
            "ids": [new_id()],
            "pattern_ids": [PATTERN],
            "agreed": [True],
            "other_pattern_ids": [None],
            "recorded": True,
            "reason": "smuggled",
            "now": SEEN,
        },
        f"{package}.list_outcomes": {"pattern_id": PATTERN},
        f"{package}.insert_decision": {
            **counts,
            "id": new_id(),
            "pattern_id": PATTERN,
            "decided_at": SEEN,
            "approved": False,
            "threshold": 0.4,
            "threshold_source": 1,
        },
        f"{package}.list_decisions": {"pattern_id": PATTERN},
        f"{package}.get_threshold": {"type": TYPE},
        f"{package}.set_threshold": {"type": "smuggled", "threshold": 0.1},
    }

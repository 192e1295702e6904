"""An exhausted budget, and parameters with which every statement of costs affects it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id

BUDGET, BATCH = UUID(int=91), UUID(int=92)
BEGAN = datetime(2001, 2, 3, tzinfo=UTC)
LATER = datetime(2100, 1, 1, tzinfo=UTC)


def insert_costs(
    conn: psycopg.Connection, namespace_id: int, conversation_id: UUID, words: str
) -> None:
    """Store a call, a monthly budget, the amount charged to it, and its events."""
    conn.execute(
        "INSERT INTO usage_ledger (namespace_id, own, task, model, outcome, seconds, run_id, conversation_id, batch_id,"
        " called_at) VALUES (%s, false, 'chat', %s, 'ok', 0, %s, %s, %s, %s)",
        [namespace_id, words, words, conversation_id, BATCH, BEGAN],
    )
    conn.execute(
        "INSERT INTO budgets (namespace_id, id, period, scope, scope_value, max_tokens, warn_percent) "
        "VALUES (%s, %s, 2, 3, %s, 10, 80)",
        [namespace_id, BUDGET, words],
    )
    conn.execute(
        "INSERT INTO budget_spending (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls) "
        "VALUES (%s, %s, month_of(now(), 'UTC'), 1, 10, 1, 0)",
        [namespace_id, BUDGET],
    )
    for exceeded in (False, True):
        conn.execute(
            "INSERT INTO budget_events (namespace_id, budget_id, period, exceeded, cost, tokens, currency, max_tokens, "
            "warn_percent, batch_id) VALUES (%s, %s, month_of(now(), 'UTC'), %s, 1, 10, '', 10, 80, %s)",
            [namespace_id, BUDGET, exceeded, BATCH],
        )


def cost_parameters(conversation_id: UUID, words: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of the cost statements, by statement name."""
    package = "everword_ingest.costs"
    known = {"budget_id": BUDGET, "month": f"{datetime.now(UTC):%Y-%m}"}
    key = {"period": 2, "scope": 3, "scope_value": words}
    limits = {"max_cost": None, "currency": "", "max_tokens": 5, "warn_percent": 80}
    any_call = dict.fromkeys(
        ("models", "providers", "agents", "conversation_ids", "run_ids", "own")
    )
    return {
        "everword.costs.insert_usage": {"records": Jsonb([]), "batch_id": BATCH},
        "everword.costs.lock_budget_changes": {},
        "everword.costs.find_spent_budget": {
            "model": words,
            "conversation_id": conversation_id,
            "now": None,
        },
        f"{package}.lock_budgets": {},
        f"{package}.count_conversations": {"ids": [conversation_id]},
        f"{package}.list_recorded": {"batch_id": BATCH},
        f"{package}.find_budget": key,
        f"{package}.count_budgets": {},
        f"{package}.upsert_budget": {**key, **limits, "id": new_id()},
        f"{package}.clear_spending": known,
        f"{package}.count_past": {**known, "since": BEGAN, "time_zone": "UTC", "periods": []},
        f"{package}.end_embedding_pauses": {},
        f"{package}.find_reached": {
            **known,
            "old_max_cost": None,
            "old_max_tokens": None,
            "old_warn_percent": 100,
        },
        f"{package}.add_events": {"reached": "[]", "batch_id": BATCH},
        f"{package}.delete_budget": known,
        f"{package}.list_budget_usage": {
            **known,
            "agent": None,
            "model": "",
            "run_id": "",
            "after": None,
        },
        f"{package}.list_events": {"batch_id": BATCH},
        f"{package}.sum_costs": {
            **any_call,
            "start": BEGAN,
            "end": LATER,
            "group_by": ["model"],
            "time_zone": "UTC",
            "after": None,
        },
    }

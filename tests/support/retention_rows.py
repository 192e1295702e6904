"""A policy and a running retention run, and parameters with which every statement of retention affects them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

RUN, HOLD = UUID(int=96), UUID(int=94)
FIRST = UUID(int=0)
#: Kinds with existing rows, whose statements page by id.
PAGED = ("notes", "note_versions", "document_versions", "facts", "patterns", "history")
EARLY, LATE = datetime(1, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def insert_retention(conn: psycopg.Connection, namespace_id: int) -> None:
    conn.execute(
        "INSERT INTO retention_policies (namespace_id, kind, keep_days) VALUES (%s, 1, 30)",
        [namespace_id],
    )
    conn.execute(
        "INSERT INTO retention_runs (namespace_id, id, error) VALUES (%s, %s, 'of another one')",
        [namespace_id, RUN],
    )
    conn.execute(
        "INSERT INTO legal_holds (namespace_id, id, subject, reason) VALUES (%s, %s, 'held', 'of another one')",
        [namespace_id, HOLD],
    )
    # A later version ends the version before.
    conn.execute(
        "INSERT INTO note_versions (namespace_id, note_id, version, id, content, subject) "
        "SELECT namespace_id, note_id, version + 7, gen_random_uuid(), content, subject FROM note_versions "
        "WHERE namespace_id = %s ORDER BY version DESC LIMIT 1",
        [namespace_id],
    )
    conn.execute(
        "INSERT INTO document_versions (namespace_id, document_id, version, id, content, chars, subject) "
        "SELECT namespace_id, document_id, version + 7, gen_random_uuid(), content, chars, subject "
        "FROM document_versions WHERE namespace_id = %s ORDER BY version DESC LIMIT 1",
        [namespace_id],
    )


def retention_parameters(conversation_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the retention statements, by statement name."""
    package = "everword_ingest.retention"
    held: dict[str, Any] = {"subjects": [], "conversations": []}
    counted = {
        **held,
        "everything": False,
        "kind": 1,
        "until": LATE,
        "highest": 5,
        "whole_conversations": False,
    }
    paged = {**held, "until": LATE, "lowest": 1, "highest": 5, "after_id": FIRST}
    policy = {
        "keep_days": 9,
        "keep_importance": 0,
        "max_per_run": 0,
        "keep_quotes": False,
        "whole_conversations": False,
    }
    run = {"run_id": RUN}
    place = {"kind": 1, "importance": 1, "after_time": None, "after_id": None}
    return {
        f"{package}.set_policy": {"kind": 2, **policy},
        f"{package}.delete_policy": {"kind": 1},
        f"{package}.preview_retained": counted,
        **{f"{package}.page_{name}": paged for name in PAGED},
        f"{package}.lock_expired_conversations": {"until": LATE, "after_id": None},
        f"{package}.page_conversation_messages": {**paged, "conversation_ids": [conversation_id]},
        f"{package}.page_messages": {**paged, "after_time": EARLY},
        f"{package}.insert_hold": {
            "hold_id": UUID(int=95),
            "subject": None,
            "conversation_id": conversation_id,
            "reason": "smuggled",
        },
        f"{package}.find_hold": {
            "subject": "held",
            "conversation_id": None,
            "reason": "of another one",
        },
        f"{package}.lock_conversation": {"conversation_id": conversation_id},
        f"{package}.list_holds": {"after_id": None},
        f"{package}.delete_hold": {"hold_id": HOLD},
        f"{package}.begin_run": {"run_id": UUID(int=97), "night": None},
        f"{package}.list_runs": {"before_id": None},
        f"{package}.lock_run": run,
        f"{package}.advance_run": {
            **run,
            **place,
            "removed": Jsonb({}),
            "row_counts": Jsonb({}),
        },
        f"{package}.finish_run": run,
        f"{package}.fail_run": {**run, "error": "smuggled"},
    }

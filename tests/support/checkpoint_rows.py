"""A checkpoint, and parameters with which every statement of checkpoints affects it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id

CHECKPOINT, OLDER = UUID(int=91), UUID(int=92)
NAME = "Xanthippe's plan"


def insert_checkpoints(
    conn: psycopg.Connection, namespace_id: int, conversation_id: UUID, words: str
) -> None:
    """Store two versions of a checkpoint, since the latest one alone is never deleted."""
    place = [namespace_id, conversation_id]
    conn.execute(
        "INSERT INTO checkpoint_counters (namespace_id, conversation_id, version) VALUES (%s, %s, 1)",
        place,
    )
    for version, id_ in enumerate((OLDER, CHECKPOINT), 1):
        conn.execute(
            "INSERT INTO checkpoints (namespace_id, conversation_id, id, name, version, media_type, state, "
            "state_bytes, body_hash) VALUES (%s, %s, %s, %s, %s, %s, %s, 5, 'hash')",
            [*place, id_, NAME, version, words, b"state"],
        )


def checkpoint_parameters(conversation_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the checkpoint statements, by statement name."""
    package = "everword_ingest.checkpoints"
    place = {"conversation_id": conversation_id, "name": NAME}
    return {
        f"{package}.find_conversation": {"conversation_id": conversation_id},
        f"{package}.next_version": {"conversation_id": conversation_id},
        f"{package}.find_latest": place,
        f"{package}.find_checkpoint": {"checkpoint_id": CHECKPOINT},
        f"{package}.count_names": {"conversation_id": conversation_id},
        f"{package}.insert_checkpoint": {
            **place,
            "id": new_id(),
            "version": 3,
            "parent_id": None,
            "media_type": "",
            "state": b"new",
            "state_bytes": 3,
            "metadata": None,
            "body_hash": b"new",
        },
        f"{package}.drop_oldest": {**place, "max_versions": 0, "max_bytes": 0},
        f"{package}.get_checkpoint": {"checkpoint_id": CHECKPOINT},
        f"{package}.list_checkpoints": {**place, "all_versions": True, "before_version": None},
        f"{package}.delete_checkpoints": {
            "checkpoint_id": CHECKPOINT,
            "conversation_id": None,
            "name": None,
        },
    }

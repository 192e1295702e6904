"""A running erasure, and parameters with which every statement of erasures affects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg

ERASURE = UUID(int=95)


def insert_erasure(conn: psycopg.Connection, namespace_id: int, words: str) -> None:
    conn.execute(
        "INSERT INTO erasures (namespace_id, id, kind, target_name, target_hash, requested_by) "
        "VALUES (%s, %s, 3, %s, %s, %s)",
        [namespace_id, ERASURE, words, b"hash of a target", words],
    )
    conn.execute(
        "INSERT INTO erased_external_ids (namespace_id, hash) "
        "SELECT id, sha256(salted_hash(erasure_salt, '', '', '') || 'erased') FROM namespaces WHERE id = %s",
        [namespace_id],
    )


def erasure_parameters(
    message_ids: Sequence[UUID], author: str, subject: str
) -> dict[str, dict[str, Any]]:
    """Return parameters for the statements of erasures, by their names."""
    package = "everword_ingest.erasure"
    return {
        f"{package}.find_target": {"kind": 1, "target_id": message_ids[0]},
        f"{package}.similar_subjects": {"name": subject[:-1], "least": 0.3, "limit": 3},
        f"{package}.similar_authors": {"name": author[:-1], "least": 0.3, "limit": 3},
        f"{package}.get_erasure": {"erasure_id": ERASURE},
        f"{package}.list_erasures": {"before_id": None, "limit": 9},
        f"{package}.fail_erasure": {"erasure_id": ERASURE, "error": "smuggled"},
        f"{package}.find_erased_ids": {
            **dict.fromkeys(("channel", "agent", "session_key"), ""),
            "external_ids": ["erased"],
        },
    }

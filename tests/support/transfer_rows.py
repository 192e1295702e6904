"""A running import, and parameters with which every statement of imports affects it."""

from __future__ import annotations

from typing import Any

import psycopg


def insert_import(conn: psycopg.Connection, namespace_id: int) -> None:
    """Store the progress of an import."""
    conn.execute(
        "INSERT INTO namespace_imports (namespace_id, lines, digest) VALUES (%s, 2, 'two lines')",
        [namespace_id],
    )


def transfer_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of the import statements, by statement name."""
    package = "everword_ingest.transfer"
    lines = {"lines": 3, "digest": b"three lines"}
    return {f"{package}.begin_import": lines, f"{package}.advance_import": lines}

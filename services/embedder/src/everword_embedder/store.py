"""EmbedderService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.pool import Connection
from everword.db.statements import fetch_value, load_statements
from everword.db.typed_statements import statement
from everword.domain.credentials import CredentialPolicy
from everword_embedder.providers.generation import ModelGeneration

SQL = load_statements("everword_embedder")


@dataclass(frozen=True)
class CoverageRow:
    """Counts of pending and of parked passages of a model generation, each up to the cap."""

    pending: int
    failed: int


@statement(SQL)
async def count_pending(conn: Connection, generation_id: int, cap: int) -> CoverageRow: ...


@statement(SQL)
async def read_generation(conn: Connection, generation_id: int) -> ModelGeneration | None:
    """Read a generation, or the active one for 0; None if there is no such generation."""


@statement(SQL)
async def note_other_languages(conn: Connection, generation_id: int) -> None:
    """Store that a generation has embedded a text that is not English."""


async def masks_credentials(conn: Connection, namespace_id: int) -> bool:
    """Return whether credentials are masked in texts sent to third parties; True for an unknown namespace."""
    parameters = {"namespace_id": namespace_id}
    policy: int | None = await fetch_value(conn, SQL["read_credentials"], parameters)
    return policy != CredentialPolicy.KEEP

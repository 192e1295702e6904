"""The database for a job that writes through functions which wait without blocking, such as the one writer of facts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from everword.db.pool import Database
from everword.db.settings import DatabaseSettings
from everword_compactor.settings import SERVICE


@asynccontextmanager
async def open_database(settings: DatabaseSettings) -> AsyncIterator[Database]:
    """Yield the database with one connection, for as long as the job writes."""
    database = Database(replace(settings, pool_min=1, pool_max=1), SERVICE)
    await database.open()
    try:
        yield database
    finally:
        await database.close()

"""Tells the metrics how many vectors are pending, and since when."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword.telemetry import names
from everword.telemetry.tracing import gauge
from everword_embedder.coverage import COUNT_CAP
from everword_embedder.queue import store


def record_backlog(database: BlockingDatabase) -> None:
    """Record the length of the queue over all namespaces, up to a cap, and the age of its oldest entry."""
    with database.connection() as conn:
        backlog = store.measure_backlog(conn, COUNT_CAP)
    gauge(names.EMBED_PENDING, "{passage}").set(backlog.pending)
    gauge(names.EMBED_PENDING_AGE, "s").set(backlog.oldest_s)

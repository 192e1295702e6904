"""A database that was filled before it was distributed over the nodes of a cluster."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from uuid import UUID

import psycopg

from everword.db.migrate import create_service_login, migrate
from support.callers import make_namespaces, within
from support.calls import append_request, message
from support.citus_cluster import Cluster
from support.databases import LOGIN, PASSWORD, DatabaseUnderTest
from support.every_row import insert_every_row
from support.stack import running_stack

WORDS = "xylophone concerto in auth.rs"
AGENT = "xenia"


@dataclass(frozen=True)
class Distributed:
    """A cluster whose database is distributed. Namespace `theirs` is full, and `ours` is empty."""

    cluster: Cluster
    database: DatabaseUnderTest
    ours: int
    theirs: int
    #: Rows by table before the distribution.
    rows: dict[str, int]


def distribute_filled(cluster: Cluster) -> Distributed:
    """Create the schema and rows of every kind on the coordinator, and distribute them."""
    database = cluster.database
    migrate(database.admin_url, partitions=1)
    create_service_login(database.admin_url, LOGIN, PASSWORD)
    conversation_id = UUID(asyncio.run(_fill(database)))
    with database.connect() as conn:
        ids: dict[str, int] = dict(conn.execute("SELECT name, id FROM namespaces").fetchall())
        rows = conn.execute("SELECT source_id FROM memories ORDER BY id").fetchall()
        messages = [source_id for (source_id,) in rows]
        insert_every_row(conn, ids["theirs"], conversation_id, messages, WORDS)
        conn.execute(
            "INSERT INTO memory_vectors_1 SELECT namespace_id, id, array_fill(0.05::real, ARRAY[384])::halfvec "
            "FROM memories"
        )
        counts = count_rows(conn)
    migrate(database.admin_url, distributed=True)
    return Distributed(cluster, database, ids["ours"], ids["theirs"], counts)


async def _fill(database: DatabaseUnderTest) -> str:
    """Create both namespaces, and append to `theirs`; return the id of the conversation."""
    async with running_stack(database, embedder=False) as stack:
        await make_namespaces(stack, "ours", "theirs")
        call = message("", tool_name="play", tool_args=WORDS)
        request = append_request(message(WORDS), message(WORDS), call, request_id="theirs")
        request.conversation.key.agent = AGENT
        stored = await stack.ingest.AppendMessages(request, metadata=within("theirs"))
        return stored.conversation_id


def count_rows(conn: psycopg.Connection) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = conn.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'everword'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition"
    ).fetchall()
    counts: dict[str, int] = {}
    for (table,) in tables:
        row = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
        counts[table] = row[0] if row else 0
    return counts

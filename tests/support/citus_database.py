"""A database that was filled before it was distributed over the nodes of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from everword.db.migrate import create_service_login, migrate
from support.citus_cluster import Cluster
from support.citus_statements import count_rows_of_statements
from support.databases import LOGIN, PASSWORD, DatabaseUnderTest
from support.filled_database import fill_database
from support.statement_parameters import Filled

AGENT = "xenia"


@dataclass(frozen=True)
class Distributed:
    """A cluster whose database is distributed. Namespace `theirs` is full, and `ours` is empty."""

    cluster: Cluster
    filled: Filled
    #: Rows by table before the distribution, and after it.
    rows_before: dict[str, int]
    rows_after: dict[str, int]
    #: Rows by statement before the distribution.
    statement_rows: dict[str, int]

    @property
    def database(self) -> DatabaseUnderTest:
        return self.filled.database

    @property
    def ours(self) -> int:
        return self.filled.ours

    @property
    def theirs(self) -> int:
        return self.filled.theirs


def distribute_filled(cluster: Cluster) -> Distributed:
    """Create the schema and rows of every kind on the coordinator, and distribute them."""
    database = cluster.database
    migrate(database.admin_url)
    create_service_login(database.admin_url, LOGIN, PASSWORD)
    filled = fill_database(database, empty=database, agent=AGENT)
    with database.connect() as conn:
        counts = count_rows(conn)
    statement_rows = count_rows_of_statements(filled)
    migrate(database.admin_url, distributed=True)
    with database.connect() as conn:
        after = count_rows(conn)
    return Distributed(cluster, filled, counts, after, statement_rows)


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

"""Tables, policies and rows on the nodes of a distributed database."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from unittest.mock import patch

import psycopg
import pytest

from everword.db import distribution
from everword.db.distribution import DistributionError, placement
from everword.db.generations import Generations, NewGeneration
from everword.db.migrate import migrate
from everword.db.roles import SCOPED_ROLES, SERVICE_ROLES
from support.citus_cluster import connect
from support.citus_database import AGENT, Distributed
from support.isolation import NOT_ISOLATED

#: Session settings that show shards in the catalogue.
SHOW_SHARDS = "SET citus.override_table_visibility = off"
_SHARD = re.compile(r"(\w+?)(?:_p0)?_(\d{6,})")
Policy = tuple[str, str, str, str, str, str | None, str | None]


def test_tables_are_placed_as_listed_with_their_rows(distributed: Distributed) -> None:
    with distributed.database.connect() as conn:
        placed: dict[str, str] = dict(
            conn.execute(
                "SELECT c.relname, CASE p.partmethod WHEN 'h' THEN 'distributed' WHEN 'n' THEN 'reference' END "
                "FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid "
                "WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            ).fetchall()
        )
        colocated = conn.execute(
            "SELECT DISTINCT colocation_id FROM citus_tables WHERE citus_table_type = 'distributed'"
        ).fetchall()
    assert {table: kind or "local" for table, kind in placed.items()} == {
        table: placement(table) for table in placed
    }
    before, after = distributed.rows_before, distributed.rows_after
    assert {table for table, count in before.items() if after[table] != count} == set()
    assert sum(count > 0 for count in after.values()) > 60
    assert len(colocated) == 1


def test_migrate_again_changes_nothing(distributed: Distributed) -> None:
    with distributed.database.connect() as conn:
        keys = (
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 ORDER BY 1"
        )
        before = conn.execute(keys).fetchall()
        assert migrate(distributed.database.admin_url) == []
        assert conn.execute(keys).fetchall() == before
        assert len(before) > 80


def test_migrate_refuses_workers(distributed: Distributed) -> None:
    with pytest.raises(DistributionError, match="this is a worker"):
        migrate(distributed.cluster.workers[0], distributed=True)


def test_distributed_tables_have_a_single_partition(distributed: Distributed) -> None:
    with distributed.database.connect() as conn:
        left = conn.execute(
            "SELECT inhparent::regclass::text, count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE c.relkind = 'r' AND c.relnamespace = 'everword'::regnamespace "
            "GROUP BY inhparent HAVING count(*) > 1"
        ).fetchall()
        assert left == []
        assert conn.execute("SELECT partitions FROM deployment").fetchone() == (1,)


def test_shards_have_the_policies_of_the_coordinator(distributed: Distributed) -> None:
    expected = _policies(distributed.cluster.coordinator)[0]
    assert sum(map(len, expected.values())) > 80
    for url in distributed.cluster.workers:
        tables, shards = _policies(url)
        for table, policies in expected.items():
            if placement(table) != "local":
                assert tables[table] == policies, table
                assert shards[table], table
                for found in shards[table]:
                    assert found == policies, table
                _ensure_one_permissive(table, policies)


def _policies(url: str) -> tuple[dict[str, set[Policy]], dict[str, list[set[Policy]]]]:
    """Return the policies of tables, and those of each shard, by table."""
    with connect(url) as conn:
        conn.execute(SHOW_SHARDS)
        rows = conn.execute(
            "SELECT tablename, policyname, permissive, roles::text, cmd, qual, with_check FROM pg_policies "
            "WHERE schemaname = 'everword'"
        ).fetchall()
    tables: dict[str, set[Policy]] = defaultdict(set)
    shards: dict[tuple[str, str], set[Policy]] = defaultdict(set)
    for name, *policy in rows:
        match = _SHARD.fullmatch(name)
        group = shards[match[1], match[2]] if match else tables[name]
        group.add(tuple(policy))
    by_table: dict[str, list[set[Policy]]] = defaultdict(list)
    for (table, _), policies in shards.items():
        by_table[table].append(policies)
    return tables, by_table


def _ensure_one_permissive(table: str, policies: set[Policy]) -> None:
    """Policies of one role and command are joined by OR."""
    applied: Counter[tuple[str, str]] = Counter()
    for _, permissive, roles, command, *_ in policies:
        assert permissive == "PERMISSIVE", table
        for role in roles.strip("{}").split(","):
            for each in (
                ("SELECT", "INSERT", "UPDATE", "DELETE") if command == "ALL" else (command,)
            ):
                applied[role, each] += 1
    assert set(applied.values()) == {1}, table


@pytest.mark.parametrize("role", SERVICE_ROLES + SCOPED_ROLES)
def test_role_on_a_node_sees_rows_of_its_own_namespace_only(
    distributed: Distributed, role: str
) -> None:
    """With SQL on the shards themselves, around the coordinator."""
    own = 0
    for url in distributed.cluster.workers:
        tables = _readable_tables(url, role)
        assert tables
        own += sum(_count(url, role, tables, distributed.theirs, distributed.theirs).values())
        foreign = _count(url, role, tables, distributed.ours, distributed.theirs)
        assert {table for table, count in foreign.items() if count} == set()
    assert own > 5


def _readable_tables(url: str, role: str) -> list[str]:
    """Return the shards and partitions of isolated tables that a role may read."""
    with connect(url) as conn:
        conn.execute(SHOW_SHARDS)
        rows = conn.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id' "
            "WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname ~ '_[0-9]{6,}$' "
            "AND has_column_privilege(%s, c.oid, a.attnum, 'SELECT')",
            [role],
        ).fetchall()
    named = [(name, _SHARD.fullmatch(name)) for (name,) in rows]
    return [name for name, match in named if match and match[1] not in NOT_ISOLATED]


def _count(url: str, role: str, tables: list[str], bound: int, counted: int) -> dict[str, int]:
    """Return the visible rows of a namespace by table, for a role that is bound to a namespace."""
    login = url.replace("everword_owner@", f"{role}@")
    counts = {}
    with connect(login) as conn:
        conn.execute(
            "SELECT set_config('everword.namespace_id', %s, false), set_config('everword.agent', %s, false)",
            [str(bound), AGENT if role in SCOPED_ROLES else ""],
        )
        for table in tables:
            row = conn.execute(
                f"SELECT count(namespace_id) FROM {table} WHERE namespace_id = {counted}".encode()
            ).fetchone()
            counts[table] = row[0] if row else 0
    return counts


def test_role_on_a_node_adds_no_rows_to_another_namespace(distributed: Distributed) -> None:
    refused = 0
    for url in distributed.cluster.workers:
        with connect(url) as conn:
            conn.execute(SHOW_SHARDS)
            shards = conn.execute(
                "SELECT relname FROM pg_class WHERE relname ~ '^author_names_[0-9]{6,}$'"
            ).fetchall()
        with connect(url.replace("everword_owner@", "everword_ingest@")) as conn:
            conn.execute(
                "SELECT set_config('everword.namespace_id', %s, false)", [str(distributed.ours)]
            )
            for (shard,) in shards:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    conn.execute(f"INSERT INTO {shard} SELECT {distributed.theirs}, 'a'".encode())
                refused += 1
    assert refused


def test_later_tables_are_distributed_with_their_foreign_keys(distributed: Distributed) -> None:
    """As the next run of `migrate` does with the tables of a new release."""
    names = {"later_books", "later_pages"}
    with (
        patch.object(distribution, "DISTRIBUTED", distribution.DISTRIBUTED | names),
        distributed.database.connect() as conn,
    ):
        with conn.transaction():
            conn.execute(
                """SET LOCAL citus.enable_ddl_propagation = off;
                CREATE TABLE later_books (namespace_id bigint REFERENCES namespaces, id uuid,
                    PRIMARY KEY (namespace_id, id));
                CREATE TABLE later_pages (namespace_id bigint, id uuid, book_id uuid, PRIMARY KEY (namespace_id, id),
                    FOREIGN KEY (namespace_id, id) REFERENCES later_books)"""
            )
        migrate(distributed.database.admin_url)
        try:
            assert _placed(conn) >= {("later_books", "distributed"), ("later_pages", "distributed")}
            keys = conn.execute(
                "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text LIKE 'later_%'"
            ).fetchone()
            assert keys == (2,)
        finally:
            conn.execute("DROP TABLE later_pages, later_books")


def test_vectors_of_a_new_model_are_distributed(distributed: Distributed) -> None:
    generations = Generations(distributed.database.admin_url)
    id_ = generations.add(NewGeneration(provider="local", model="later", dimensions=8))
    with distributed.database.connect() as conn:
        assert (f"memory_vectors_{id_}", "distributed") in _placed(conn)
    assert generations.get(id_).passages > 0


def _placed(conn: psycopg.Connection) -> set[tuple[str, str]]:
    rows = conn.execute(
        "SELECT c.relname, citus_table_type FROM citus_tables t JOIN pg_class c ON c.oid = t.table_name"
    ).fetchall()
    return set(rows)

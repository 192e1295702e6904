"""Run every check over a database, namespace by namespace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg

from everword.db.migrate import SCHEMA_ROLES, latest_version, required_version
from everword.integrity.catalogue import (
    DATABASE,
    NAMESPACE,
    Check,
    load_checks,
    reference_checks,
)

#: Rows of a table that a statement looks at.
BATCH = 5_000
#: Violations of one check in a namespace that are listed; all are counted.
EXAMPLES = 5
_OPTIONS = (
    "-c search_path=everword,public -c timezone=UTC -c jit=off -c default_transaction_read_only=on "
    "-c statement_timeout=10min -c lock_timeout=10s -c plan_cache_mode=force_custom_plan"
)
_FIRST = {"uuid": "00000000-0000-0000-0000-000000000000", "bigint": -(2**63)}


@dataclass
class IntegrityFinding:
    """A violated check: in a namespace, or of the database if that is empty."""

    check: Check
    namespace: str
    count: int = 0
    #: The first ids, each with the problem.
    examples: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Namespace:
    """A namespace that is verified."""

    id: int
    name: str


def connect(admin_url: str) -> psycopg.Connection:
    """Connect as the owner, to read only."""
    return psycopg.connect(
        admin_url,
        autocommit=True,
        options=_OPTIONS,
        prepare_threshold=None,
        application_name="everword-verify",
    )


def list_namespaces(conn: psycopg.Connection, after: str = "") -> list[Namespace]:
    """Return the namespaces that are not being deleted, by their names: those that come after one."""
    rows = conn.execute(
        'SELECT id, name FROM namespaces WHERE state = \'active\' AND name COLLATE "C" > %s ORDER BY name COLLATE "C"',
        [after],
    )
    return [Namespace(*row) for row in rows.fetchall()]


def count_rows(conn: psycopg.Connection, namespace: Namespace) -> int:
    """Return about how many rows of a namespace are walked, as far as counters tell."""
    row = conn.execute(
        "SELECT coalesce(sum(conversations + messages + 2 * passages), 0)::bigint "
        "FROM corpus_counts WHERE namespace_id = %s",
        [namespace.id],
    ).fetchone()
    return int(row[0]) if row else 0


def stretches(
    conn: psycopg.Connection, table: str, key: str, namespace_id: int, batch: int = BATCH
) -> Iterator[tuple[Any, Any, int]]:
    """Yield stretches of a namespace's rows by their keys: after which, up to which, and how many rows."""
    [type_] = conn.execute(
        "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s",
        [table, key],
    ).fetchone() or [""]
    after: Any = _FIRST[type_]
    while True:
        row = conn.execute(
            f"SELECT (array_agg({key} ORDER BY {key} DESC))[1], count(*) FROM (SELECT {key} FROM {table}"
            f" WHERE namespace_id = %s AND {key} > %s ORDER BY {key} LIMIT %s) AS stretch".encode(),
            [namespace_id, after, batch],
        ).fetchone()
        if row is None or row[1] == 0:
            return
        yield after, row[0], row[1]
        if row[1] < batch:
            return
        after = row[0]


def find_rows(
    conn: psycopg.Connection, check: Check, namespace_id: int, generation: int | None = None
) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield the number of checked rows and the violations, for each range of a table."""
    named = check if generation is None else _of_generation(check, generation)
    for after, last, rows in stretches(conn, named.over, named.key, namespace_id):
        node_range = {"namespace_id": namespace_id, "after": after, "last": last}
        yield rows, conn.execute(named.sql.encode(), node_range).fetchall()


class Verifier:
    """Checks over one database: all, unless some are named."""

    def __init__(self, conn: psycopg.Connection, checks: Sequence[Check] | None = None) -> None:
        self._conn = conn
        self._generations = [
            row[0]
            for row in conn.execute("SELECT id FROM model_generations ORDER BY id").fetchall()
        ]
        by_table = defaultdict[tuple[str, str], list[Check]](list)
        if checks is None:
            checks = [*load_checks(), *reference_checks(conn)]
        for check in checks:
            by_table[check.over, check.key].append(check)
        self._whole = by_table.pop((NAMESPACE, ""), [])
        self._database = by_table.pop((DATABASE, ""), [])
        self._tables = by_table

    def verify_database(self) -> list[IntegrityFinding]:
        """Return the violations in the database as a whole."""
        parameters = {
            "required": required_version(),
            "latest": latest_version(),
            "roles": list(SCHEMA_ROLES),
        }
        return list(self._run(self._database, "", parameters))

    def verify_namespace(
        self, namespace: Namespace, advanced: Callable[[int], None] = lambda rows: None
    ) -> list[IntegrityFinding]:
        """Return the violations in a namespace; `advanced` is called with the number of checked rows."""
        scope = {"namespace_id": namespace.id}
        found = _Findings(namespace.name)
        found.add(self._run(self._whole, namespace.name, scope))
        for (table, key), checks in self._tables.items():
            for named, within in self._of_generations(table, checks):
                for after, last, rows in stretches(self._conn, named, key, namespace.id):
                    node_range = {**scope, "after": after, "last": last}
                    found.add(self._run(within, namespace.name, node_range))
                    advanced(rows)
        return found.all

    def _of_generations(
        self, table: str, checks: Sequence[Check]
    ) -> Iterator[tuple[str, Sequence[Check]]]:
        """Yield a table with its checks; one of vectors once for each generation."""
        if ":vectors" not in table:
            yield table, checks
            return
        for generation in self._generations:
            named = [_of_generation(each, generation) for each in checks]
            yield f"memory_vectors_{generation}", named

    def _run(
        self, checks: Sequence[Check], namespace: str, parameters: dict[str, Any]
    ) -> Iterator[IntegrityFinding]:
        for check in checks:
            each = [check]
            if ":generation" in check.sql or ":vectors" in check.sql:
                each = [_of_generation(check, generation) for generation in self._generations]
            for one in each:
                rows = self._conn.execute(one.sql.encode(), parameters).fetchall()
                if rows:
                    yield IntegrityFinding(check, namespace, len(rows), rows[:EXAMPLES])


class _Findings:
    """Findings of a namespace, one for each check."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._by_name = dict[str, IntegrityFinding]()

    def add(self, findings: Iterator[IntegrityFinding]) -> None:
        for each in findings:
            known = self._by_name.setdefault(
                each.check.name, IntegrityFinding(each.check, self._namespace)
            )
            known.count += each.count
            known.examples += each.examples[: EXAMPLES - len(known.examples)]

    @property
    def all(self) -> list[IntegrityFinding]:
        return list(self._by_name.values())


def _of_generation(check: Check, generation: int) -> Check:
    vectors = f"memory_vectors_{generation}"
    sql = check.sql.replace(":vectors", vectors).replace(":generation", str(generation))
    return replace(check, over=check.over.replace(":vectors", vectors), sql=sql)


def verify_everything(admin_url: str) -> list[IntegrityFinding]:
    """Return all that does not hold in a database."""
    with connect(admin_url) as conn:
        verifier = Verifier(conn)
        found = verifier.verify_database()
        for namespace in list_namespaces(conn):
            found += verifier.verify_namespace(namespace)
        return found

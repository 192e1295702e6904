"""Named statements on a distributed database: whether they run, and in how many tasks on the nodes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, LiteralString
from uuid import UUID

import psycopg

from everword.db.statements import Statement, load_statements
from support.isolation import ISOLATED, all_statements, role_of, tables_of
from support.query_trees import prepare
from support.statement_parameters import Filled, parameters_of

_NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
_DATABASE = load_statements("everword.db")
#: Values of parameters by their type, for parameters without a value by name.
_VALUES: dict[str, Any] = {
    **dict.fromkeys(("bigint", "integer", "smallint"), 1),
    **dict.fromkeys(("real", "double precision"), 1.0),
    "boolean": False,
    "numeric": Decimal(1),
    "text": "x",
    "bytea": b"x",
    "jsonb": "[]",
    "regconfig": "english",
    "uuid": UUID(int=5),
    "date": _NOW.date(),
    "timestamp with time zone": _NOW,
    "interval": timedelta(days=1),
    "pg_lsn": "0/0",
    "tsquery": "'x'",
    "halfvec": f"[{','.join(['0.05'] * 384)}]",
}
_SETTINGS = json.dumps(
    {
        "time_zone": "UTC",
        "day_cutoff_minutes": 0,
        "text_search_config": "english",
        "use_counting": 1,
        "channel_policies": {},
        "credentials": 1,
        "sleep_atomicity": 1,
        "quarantine": False,
        "shared_calendar": False,
        "recalled_turns": 0,
        "recall_similarity": 0.5,
        "earlier_turns": 0,
        "erasure_salt": "\\x00",
        "created_at": "2026-07-01T12:00:00Z",
    }
)


def _special(filled: Filled) -> dict[str, dict[str, Any]]:
    return {
        "everword.db.begin_namespace": {"statement_timeout": "20s"},
        "everword.db.begin_scope": {"role": "everword_search_scoped"},
        "everword_search.passages.prepare_hnsw": {"in_sight": "40"},
        **{
            f"everword_search.records.use_{kind}_plans": {
                "statement_timeout": "20s",
                "similarity": "0.3",
            }
            for kind in ("custom", "generic")
        },
        "everword.facts.lock_sources": {"message_ids": filled.message_ids},
        "everword_ingest.transfer.insert_target": {"settings": _SETTINGS},
        "everword_ingest.costs.add_events": {"reached": "[]"},
        "everword_ingest.costs.list_prices": {"after": None},
        **{f"everword_ingest.transfer.{name}": {"record": "note"} for name in ("export_rows",)},
    }


def _parameters(
    conn: psycopg.Connection, filled: Filled, name: str, sql: LiteralString
) -> tuple[list[str], dict[str, Any]]:
    """Prepare a statement as `planned`; return the names of its parameters in order, and values for them."""
    names = prepare(conn, "planned", sql)
    row = conn.execute(
        "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'planned'"
    ).fetchone()
    assert row
    by_type = {each: _value(type_) for each, type_ in zip(names, row[0], strict=True)}
    by_name = parameters_of(name, filled)
    # A function that writes isolated tables has parameters by name, too.
    if tables_of(Statement(name, "", sql)) & ISOLATED or name == "everword.index.insert_passages":
        by_type |= by_name
    by_type["namespace_id"] = by_name["namespace_id"]
    return names, by_type | _special(filled).get(name, {})


def _value(type_: str) -> Any:
    if type_.endswith("[]"):
        return [_VALUES[type_.removesuffix("[]")]]
    return _VALUES[type_]


@dataclass(frozen=True)
class Ran:
    """A statement that ran, with the tasks of each part of its plan that Citus sends to nodes."""

    rows: int
    tasks: tuple[int, ...]
    #: Parts whose rows go over the coordinator.
    subplans: int

    @property
    def is_single(self) -> bool:
        """Return whether one node answers, or the coordinator from its own tables."""
        return sum(self.tasks) <= 1 and not self.subplans


#: Requires a namespace that is being imported.
_IMPORT = "everword_ingest.transfer.import_rows"
#: Every other statement, except those for a server without pgvector.
STATEMENTS: dict[str, LiteralString] = {
    f"{package}.{entry.name}": entry.sql
    for package, entry in all_statements()
    if not entry.name.endswith("_arrays") and f"{package}.{entry.name}" != _IMPORT
}


@contextmanager
def connections(filled: Filled) -> Iterator[dict[str, psycopg.Connection]]:
    """Yield an empty table of connections by role, which `run_statement` fills."""
    opened: dict[str, psycopg.Connection] = {}
    try:
        yield opened
    finally:
        for conn in opened.values():
            conn.close()


def count_rows_of_statements(filled: Filled) -> dict[str, int]:
    """Run every statement; return the number of rows of each."""
    with connections(filled) as opened:
        return {name: run_statement(opened, filled, name).rows for name in STATEMENTS}


def run_statement(opened: dict[str, psycopg.Connection], filled: Filled, name: str) -> Ran:
    """Run a statement as its service does, bound to `theirs`, and undo it. Raises psycopg's errors."""
    sql = STATEMENTS[name]
    # Not every role of the workers may delete jobs.
    role = "everword_compactor" if name == "everword.jobs.prune_done" else role_of(name)
    conn = _connected(opened, filled, role)
    try:
        _bind(conn, filled)
        names, parameters = _parameters(conn, filled, name, sql)
        rows = conn.execute(sql.encode(), parameters).rowcount
        conn.rollback()
        _bind(conn, filled)
        given = ", ".join(f"%({each})s" for each in names)
        execute = "EXPLAIN (COSTS OFF) EXECUTE planned" + (f"({given})" if names else "")
        with psycopg.ClientCursor(conn) as client:
            client.execute(execute.encode(), parameters)
            plan = "\n".join(line for (line,) in client.fetchall())
    finally:
        conn.rollback()
        conn.execute("DEALLOCATE ALL")
        conn.commit()
    tasks = tuple(int(count) for count in re.findall(r"Task Count: (\d+)", plan))
    return Ran(rows, tasks, plan.count("Distributed Subplan") + plan.count("INSERT/SELECT method"))


def _connected(
    opened: dict[str, psycopg.Connection], filled: Filled, role: str
) -> psycopg.Connection:
    conn = opened.get(role)
    if conn is None or conn.closed:
        options = f"-c role={role} -c search_path=everword,public -c timezone=UTC -c statement_timeout=20s"
        conn = opened[role] = psycopg.connect(
            filled.database.service_url, options=options, prepare_threshold=None
        )
    return conn


def _bind(conn: psycopg.Connection, filled: Filled) -> None:
    parameters = {"namespace_id": filled.theirs, "statement_timeout": "20s"}
    conn.execute(_DATABASE["begin_namespace"].sql.encode(), parameters)
    conn.execute(_DATABASE["send_settings"].sql.encode())

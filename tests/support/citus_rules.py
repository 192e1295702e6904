"""Finds what Citus refuses in a statement, or answers with more than one task, without running it.

The rules are those that docs/citus.md gives for statements. They follow PostgreSQL's own parse tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg

from everword.db.distribution import placement
from support.distribution import (
    INSERT,
    SELECT,
    SUBQUERY,
    TABLE,
    Analysis,
    Catalogue,
    Scope,
    equations_of,
    is_namespace,
    scopes_of,
)
from support.query_trees import Node, nodes, parse, parse_function

#: Kinds of nodes with a branch that Citus evaluates on the coordinator.
_BRANCHES = ("CASEEXPR", "COALESCEEXPR")
_CALLS = ("FUNCEXPR", "OPEXPR")
_IMMUTABLE, _VOLATILE = "i", "v"
_ANY_SUBLINK = "2"
#: Functions whose results belong to one node: transactions, snapshots, positions of the log and locks.
OF_ONE_NODE = re.compile(
    r"\b(pg_(current_xact_id\w*|current_snapshot|snapshot_\w+|current_wal\w*|last_wal\w*|xact_\w+)|txid_\w+"
    r"|pg_(try_)?advisory_\w+)\b"
)
#: Words of a function's body that read or write a table.
_TOUCHES = r"\b(FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?({tables})\b"


@dataclass(frozen=True)
class Database:
    """Tables and functions of the catalogue, by oid."""

    #: Names of distributed tables, and of views over them.
    distributed: dict[str, str]
    #: Tables with a copy on each node.
    reference: frozenset[str]
    #: Columns with a default that is not immutable, by name of the table.
    volatile_defaults: dict[str, frozenset[str]]
    #: `i`, `s` or `v` by function.
    volatility: dict[str, str]
    #: Functions that touch distributed tables.
    reading: dict[str, str]

    @classmethod
    def of(cls, conn: psycopg.Connection) -> Database:
        relations = conn.execute(
            "SELECT oid::text, relname, relkind FROM pg_class "
            "WHERE relnamespace = 'everword'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition"
        ).fetchall()
        distributed = {
            oid: name
            for oid, name, kind in relations
            if kind == "v" or placement(name) == "distributed"
        }
        functions = conn.execute(
            "SELECT p.oid::text, p.proname, p.provolatile, coalesce(p.prosrc, ''), "
            "       p.pronamespace = 'everword'::regnamespace FROM pg_proc p"
        ).fetchall()
        touches = re.compile(_TOUCHES.format(tables="|".join(distributed.values())))
        return cls(
            distributed,
            frozenset(
                oid
                for oid, name, kind in relations
                if kind != "v" and placement(name) == "reference"
            ),
            _volatile_defaults(conn),
            {oid: volatility for oid, _, volatility, _, _ in functions},
            {
                oid: name
                for oid, name, _, body, is_own in functions
                if is_own and (touches.search(body) or "EXECUTE" in body)
            },
        )

    def is_distributed(self, entry: Node) -> bool:
        return entry["rtekind"] == TABLE and entry["relid"] in self.distributed

    def is_on_nodes(self, entry: Node) -> bool:
        return self.is_distributed(entry) or (
            entry["rtekind"] == TABLE and entry["relid"] in self.reference
        )


def _volatile_defaults(conn: psycopg.Connection) -> dict[str, frozenset[str]]:
    rows = conn.execute(
        "SELECT c.relname, array_agg(a.attname::text) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        "WHERE c.relnamespace = 'everword'::regnamespace AND (a.attidentity <> '' "
        "   OR pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|random|clock_timestamp') GROUP BY 1"
    ).fetchall()
    return {name: frozenset(columns) for name, columns in rows}


def broken_rules(conn: psycopg.Connection, database: Database, statement: str) -> list[str]:
    """Return the rules that a statement breaks; they are sorted and said once."""
    if OF_ONE_NODE.search(statement):
        return ["value of one node"]
    query, parameters = parse(conn, statement)
    number = parameters.index("namespace_id") + 1 if "namespace_id" in parameters else 0
    return _broken(conn, database, [query], number)


def broken_by_function(conn: psycopg.Connection, database: Database, signature: str) -> list[str]:
    """Return the rules that the body of a function in SQL breaks, whose first argument may be the namespace."""
    return _broken(conn, database, parse_function(conn, signature), 1)


def _broken(
    conn: psycopg.Connection, database: Database, queries: list[Node], number: int
) -> list[str]:
    catalogue = Catalogue.of(conn)
    found: set[str] = set()
    for query in queries:
        crosses = bool(Analysis(catalogue, str(number)).untied(query))
        for scope in scopes_of(query):
            found.update(_broken_in(database, catalogue, scope, crosses=crosses))
    return sorted(found)


def _broken_in(
    database: Database, catalogue: Catalogue, scope: Scope, *, crosses: bool
) -> Iterator[str]:
    query = scope.query
    tables = [entry for entry in query["rtable"] or () if database.is_distributed(entry)]
    own = list(nodes([v for k, v in query.items() if k != "node"], into_queries=False))
    if tables:
        called = {node["funcid"] for node in own if node["node"] == "FUNCEXPR"}
        yield from (
            f"{database.reading[oid]} reads tables on a node"
            for oid in called & {*database.reading}
        )
    if crosses and _reads_distributed(database, query):
        if query["hasRecursive"] == "true":
            yield "recursion over namespaces"
        if len(tables) > 1:
            yield "join over namespaces"
        if tables and _is_correlated(own) and not _is_joined_by_namespace(catalogue, scope):
            yield "correlated subquery over namespaces"
    if query["commandType"] != SELECT and any(map(database.is_on_nodes, query["rtable"])):
        yield from _broken_by_change(database, scope, own)


def _is_correlated(own: list[Node]) -> bool:
    return any(node.get("varlevelsup", "0") != "0" for node in own)


def _is_joined_by_namespace(catalogue: Catalogue, scope: Scope) -> bool:
    """Return whether a subquery reads only the namespace of each row around it."""
    return any(
        is_namespace(catalogue, scope, column) and value.get("varlevelsup", "0") != "0"
        for left, right, _, _ in equations_of(scope)
        for column, value in ((left, right), (right, left))
    )


def _reads_distributed(database: Database, query: Node) -> bool:
    return any(
        node.get("rtekind") == TABLE and node.get("relid") in database.distributed
        for node in nodes(query)
        if node["node"] == "RANGETBLENTRY"
    )


def _broken_by_change(database: Database, scope: Scope, own: list[Node]) -> Iterator[str]:
    query = scope.query
    branches = [node for node in own if node["node"] in _BRANCHES]
    if any(_calls(database, branch, unless=_IMMUTABLE) for branch in branches):
        yield "function that is not immutable in CASE or COALESCE"
    if query["returningList"] and _calls(database, query["returningList"], but=_VOLATILE):
        yield "volatile function in RETURNING"
    if query["commandType"] != INSERT:
        return
    target = scope.table(int(query["resultRelation"]))
    if not database.is_distributed(target):
        return
    conflict = query["onConflict"]
    if conflict and _calls(database, conflict["onConflictSet"], unless=_IMMUTABLE):
        yield "function that is not immutable in DO UPDATE"
    selected = [entry for entry in query["rtable"] if entry["rtekind"] == SUBQUERY]
    if not selected:
        if any(node["node"] == "SUBLINK" for node in own):
            yield "subquery in VALUES"
        return
    given = {entry["resname"]: entry["expr"] for entry in query["targetList"]}
    if database.volatile_defaults.get(database.distributed[target["relid"]], frozenset()) - {
        *given
    }:
        yield "key by default in INSERT ... SELECT"
    yield from _broken_by_selection(database, selected[0]["subquery"], given["namespace_id"])


def _broken_by_selection(database: Database, selection: Node, namespace: Node) -> Iterator[str]:
    """Check the query of an INSERT ... SELECT, which runs where the namespace is."""
    if not any(database.is_distributed(entry) for entry in selection["rtable"] or ()):
        yield "INSERT ... SELECT without a table of the namespace"
    expression = selection["targetList"][int(namespace.get("varattno", "1")) - 1]["expr"]
    if expression["node"] == "PARAM":
        yield "namespace of INSERT ... SELECT from a parameter"
    if _calls(database, selection["targetList"], but=_VOLATILE):
        yield "volatile function in INSERT ... SELECT"


def _calls(database: Database, tree: Any, *, unless: str = "", but: str = "") -> bool:
    """Return whether a tree calls a function of another volatility than `unless`, or of the volatility `but`."""
    found = (
        database.volatility.get(node.get("funcid") or node.get("opfuncid") or "", _IMMUTABLE)
        for node in nodes(tree, into_queries=False)
        if node["node"] in _CALLS
    )
    return any(each != unless if unless else each == but for each in found)

"""Finds tables that a statement reads or writes without naming the namespace, as a distributed database would.

A table is tied to the namespace if the `namespace_id` of every row read equals the statement's parameter: by an
equation with the parameter, or with the column of another tied table. Row-level security does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

from support.query_trees import Node, nodes, parse

#: Replicated to every node, like all tables without a namespace.
NAMESPACES = "namespaces"
#: Oid of `bigint = bigint`.
EQUALS = "410"
TABLE, SUBQUERY, JOIN, VALUES, CTE, GROUP = "0", "1", "2", "5", "6", "9"
SELECT, INSERT = "1", "3"
_COMMANDS = {"2": "UPDATE", "3": "INSERT", "4": "DELETE"}
VIEW = "v"
#: Sides of a join that its condition restricts, by kind of join.
_RESTRICTED = {"0": ("larg", "rarg"), "1": ("rarg",), "3": ("larg",)}
_ANY_SUBLINK, _SUBLINK_PARAMETER = "2", "2"


@dataclass(frozen=True)
class Catalogue:
    """The tables and views that have a namespace, by oid."""

    names: dict[str, str]
    #: Number of the column `namespace_id`, by table.
    columns: dict[str, str]

    @classmethod
    def of(cls, conn: psycopg.Connection) -> Catalogue:
        rows = conn.execute(
            "SELECT c.oid::text, c.relname, a.attnum::text"
            "  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
            "   AND a.attname = CASE c.relname WHEN 'namespaces' THEN 'id' ELSE 'namespace_id' END"
        ).fetchall()
        return cls({oid: name for oid, name, _ in rows}, {oid: number for oid, _, number in rows})


@dataclass(eq=False)
class Scope:
    """A query within a statement."""

    query: Node
    parent: Scope | None
    children: list[Scope] = field(default_factory=list)
    #: Range table indexes of tables known to be tied.
    tied: set[int] = field(default_factory=set)

    def table(self, place: int) -> Node:
        entry: Node = self.query["rtable"][place - 1]
        return entry

    def above(self, levels: int) -> Scope:
        scope = self
        for _ in range(levels):
            assert scope.parent
            scope = scope.parent
        return scope

    def of(self, query: Node) -> Scope:
        return next(child for child in self.children if child.query is query)

    def places(self) -> list[int]:
        """Return the range table indexes of relations that the query reads or changes."""
        return _places(self.query["jointree"])


def untied_tables(conn: psycopg.Connection, statement: str) -> list[str]:
    """Return the tables, once per mention, in which a statement may touch any namespace."""
    query, parameters = parse(conn, statement)
    number = parameters.index("namespace_id") + 1 if "namespace_id" in parameters else 0
    return Analysis(Catalogue.of(conn), str(number)).untied(query)


def locks_or_changes_rows(conn: psycopg.Connection, statement: str) -> bool:
    query, _ = parse(conn, statement)
    return any(
        scope.query["rowMarks"] or scope.query["commandType"] != SELECT
        for scope in scopes_of(query)
    )


def written_views(conn: psycopg.Connection, statement: str) -> list[str]:
    """Return the views through which a statement changes rows."""
    query, _ = parse(conn, statement)
    changing = [s for s in scopes_of(query) if s.query["commandType"] != SELECT]
    targets = [scope.table(int(scope.query["resultRelation"])) for scope in changing]
    views = [target["relid"] for target in targets if target["relkind"] == VIEW]
    names = Catalogue.of(conn).names
    return sorted(names[oid] for oid in views)


def writes(conn: psycopg.Connection, statement: str) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each namespaced table that a statement writes, with its command and the named columns."""
    query, _ = parse(conn, statement)
    names = Catalogue.of(conn).names
    for scope in scopes_of(query):
        if command := _COMMANDS.get(scope.query["commandType"]):
            target = scope.table(int(scope.query["resultRelation"]))
            columns = {entry["resname"] for entry in scope.query["targetList"] or ()}
            yield names.get(target["relid"], ""), command, columns


def called_functions(conn: psycopg.Connection, statement: str) -> set[str]:
    query, _ = parse(conn, statement)
    oids = [int(node["funcid"]) for node in nodes(query) if node["node"] == "FUNCEXPR"]
    rows = conn.execute("SELECT proname FROM pg_proc WHERE oid = ANY(%s)", [oids]).fetchall()
    return {name for (name,) in rows}


class Analysis:
    """Determines which tables of a statement are tied to the namespace."""

    def __init__(self, catalogue: Catalogue, parameter: str) -> None:
        self._catalogue = catalogue
        self._parameter = parameter
        #: Recursive queries under analysis: their recursive part is tied if their first part is.
        self._open: set[int] = set()

    def untied(self, query: Node) -> list[str]:
        scopes = list(scopes_of(query))
        while any(self._tie(scope) for scope in scopes):
            pass
        return sorted(name for scope in scopes for name in self._untied_in(scope))

    def _tie(self, scope: Scope) -> bool:
        """Tie columns by the query's equations; return whether any new column was tied."""
        before = len(scope.tied)
        for left, right, within, of in equations_of(scope):
            for column, value in ((left, right), (right, left)):
                place = self._place(scope, column)
                if place in within and self._is_tied(value, of or scope, scope):
                    scope.tied.add(place)
        return len(scope.tied) > before

    def _place(self, scope: Scope, expression: Node) -> int:
        """Return the range table index of the table whose namespace column the expression is; 0 for other
        expressions.
        """
        return int(expression["varno"]) if is_namespace(self._catalogue, scope, expression) else 0

    def _is_tied(self, expression: Node | None, scope: Scope, outer: Scope | None = None) -> bool:
        """Return whether an expression equals the statement's namespace.

        `outer` is the scope that contains the expression, if not `scope`.
        """
        if expression is None:
            return False
        match expression["node"]:
            case "RELABELTYPE":
                return self._is_tied(expression["arg"], scope, outer)
            case "PARAM" if expression["paramkind"] == _SUBLINK_PARAMETER:
                return self._column_is_tied(scope, int(expression["paramid"]))
            case "PARAM":
                return bool(expression["paramid"] == self._parameter)
            case "VAR":
                home = (outer or scope).above(int(expression["varlevelsup"]))
                return self._variable_is_tied(home, expression)
        return False

    def _variable_is_tied(self, scope: Scope, variable: Node) -> bool:
        place, number = int(variable["varno"]), int(variable["varattno"])
        entry = scope.table(place)
        match entry["rtekind"]:
            case kind if kind == TABLE:
                is_namespace = self._catalogue.columns.get(entry["relid"]) == str(number)
                return is_namespace and place in scope.tied
            case kind if kind == SUBQUERY:
                return self._column_is_tied(scope.of(entry["subquery"]), number)
            case kind if kind == CTE:
                return self._column_is_tied(_cte(scope, entry), number)
            case kind if kind == JOIN:
                return self._is_tied(entry["joinaliasvars"][number - 1], scope)
            case kind if kind == GROUP:
                return self._is_tied(entry["groupexprs"][number - 1], scope)
            case kind if kind == VALUES:
                return all(self._is_tied(row[number - 1], scope) for row in entry["values_lists"])
        return False

    def _column_is_tied(self, scope: Scope, number: int) -> bool:
        """Return whether a column of the query's result equals the namespace in all rows."""
        if id(scope) in self._open:
            return True
        self._open.add(id(scope))
        try:
            if scope.query["setOperations"]:
                arms = [entry["subquery"] for entry in scope.query["rtable"] if "subquery" in entry]
                return all(self._column_is_tied(scope.of(arm), number) for arm in arms if arm)
            listed = scope.query["returningList"] or scope.query["targetList"]
            return self._is_tied(listed[number - 1]["expr"], scope)
        finally:
            self._open.discard(id(scope))

    def _untied_in(self, scope: Scope) -> Iterator[str]:
        for place in scope.places():
            entry = scope.table(place)
            if entry["rtekind"] == TABLE and place not in scope.tied:
                name = self._catalogue.names.get(entry["relid"], NAMESPACES)
                if name != NAMESPACES:
                    yield name
        if scope.query["commandType"] == INSERT:
            target = scope.table(int(scope.query["resultRelation"]))
            name = self._catalogue.names.get(target["relid"], NAMESPACES)
            given = {entry["resname"]: entry["expr"] for entry in scope.query["targetList"]}
            if name != NAMESPACES and not self._is_tied(given.get("namespace_id"), scope):
                yield name


def scopes_of(query: Node, parent: Scope | None = None) -> Iterator[Scope]:
    """Yield a query and the queries within it, each after its parent."""
    scope = Scope(query, parent)
    if parent:
        parent.children.append(scope)
    yield scope
    fields = [value for name, value in query.items() if name != "node"]
    for node in nodes(fields, into_queries=False):
        if node["node"] == "QUERY":
            yield from scopes_of(node, scope)


def is_namespace(catalogue: Catalogue, scope: Scope, expression: Node) -> bool:
    """Return whether an expression is the namespace column of a table of the scope."""
    if expression["node"] != "VAR" or expression["varlevelsup"] != "0":
        return False
    relid = scope.table(int(expression["varno"])).get("relid") or ""
    return bool(catalogue.columns.get(relid) == expression["varattno"])


def _cte(scope: Scope, entry: Node) -> Scope:
    home = scope.above(int(entry["ctelevelsup"]))
    [found] = [cte for cte in home.query["cteList"] if cte["ctename"] == entry["ctename"]]
    return home.of(found["ctequery"])


def _places(tree: Any) -> list[int]:
    found = nodes(tree, into_queries=False)
    return [int(node["rtindex"]) for node in found if node["node"] == "RANGETBLREF"]


def equations_of(scope: Scope) -> Iterator[tuple[Node, Node, list[int], Scope | None]]:
    """Yield both sides of each mandatory equation, the relations that it restricts, and its subquery if it compares
    with one.
    """
    tree = scope.query["jointree"]
    yield from _of_condition(scope, tree["quals"], _places(tree))
    for node in nodes(tree["fromlist"], into_queries=False):
        if node["node"] == "JOINEXPR":
            arms = [node[arm] for arm in _RESTRICTED.get(node["jointype"], ())]
            yield from _of_condition(scope, node["quals"], _places(arms))


def _of_condition(
    scope: Scope, condition: Node | None, within: list[int], of: Scope | None = None
) -> Iterator[tuple[Node, Node, list[int], Scope | None]]:
    if condition is None:
        return
    match condition["node"]:
        case "BOOLEXPR" if condition["boolop"] == "and":
            for part in condition["args"]:
                yield from _of_condition(scope, part, within, of)
        case "SUBLINK" if condition["subLinkType"] == _ANY_SUBLINK:
            below = scope.of(condition["subselect"])
            yield from _of_condition(scope, condition["testexpr"], within, below)
        case "OPEXPR" if condition["opno"] == EQUALS:
            left, right = condition["args"]
            yield left, right, within, of

"""Statements as PostgreSQL parses them: names resolved, nothing executed.

A statement becomes the body of an SQL function, whose tree the catalogue shows. A node is a dict of its fields, with
its kind under `node`; numbers and words are strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg

Node = dict[str, Any]
_TOKEN = re.compile(r'[{}()\[\]]|"(?:\\.|[^"\\])*"|(?:\\.|[^\s{}()\[\]"\\])+')
#: Parameter types by name, for statements in which PostgreSQL cannot infer them.
TYPES = {"limit": "bigint", "spare": "bigint", "role": "smallint"}
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sbt]|%%")


def positional(statement: str) -> tuple[str, list[str]]:
    """Return a statement with `$1` for `%(name)s`, and the parameters' names in order."""
    names: list[str] = []

    def number(found: re.Match[str]) -> str:
        if not found[1]:
            return "%"
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    return _PLACEHOLDER.sub(number, statement).rstrip().rstrip(";"), names


def prepare(conn: psycopg.Connection, name: str, statement: str) -> list[str]:
    """Prepare a named statement in the transaction, and return its parameters' names in order."""
    body, names = positional(statement)
    try:
        with conn.transaction():
            _prepare(conn, name, body, names, {})
    except psycopg.ProgrammingError:
        _prepare(conn, name, body, names, TYPES)
    return names


def _prepare(
    conn: psycopg.Connection, name: str, body: str, names: Sequence[str], types: Mapping[str, str]
) -> None:
    known = {"namespace_id": "bigint", **types}
    declared = ", ".join(known.get(each, "unknown") for each in names)
    conn.execute(f"PREPARE {name} {f'({declared})' if names else ''} AS {body}".encode())


def parse(conn: psycopg.Connection, statement: str) -> tuple[Node, list[str]]:
    """Return the tree of a statement, and its parameters' names in order."""
    with conn.transaction(force_rollback=True):
        names = prepare(conn, "parsed", statement)
        row = conn.execute(
            "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'parsed'"
        ).fetchone()
        assert row
        conn.execute("DEALLOCATE parsed")
        types = ", ".join(row[0])
        body, _ = positional(statement)
        conn.execute(
            f"CREATE FUNCTION pg_temp.parsed({types}) RETURNS void LANGUAGE sql "
            f"BEGIN ATOMIC {body}; END".encode()
        )
        row = conn.execute(
            "SELECT prosqlbody::text FROM pg_proc WHERE proname = 'parsed'"
        ).fetchone()
        assert row
        [[query]] = read(row[0])
    return query, names


def parse_function(conn: psycopg.Connection, signature: str) -> list[Node]:
    """Return the trees of the statements of a function in SQL, of a signature such as `month_of(date)`."""
    with conn.transaction(force_rollback=True):
        row = conn.execute(
            "SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), prosrc FROM pg_proc "
            "WHERE oid = %s::regprocedure",
            [signature],
        ).fetchone()
        assert row
        name, arguments, result, body = row
        conn.execute(
            f"CREATE FUNCTION pg_temp.{name}({arguments}) RETURNS {result} LANGUAGE sql "
            f"BEGIN ATOMIC {body.rstrip().rstrip(';')}; END".encode()
        )
        row = conn.execute(
            "SELECT prosqlbody::text FROM pg_proc WHERE proname = %s AND pronamespace = pg_my_temp_schema()",
            [name],
        ).fetchone()
        assert row
        return [query for [query] in read(row[0])] if row[0].startswith("((") else read(row[0])[0]


def read(text: str) -> Any:
    """Parse PostgreSQL's notation for trees."""
    [value] = _values(iter(_TOKEN.findall(text)), end="")
    return value


def _values(tokens: Iterator[str], end: str) -> list[Any]:
    values: list[Any] = []
    for token in tokens:
        if token == end:
            return values
        values.append(_value(tokens, token))
    return values


def _value(tokens: Iterator[str], token: str) -> Any:
    match token:
        case "(":
            return _values(tokens, ")")
        case "[":
            return _values(tokens, "]")
        case "{":
            return _node(_values(tokens, "}"))
        case "<>":
            return None
    return token.strip('"')


def _node(values: list[Any]) -> Node:
    node: Node = {"node": values[0]}
    field = ""
    for value in values[1:]:
        if isinstance(value, str) and value.startswith(":"):
            field = value[1:]
            node[field] = None
        elif node[field] is None:  # Only the first of several values, such as a constant's bytes.
            node[field] = value
    return node


def nodes(tree: Any, *, into_queries: bool = True) -> Iterator[Node]:
    """Yield every node of a tree, parents first. Without `into_queries`, subqueries are yielded but not entered."""
    if isinstance(tree, list):
        for entry in tree:
            yield from nodes(entry, into_queries=into_queries)
    elif isinstance(tree, dict):
        yield tree
        if into_queries or tree["node"] != "QUERY":
            for value in tree.values():
                yield from nodes(value, into_queries=into_queries)

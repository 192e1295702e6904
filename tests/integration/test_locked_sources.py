"""Rows derived from messages are stored after a lock of the messages in the same function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from support.databases import cloned
from support.distribution import writes
from support.isolation import all_statements

ROOT = Path(__file__).parents[2]
#: Tables whose rows an erasure deletes with their message.
DERIVED = {"fact_evidence", "graph_edges", "message_corrections"}
STATEMENTS = {f"{package}.{entry.name}": entry.sql for package, entry in all_statements()}


@pytest.fixture(scope="module")
def inserts(postgres_url: str) -> set[str]:
    """The names of the statements that insert rows into these tables."""
    with cloned(postgres_url) as database, database.connect() as conn:
        return set(_inserts(conn))


def _inserts(conn: psycopg.Connection) -> Iterator[str]:
    for name, text in STATEMENTS.items():
        if any(table in text for table in DERIVED) and "INSERT INTO" in text:
            for table, command, _ in writes(conn, text):
                if table in DERIVED and command == "INSERT":
                    yield name.rpartition(".")[2]


def _functions() -> Iterator[tuple[str, list[str]]]:
    """Yield each function with the names of the statements and functions that it runs, in order."""
    for folder in ("libs", "services"):
        for path in sorted((ROOT / folder).rglob("src/**/*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path.name}:{node.name}", list(_used(node))


def _used(function: ast.AST) -> Iterator[str]:
    found = list[tuple[tuple[int, int], str]]()
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                found.append(((node.lineno, node.col_offset), name))
            case ast.Subscript(value=ast.Name(id="SQL"), slice=ast.Constant(value=str(name))):
                found.append(((node.lineno, node.col_offset), f"SQL {name}"))
    yield from (name for _, name in sorted(found))


def test_functions_lock_messages_before_they_insert_derived_rows(inserts: set[str]) -> None:
    assert inserts == {"insert_evidence", "insert_edges", "copy_edges", "insert_corrections"}
    used = dict(_functions())
    by_text = {name for names in used.values() for name in names if name.startswith("SQL ")}
    # A statement without SQL[…] is a typed function, which its callers name.
    forms = {f"SQL {name}" if f"SQL {name}" in by_text else name for name in inserts}
    found = set()
    for function, names in used.items():
        for form in forms.intersection(names):
            found.add(form)
            assert "lock_sources" in names[: names.index(form)], function
    assert found == forms

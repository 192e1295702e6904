"""Tables that are isolated between namespaces, and all named statements."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

from everword.db.statements import Statement, load_statements

SERVICES = ("ingest", "search", "compactor", "embedder")
VIEWS = frozenset(
    {
        *("visible_memories", "visible_vectors_1"),
        *("retained_messages", "retained_notes", "retained_facts", "retained_patterns"),
        *("retained_history", "retained_note_versions", "retained_document_versions"),
    }
)
#: Tables that the schema isolates with `isolate_table`, and the views that are the only way to some of them. The first
#: migration makes generation 1.
ISOLATED = VIEWS | {
    "memory_vectors_1",
    *(
        table
        for path in files("everword.db").joinpath("schema").iterdir()
        for table in re.findall(r"\bisolate_table\('(\w+)'", path.read_text(encoding="utf-8"))
    ),
}
#: Ids, states, counters and keys: no content, so that work may cross namespaces.
NOT_ISOLATED = frozenset(
    {
        *("jobs", "embedding_queue", "embedding_pauses", "tool_sentence_queue"),
        *("corpus_counts", "namespace_usage", "tenants", "namespace_locks", "api_keys"),
    }
)
PREDICATE = re.compile(r"(?:\b\w+\.)?\bnamespace_id = %\(namespace_id\)s")
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|USING) (\w+)")


def all_statements() -> Iterator[tuple[str, Statement]]:
    """Yield every statement of every queries.sql with the name of its package."""
    for name in ("everword", *(f"everword_{service}" for service in SERVICES)):
        for root in map(Path, import_module(name).__path__):
            for path in sorted(root.rglob("queries.sql")):
                package = ".".join((name, *path.parent.relative_to(root).parts))
                for statement in load_statements(package).values():
                    yield package, statement.of_generation(1)


def tables_of(statement: Statement) -> frozenset[str]:
    """Return the namespaced tables and views that a statement names."""
    return (ISOLATED | NOT_ISOLATED) & set(_TABLE.findall(" ".join(statement.sql.split())))


def writes_isolated_rows(statement: Statement) -> bool:
    """Return whether a statement inserts rows into an isolated table."""
    return any(f"INSERT INTO {table} " in statement.sql for table in ISOLATED)


def without_predicate(statement: Statement) -> bytes:
    """Return the statement without its namespace predicate, as if its author had forgotten it."""
    return PREDICATE.sub("TRUE", statement.sql).encode()


def role_of(name: str) -> str:
    """Return the database role of a service that runs a statement; any of them for a shared statement."""
    package = name.split(".")[0]
    if package != "everword":
        return package
    of_compactor = name.endswith("_missing_vectors") or name.startswith("everword.people.")
    return "everword_compactor" if of_compactor else "everword_ingest"


def forget_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the namespace predicates from this process's statements, so that only the database's policies isolate."""
    stripped = 0
    for module in list(sys.modules.values()):
        found = getattr(module, "SQL", None)
        for name, statement in list(found.items()) if isinstance(found, dict) else ():
            tables = tables_of(statement)
            # Tables with counters of all namespaces have no policy.
            if tables & ISOLATED and not tables & NOT_ISOLATED:
                bare = replace(statement, sql=PREDICATE.sub("TRUE", statement.sql))
                monkeypatch.setitem(module.SQL, name, bare)
                stripped += bare.sql != statement.sql
    assert stripped > 300  # Otherwise the services would keep their predicates.

"""Each kind of the registry has what CONTRIBUTING asks of one; a failure says what to add."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import psycopg
import pytest

from everword.client.kinds import KINDS
from everword.domain.memory_kinds import KindTraits, MemoryKind
from everword.integrity.catalogue import load_checks
from everword_search.addresses.store import SQL
from everword_search.addresses.tree import DIRECTORIES
from support.databases import cloned

pytestmark = pytest.mark.parametrize(
    "traits", [pytest.param(k.traits, id=k.name) for k in MemoryKind]
)


@pytest.fixture(scope="module")
def conn(postgres_url: str) -> Iterator[psycopg.Connection]:
    with cloned(postgres_url) as database, database.connect() as conn:
        yield conn


def test_kind_has_label_and_directory(traits: KindTraits) -> None:
    assert len(KINDS) == len(MemoryKind), "add its word to `Kind` in everword/client/kinds.py"
    labels = [kind.traits.label for kind in MemoryKind]
    assert traits.label, "give it a label in memory_kinds.py"
    assert labels.count(traits.label) == 1, "another kind has this label"
    if traits.directory:
        assert traits.about, "say in memory_kinds.py what its directory is about"
        statement = DIRECTORIES[traits.directory].memories
        assert statement in SQL, f"add {statement} to everword_search/addresses/queries.sql"


def test_kind_has_erasure_rules(conn: psycopg.Connection, traits: KindTraits) -> None:
    target = "SELECT name FROM erasure_targets WHERE kind = %s"
    named = conn.execute(target, [traits.erasure_kind]).fetchone()
    assert named, f"insert a row for ErasureKind {traits.erasure_kind} into erasure_targets"
    erased = "SELECT 1 FROM erasure_rules WHERE target = %s AND relation = %s"
    # Messages are deleted by erase_batch itself.
    if traits.table != "messages":
        assert conn.execute(erased, [*named, traits.table]).fetchone(), (
            f"insert a row for the target {named[0]} and {traits.table} into erasure_rules"
        )


def test_kind_is_exported_and_imported(conn: psycopg.Connection, traits: KindTraits) -> None:
    rule = "SELECT record FROM transfer_rules WHERE relation = %s AND record IS NOT NULL"
    assert conn.execute(rule, [traits.table]).fetchone(), (
        f"insert a row with a record for {traits.table} into transfer_rules"
    )


def test_kind_table_has_row_level_security(conn: psycopg.Connection, traits: KindTraits) -> None:
    policies = "SELECT count(*) FROM pg_policy WHERE polrelid = to_regclass(%s)"
    assert conn.execute(policies, [traits.table]).fetchone() != (0,), (
        f"call isolate_table('{traits.table}') in its schema file"
    )


def test_kind_has_source_statement_and_integrity_check(traits: KindTraits) -> None:
    file = f"source_statements/{traits.table}.sql"
    assert files("everword.integrity").joinpath(file).is_file(), f"add integrity/{file}"
    walked = {check.over for check in load_checks()}
    assert traits.table in walked, f"add a check over {traits.table} to integrity/checks/"

"""The baseline and the later migrations create the same schema, in one step or one by one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg.errors import UndefinedTable

from everword.db import migrate as runner
from everword.db.migrate import (
    BASELINE,
    Migration,
    MigrationError,
    latest_version,
    load_migrations,
    migrate,
)
from scripts.dump_schema import SCHEMA, dump_schema, summarise_schema
from support.added_migrations import AddMigrations
from support.databases import empty_database

FOLDER = Path(runner.__file__).parent
#: Migrations of a later release.
COLUMN = "ALTER TABLE namespaces ADD COLUMN extra text;"
TABLE = """CREATE TABLE extras (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    label text NOT NULL,
    PRIMARY KEY (namespace_id, id)
) PARTITION BY HASH (namespace_id);
CREATE INDEX extras_label ON extras (namespace_id, label);
SELECT create_partitions('extras');
SELECT isolate_table('extras');
"""
POST = "-- post\nCREATE INDEX CONCURRENTLY messages_tool ON messages (namespace_id, tool_name);\n"
_INDEX = re.compile(
    r"CREATE\s+(?:UNIQUE\s+)?INDEX\s+(CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\S+\s+ON\s+(?:ONLY\s+)?([\w%]+)"
    r"|ALTER\s+TABLE\s+(?!ONLY)(\w+)[^;]*\sADD\s+(?:CONSTRAINT\s+\w+\s+)?(?:UNIQUE|PRIMARY|EXCLUDE)\b(?![^;]*USING\s+INDEX)",
    re.IGNORECASE,
)


@pytest.fixture
def empty_url(postgres_url: str) -> Iterator[str]:
    with empty_database(postgres_url) as url:
        yield url


def test_schema_sql_equals_the_migrated_schema(postgres_url: str) -> None:
    assert SCHEMA.read_text() == summarise_schema(dump_schema(postgres_url)), "run `make schema`"


def test_dump_schema_loaded_into_an_empty_database_gives_the_same_schema(
    postgres_url: str, empty_url: str
) -> None:
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute(
            "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin; CREATE EXTENSION vector"
        )
        conn.execute("SET check_function_bodies = false")
        conn.execute(dump_schema(postgres_url).encode())
    assert dump_schema(empty_url) == dump_schema(postgres_url)


def test_baseline_lists_every_file_of_the_schema_once() -> None:
    assert sorted(BASELINE) == sorted(path.stem for path in (FOLDER / "schema").glob("*.sql"))


def test_migrate_step_by_step_equals_migrate_at_once(
    postgres_url: str, empty_url: str, add_migrations: AddMigrations
) -> None:
    add_migrations(COLUMN, TABLE, POST)
    for version in range(1, latest_version() + 1):
        assert [migration.number for migration in migrate(empty_url, to=version)] == [version]
    with empty_database(postgres_url) as url:
        migrate(url)
        assert dump_schema(empty_url) == dump_schema(url)


def test_migrate_repeated_applies_nothing_and_keeps_rows(
    empty_url: str, add_migrations: AddMigrations
) -> None:
    add_migrations(POST, COLUMN)
    # Post migrations are applied after the others.
    assert [migration.number for migration in migrate(empty_url)] == [
        *range(1, latest_version() - 1),
        latest_version(),
        latest_version() - 1,
    ]
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("INSERT INTO everword.namespaces (name) VALUES ('kept')")
        assert migrate(empty_url) == []
        found = conn.execute("SELECT count(*) FROM everword.namespaces WHERE name = 'kept'")
        assert found.fetchone() == (1,)


@pytest.mark.parametrize("partitions", [1, 8])
def test_migrate_takes_the_number_of_partitions_from_the_first_run(
    empty_url: str, partitions: int
) -> None:
    migrate(empty_url, partitions=partitions)
    migrate(empty_url, partitions=7)
    with psycopg.connect(empty_url) as conn:
        for table in ("conversations", "messages", "memories"):
            found = conn.execute(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = %s::regclass",
                [f"everword.{table}"],
            )
            assert found.fetchone() == (partitions,)


def test_three_concurrent_migrate_runs_apply_each_migration_once(
    empty_url: str, add_migrations: AddMigrations
) -> None:
    add_migrations(COLUMN, TABLE, POST)
    applied: list[list[Migration]] = []
    threads = [Thread(target=lambda: applied.append(migrate(empty_url))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(migrations) for migrations in applied) == [0, 0, latest_version()]


def test_migrate_refuses_a_changed_migration(
    empty_url: str, add_migrations: AddMigrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_migrations(COLUMN)
    migrate(empty_url)
    known = runner.load_migrations()
    for place, each in enumerate(known):
        changed = [*known]
        changed[place] = Migration(each.number, each.name, each.sql + "-- changed\n")
        monkeypatch.setattr(runner, "load_migrations", lambda changed=changed: changed)
        with pytest.raises(MigrationError, match=f"{each.number:04} has changed since it was"):
            migrate(empty_url)


def test_migrate_refuses_a_database_of_a_newer_release(
    empty_url: str, add_migrations: AddMigrations
) -> None:
    add_migrations(COLUMN)
    migrate(empty_url)
    add_migrations()
    with pytest.raises(MigrationError, match="run a newer release"):
        migrate(empty_url)


@pytest.mark.parametrize("names", [["0003_later"], ["0002_a", "0002_b"], ["0001_first"]])
def test_load_migrations_refuses_gaps_and_duplicate_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    shutil.copytree(FOLDER / "schema", tmp_path / "schema")
    (tmp_path / "migrations").mkdir()
    for name in names:
        (tmp_path / "migrations" / f"{name}.sql").write_text(COLUMN)
    monkeypatch.setattr(runner, "files", lambda package: tmp_path)
    with pytest.raises(MigrationError, match="without gaps"):
        load_migrations()
    for path in (tmp_path / "migrations").iterdir():
        path.unlink()
    (tmp_path / "migrations" / "0002_next.sql").write_text(COLUMN)
    assert [each.name for each in load_migrations()] == ["baseline", "next"]


def test_failed_migration_is_rolled_back(empty_url: str, add_migrations: AddMigrations) -> None:
    add_migrations("CREATE TABLE left_over (); SELECT 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    with psycopg.connect(empty_url) as conn, pytest.raises(UndefinedTable):
        conn.execute("SELECT FROM everword.left_over")


def test_baseline_after_an_interruption_continues_with_the_next_file(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, *later = load_migrations()
    names = [name for name, _ in whole.files]
    broken = replace(
        whole,
        files=tuple(
            (name, "SELECT 1 / 0" if name == names[10] else text) for name, text in whole.files
        ),
    )
    monkeypatch.setattr(runner, "load_migrations", lambda: [broken, *later])
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    with psycopg.connect(empty_url) as conn:
        rows = conn.execute("SELECT name FROM everword.baseline_files").fetchall()
    assert sorted(name for (name,) in rows) == sorted(names[:10])
    monkeypatch.setattr(runner, "load_migrations", lambda: [whole, *later])
    assert migrate(empty_url) == [whole, *later]
    with psycopg.connect(empty_url) as conn, pytest.raises(UndefinedTable):
        conn.execute("SELECT FROM everword.baseline_files")


def test_baseline_of_another_release_that_was_interrupted_is_refused(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, *later = load_migrations()
    name, text = whole.files[0]
    broken = replace(whole, files=((name, text + "-- other\n"), ("isolation", "SELECT 1 / 0")))
    monkeypatch.setattr(runner, "load_migrations", lambda: [broken, *later])
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    monkeypatch.setattr(runner, "load_migrations", lambda: [whole, *later])
    with pytest.raises(MigrationError, match=f"applied schema/{name}.sql"):
        migrate(empty_url)


def test_migration_waiting_for_a_lock_does_not_block_writers(
    empty_url: str, add_migrations: AddMigrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    [later] = add_migrations(COLUMN)
    monkeypatch.setattr(runner, "_SESSION", runner._SESSION.replace("'1s'", "'100ms'"))
    applied: list[list[Migration]] = []
    with psycopg.connect(empty_url) as reader:
        reader.execute("SELECT FROM everword.namespaces")
        thread = Thread(target=lambda: applied.append(migrate(empty_url)))
        thread.start()
        with psycopg.connect(empty_url, autocommit=True, options="-c lock_timeout=5s") as writer:
            for name in range(20):
                writer.execute("INSERT INTO everword.namespaces (name) VALUES (%s)", [f"n{name}"])
                time.sleep(0.02)
        assert thread.is_alive()
        reader.rollback()
    thread.join()
    assert applied == [[later]]


def _blocks_writers(migration: Migration) -> bool:
    """Return whether a migration builds an index of an existing table and so blocks its writers."""
    made = set(re.findall(r"CREATE TABLE (\w+)", migration.sql))
    return any(
        not (migration.is_post and beside) and (table or altered) not in made
        for beside, table, altered in _INDEX.findall(migration.sql)
    )


def test_only_post_migrations_index_existing_tables() -> None:
    _, *later = load_migrations()
    assert [each.number for each in later if _blocks_writers(each)] == []
    beside, plain = "CREATE INDEX CONCURRENTLY a ON b (c);", "CREATE UNIQUE INDEX a ON b (c);"
    constraint = "ALTER TABLE b ADD CONSTRAINT a UNIQUE (c);"
    for text, blocks in (
        (f"-- post\n{beside}", False),
        (f"-- post\n{plain}", True),
        (f"-- post\n{constraint}", True),
        (beside, True),
        (f"CREATE TABLE b (c int);\n{plain}{constraint}", False),
    ):
        assert _blocks_writers(Migration(64, "added", text)) == blocks, text


def test_migrations_and_examples_pass_squawk(tmp_path: Path) -> None:
    squawk = Path(sys.executable).parent / "squawk"
    files: dict[bool, list[str]] = {False: [], True: []}
    texts = {each.name: each.sql for each in load_migrations()}
    for name, text in {**texts, "column": COLUMN, "table": TABLE, "post_index": POST}.items():
        path = tmp_path / f"{name}.sql"
        path.write_text(text)
        files[text.startswith("-- post\n")].append(str(path))
    for is_post, paths in files.items():
        wrapped = "--no-assume-in-transaction" if is_post else "--assume-in-transaction"
        linted = subprocess.run([squawk, wrapped, *paths], capture_output=True, text=True)
        assert linted.returncode == 0, linted.stdout

"""The migrations make one schema, whichever way they are applied."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg.errors import UndefinedTable

from everword.db import migrate as runner
from everword.db.migrate import Migration, MigrationError, latest_version, load_migrations, migrate
from scripts.dump_schema import SCHEMA, dump_schema
from support.databases import empty_database

MIGRATIONS = Path(runner.__file__).parent / "migrations"
#: Those that make writers of tables which are there already wait while they build an index; no other may.
BLOCKING = {9, 10, 14, 16, 21, 25, 26, 29, 31, 33, 40, 43, 46, 48, 51, 58, 59, 61, 62}
_INDEX = re.compile(
    r"CREATE\s+(?:UNIQUE\s+)?INDEX\s+(CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\S+\s+ON\s+(?:ONLY\s+)?([\w%]+)"
    r"|ALTER\s+TABLE\s+(?!ONLY)(\w+)[^;]*\sADD\s+(?:CONSTRAINT\s+\w+\s+)?(?:UNIQUE|PRIMARY|EXCLUDE)\b(?![^;]*USING\s+INDEX)",
    re.IGNORECASE,
)


@pytest.fixture
def empty_url(postgres_url: str) -> Iterator[str]:
    with empty_database(postgres_url) as url:
        yield url


def test_the_committed_schema_is_what_the_migrations_make(postgres_url: str) -> None:
    assert SCHEMA.read_text() == dump_schema(postgres_url), "run `make schema`"


def test_a_schema_migrated_step_by_step_equals_a_fresh_one(
    postgres_url: str, empty_url: str
) -> None:
    for version in range(1, latest_version() + 1):
        migrate(empty_url, to=version)
    assert dump_schema(empty_url) == dump_schema(postgres_url)


def test_the_committed_schema_can_be_loaded(postgres_url: str, empty_url: str) -> None:
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute(
            "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin; CREATE EXTENSION vector"
        )
        conn.execute("SET check_function_bodies = false")
        conn.execute(SCHEMA.read_bytes())
    assert dump_schema(empty_url) == dump_schema(postgres_url)


def test_rows_survive_a_second_run_that_applies_nothing(empty_url: str) -> None:
    assert [migration.number for migration in migrate(empty_url)] == list(
        range(1, latest_version() + 1)
    )
    with psycopg.connect(empty_url, autocommit=True) as conn:
        conn.execute("INSERT INTO everword.namespaces (name) VALUES ('kept')")
        assert migrate(empty_url) == []
        found = conn.execute("SELECT count(*) FROM everword.namespaces WHERE name = 'kept'")
        assert found.fetchone() == (1,)


@pytest.mark.parametrize("partitions", [1, 8])
def test_the_number_of_partitions_is_chosen_by_the_first_run(
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


def test_two_runners_at_once_apply_everything_once(empty_url: str) -> None:
    applied: list[list[Migration]] = []
    threads = [Thread(target=lambda: applied.append(migrate(empty_url))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(migrations) for migrations in applied) == [0, 0, latest_version()]


def test_a_changed_migration_is_refused(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty_url)
    first, *rest = load_migrations()
    changed = [Migration(first.number, first.name, first.sql + "-- changed\n"), *rest]
    monkeypatch.setattr(runner, "load_migrations", lambda: changed)
    with pytest.raises(MigrationError, match="0001 has changed since it was applied"):
        migrate(empty_url)


def test_a_database_of_a_newer_release_is_refused(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    older = load_migrations()[:-1]
    monkeypatch.setattr(runner, "load_migrations", lambda: older)
    with pytest.raises(MigrationError, match="run a newer release"):
        migrate(empty_url)


def test_a_migration_that_fails_leaves_nothing(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [Migration(1, "broken", "CREATE TABLE left_over (); SELECT 1 / 0")]
    monkeypatch.setattr(runner, "load_migrations", lambda: broken)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    with psycopg.connect(empty_url) as conn, pytest.raises(UndefinedTable):
        conn.execute("SELECT FROM everword.left_over")


def test_a_migration_waits_for_locks_in_short_turns_and_lets_writers_pass(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty_url)
    number = latest_version() + 1
    later = Migration(number, "later", "ALTER TABLE namespaces ADD COLUMN extra text")
    monkeypatch.setattr(runner, "load_migrations", lambda: [*load_migrations(), later])
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
    """Whether a migration makes an index of a table that is there already, for which its writers wait."""
    made = set(re.findall(r"CREATE TABLE (\w+)", migration.sql))
    return any(
        not (migration.is_post and beside) and (table or altered) not in made
        for beside, table, altered in _INDEX.findall(migration.sql)
    )


def test_an_index_of_a_table_that_is_there_already_is_made_by_a_post_migration() -> None:
    assert {each.number for each in load_migrations() if _blocks_writers(each)} == BLOCKING
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


def test_the_migrations_pass_their_linter(tmp_path: Path) -> None:
    squawk = Path(sys.executable).parent / "squawk"
    post = tmp_path / "post.sql"
    post.write_text("-- post\nCREATE INDEX CONCURRENTLY a ON b (c);\n")
    files: dict[bool, list[str]] = {False: [], True: [str(post)]}
    for path in sorted(MIGRATIONS.glob("*.sql")):
        files[path.read_text().startswith("-- post\n")].append(str(path))
    for is_post, paths in files.items():
        wrapped = "--no-assume-in-transaction" if is_post else "--assume-in-transaction"
        linted = subprocess.run([squawk, wrapped, *paths], capture_output=True, text=True)
        assert linted.returncode == 0, linted.stdout

"""Post migrations are applied last, while services write, and can be repeated after any interruption."""

from __future__ import annotations

import asyncio
import sys

import psycopg
import pytest
from click.testing import CliRunner

from everword.cli.main import main
from everword.db import migrate as runner
from everword.db.migrate import (
    latest_version,
    migrate,
    required_version,
)
from everword.integrity.verify import verify_everything
from support.added_migrations import AddMigrations
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import running_stack
from support.waits import until

POST = """-- post
-- What somebody said, in order;
CREATE INDEX CONCURRENTLY messages_said ON messages (namespace_id, author, occurred_at)
 WHERE author <> '';
CREATE UNIQUE INDEX CONCURRENTLY namespaces_settled ON namespaces (name, created_at);
"""
#: Runs the migrations in a separate process, with one more.
RUN = f"""
import sys
from everword.db import migrate as runner
known = runner.load_migrations()
runner.load_migrations = lambda: [*known, runner.Migration({latest_version() + 1}, "added", sys.argv[2])]
runner.migrate(sys.argv[1])
"""
#: The indexes, their validity, and their parent index.
INDEXES = """
SELECT c.relname, x.indisvalid, i.inhparent::regclass::text
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid LEFT JOIN pg_inherits i ON i.inhrelid = x.indexrelid
 WHERE c.relname ~ '^(messages.*_said|namespaces_settled)$' ORDER BY c.relname
"""
MADE = [
    *((f"messages_p{n}_said", True, "messages_said") for n in range(4)),
    ("messages_said", True, None),
    ("namespaces_settled", True, None),
]


def _ask(database: DatabaseUnderTest, statement: str) -> list[tuple[object, ...]]:
    with database.connect() as conn:
        return conn.execute(statement.encode()).fetchall()


def _waiting(database: DatabaseUnderTest, columns: str = "pid") -> list[tuple[object, ...]]:
    """Return the sessions that wait for older transactions."""
    where = "datname = current_database() AND wait_event = 'virtualxid'"
    return _ask(database, f"SELECT {columns} FROM pg_stat_activity WHERE {where}")


async def test_post_migration_builds_index_during_writes_and_after_being_killed(
    database: DatabaseUnderTest, add_migrations: AddMigrations
) -> None:
    [post] = add_migrations(POST)
    url = database.admin_url
    assert verify_everything(url) == [], "it need not be applied"
    async with running_stack(database, embedder=False) as stack:

        async def write(count: int) -> None:
            for _ in range(count):
                await append(stack, message(author="Ana"))

        await write(5)
        with psycopg.connect(url) as older:
            older.execute("LOCK TABLE everword.messages IN ROW EXCLUSIVE MODE")
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", RUN, url, POST)
            await until(lambda: bool(_waiting(database)))
            process.kill()
            await process.wait()
            _waiting(database, "pg_terminate_backend(pid)")
            await until(lambda: not _waiting(database))
            assert _ask(database, INDEXES) == [("messages_p0_said", False, None)]
            # If two migrations run at once, one waits for the other, but not both.
            repeated = [asyncio.create_task(asyncio.to_thread(migrate, url)) for _ in range(2)]
            await until(lambda: bool(_waiting(database)))
            await asyncio.wait_for(write(20), 10)
            assert _waiting(database)
            older.rollback()
        applied = await asyncio.wait_for(asyncio.gather(*repeated), 30)
        assert sorted(applied, key=len) == [[], [post]]
        await write(1)
    assert _ask(database, INDEXES) == MADE
    assert verify_everything(url) == []


async def test_post_migration_is_retried_while_a_table_is_locked(
    database: DatabaseUnderTest, add_migrations: AddMigrations, monkeypatch: pytest.MonkeyPatch
) -> None:
    [post] = add_migrations(POST)
    monkeypatch.setattr(runner, "_SESSION", runner._SESSION.replace("'1s'", "'50ms'"))
    with psycopg.connect(database.admin_url) as writer:
        # Partitions can be indexed; attaching their indexes to the parent has to wait.
        writer.execute("LOCK TABLE ONLY everword.messages IN ROW EXCLUSIVE MODE")
        applied = asyncio.create_task(asyncio.to_thread(migrate, database.admin_url))
        await until(lambda: len(_ask(database, INDEXES)) == 4)
        await asyncio.sleep(0.5)
        assert not applied.done()
        writer.rollback()
    assert await applied == [post]
    assert _ask(database, INDEXES) == MADE


def test_migrate_command_announces_post_migrations_and_applies_them_last(
    database: DatabaseUnderTest, add_migrations: AddMigrations
) -> None:
    later = "ALTER TABLE namespaces ADD COLUMN settled boolean"
    post, other = add_migrations(POST.replace("created_at", "settled"), later)
    command = ["migrate", "--url", database.admin_url]
    done = CliRunner().invoke(main, command)
    assert done.output.splitlines() == [
        f"applied {other.number:04} added",
        f"post migration {post.number:04} added: services may run meanwhile",
        f"applied {post.number:04} added",
    ]
    assert CliRunner().invoke(main, command).output == "the schema is up to date\n"
    assert _ask(database, INDEXES) == MADE


def test_required_version_excludes_trailing_post_migrations(add_migrations: AddMigrations) -> None:
    required, released = required_version(), latest_version()
    add_migrations(POST)
    assert (required_version(), latest_version()) == (required, released + 1)
    add_migrations(POST, "SELECT 1", POST, POST)
    assert (required_version(), latest_version()) == (released + 2, released + 4)

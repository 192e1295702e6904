"""`everword backup` saves everything, and `everword restore` restores it on another server, with roles and rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from everword.cli.backup.restore import restore
from everword.cli.backup.save import save
from everword.db.migrate import migrate
from everword.db.roles import SCOPED_ROLES, SERVICE_ROLES
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from support.added_migrations import AddMigrations
from support.command_line import everword
from support.databases import LOGIN, PASSWORD, cloned, empty_database
from support.documents import code_blocks
from support.stack import Stack
from support.transfer_namespace import fill_everything

#: Tables with numbers that a restore changes.
RENUMBERED = {"change_numbers", "model_generations"}


def _contents(url: str) -> dict[str, str]:
    """Return a digest of the rows of each table."""
    query = "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM everword.{} t"
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'everword'::regnamespace "
            "AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        ).fetchall()
        return {
            name: str(conn.execute(sql.SQL(query).format(sql.Identifier(name))).fetchone())
            for (name,) in tables
            if name not in RENUMBERED
        }


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's account can traverse."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.long
async def test_backup_is_restored_on_another_server_with_roles_and_rows(
    stack: Stack, folder: Path
) -> None:
    guide = "".join(code_blocks("docs/deployment.md", ""))
    assert "migrate backup /backups" in guide
    assert "migrate restore /backups" in guide
    await fill_everything(stack)
    source, saved = stack.database.admin_url, str(folder / "saved")
    done = await everword(stack, "backup", saved, EVERWORD_ADMIN_DATABASE_URL=source)
    assert done.status == 0, done.errors
    before = _contents(source)
    assert len(before) > 70
    other = EmbeddedPostgres(folder / "postgres", free_ports(1)[0], durable=False)
    with other.running():
        target = other.admin_url
        done = await everword(stack, "restore", saved, EVERWORD_ADMIN_DATABASE_URL=target)
        assert done.status == 0, done.errors
        assert "every message is as it was saved" in done.output
        assert migrate(target) == []
        assert _contents(target) == before
        with psycopg.connect(other.url(LOGIN, PASSWORD)) as conn:
            for role in (*SERVICE_ROLES, *SCOPED_ROLES):
                conn.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        assert urlsplit(target).password != urlsplit(source).password


def test_restore_of_older_backup_applies_later_migrations(
    postgres_url: str, folder: Path, add_migrations: AddMigrations
) -> None:
    saved = folder / "saved"
    with cloned(postgres_url) as source:
        save(source.admin_url, saved, lambda total: None, lambda: None)
    add_migrations("ALTER TABLE namespaces ADD COLUMN extra text DEFAULT 'later'")
    with empty_database(postgres_url) as url:
        restore(url, saved, lambda total: None, lambda: None)
        assert migrate(url) == []
        with psycopg.connect(url) as conn:
            found = conn.execute("SELECT name, extra FROM everword.namespaces").fetchall()
        assert found == [("default", "later")]

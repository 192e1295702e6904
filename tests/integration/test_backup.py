"""The commands of docs/deployment.md save everything, and restore it into another PostgreSQL."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from everword.db.migrate import migrate
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres, _program
from support.databases import LOGIN, PASSWORD
from support.documents import code_blocks
from support.stack import Stack
from support.transferred import fill_everything

_INSIDE = "docker compose exec -T postgres "


def _commands() -> list[str]:
    """Return what the guide runs in Postgres' container: two commands that save, two that restore."""
    text = "".join(code_blocks("docs/deployment.md", ""))
    inside = [line.removeprefix(_INSIDE) for line in text.splitlines() if line.startswith(_INSIDE)]
    assert [command.split()[0] for command in inside] == [
        *("pg_dumpall", "pg_dump", "psql", "pg_restore")
    ]
    return inside


def _run(command: str, url: str, password: str, folder: Path) -> str:
    """Run a command of the guide against the server of `url`, and return what it says on stderr."""
    parts = urlsplit(url)
    named = command.replace("--format=custom everword", f"--format=custom {parts.path[1:]}")
    environment = {
        "PATH": f"{_program('psql').parent}:/usr/bin:/bin",
        "PGHOST": "127.0.0.1",
        "PGPORT": str(parts.port),
        "PGPASSWORD": password,
    }
    done = subprocess.run(
        ["bash", "-c", named],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def _contents(url: str) -> dict[str, str]:
    """Return a digest of the rows of each table."""
    query = "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM everword.{} t"
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'everword'::regnamespace "
            "AND c.relkind IN ('r', 'p')"
        ).fetchall()
        return {
            name: str(conn.execute(sql.SQL(query).format(sql.Identifier(name))).fetchone())
            for (name,) in tables
        }


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's account passes through."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.long
async def test_what_is_saved_is_restored_elsewhere_with_roles_and_rows(
    stack: Stack, folder: Path
) -> None:
    await fill_everything(stack)
    save_roles, save, restore_roles, restore = _commands()
    source = stack.database.admin_url
    password = str(urlsplit(source).password)
    _run(save_roles, source, password, folder)
    _run(save, source, password, folder)
    before = _contents(source)
    assert len(before) > 100
    other = EmbeddedPostgres(folder / "postgres", free_ports(1)[0], durable=False)
    with other.running():
        own = str(urlsplit(other.admin_url).password)
        said = _run(restore_roles, other.admin_url, own, folder).splitlines()
        assert [line.partition("ERROR:  ")[2] for line in said] == [
            'role "everword_owner" already exists'
        ]
        # With its role, the owner's password came along.
        restored = other.url("everword_owner", password)
        _run(restore, restored, password, folder)
        assert migrate(restored) == []
        assert _contents(restored) == before
        with psycopg.connect(other.url(LOGIN, PASSWORD)) as conn:
            conn.execute("SET ROLE everword_ingest")

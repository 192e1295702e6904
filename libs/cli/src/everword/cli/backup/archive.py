"""Contents of a pg_dump archive, and creation of the extensions that it needs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import psycopg
from psycopg import errors, sql

from everword.cli.backup.manifest import BackupError

_EXTENSION = re.compile(r"^\d+; \d+ \d+ EXTENSION - (\S+)", re.MULTILINE)
_OF_EXTENSIONS = re.compile(r"^\d+; \d+ \d+ (COMMENT - )?EXTENSION ")


@dataclass(frozen=True)
class Archive:
    """The entries of a file, as `pg_restore --list` shows them."""

    entries: str

    @property
    def extensions(self) -> list[str]:
        """The names of the extensions that it needs."""
        return _EXTENSION.findall(self.entries)

    @contextmanager
    def others(self) -> Iterator[str]:
        """Lend a file that lists the entries that are not about extensions."""
        lines = [line for line in self.entries.splitlines() if not _OF_EXTENSIONS.match(line)]
        with NamedTemporaryFile("w", prefix="everword-", suffix=".list") as file:
            file.write("\n".join(lines))
            file.flush()
            yield file.name


def list_archive(pg_restore: Path, file: Path) -> Archive:
    """Return the table of contents of a pg_dump archive.

    Raises: BackupError if pg_restore cannot read the file.
    """
    shown = subprocess.run(
        [pg_restore, "--list", file], capture_output=True, text=True, check=False
    )
    if shown.returncode != 0:
        raise BackupError(f"{file} cannot be read: {shown.stderr.strip()}")
    return Archive(shown.stdout)


def make_extensions(conn: psycopg.Connection, names: Sequence[str]) -> None:
    """Make the extensions that are missing. Raises BackupError where the server has none, or the caller may not."""
    for name in names:
        found = conn.execute(
            "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = %(name)s), "
            "EXISTS (SELECT FROM pg_available_extensions WHERE name = %(name)s), current_database(), current_user",
            {"name": name},
        ).fetchone()
        assert found is not None
        is_there, is_available, database, user = found
        if is_there:
            continue
        if not is_available:
            raise BackupError(
                f"the backup needs the extension {name}, which this server does not have: install it on the server "
                "first (vector is pgvector; the others come with PostgreSQL's contrib)"
            )
        try:
            statement = sql.SQL("CREATE EXTENSION {} WITH SCHEMA public").format(
                sql.Identifier(name)
            )
            conn.execute(statement)
        except errors.InsufficientPrivilege as error:
            raise BackupError(
                f"{user} may not create the extension {name}: have a superuser run in the database {database}: "
                f"{statement.as_string()}"
            ) from error

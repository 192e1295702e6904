"""Make a backup: everything as of one moment, while services go on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

import psycopg

from everword.cli.backup.manifest import (
    DUMP,
    FORMAT,
    ROLES,
    BackupError,
    Manifest,
    count_rows,
    file_sha256,
    read_transcripts,
    write_manifest,
)
from everword.cli.backup.programs import find_program, run
from everword.cli.backup.roles import read_roles
from everword.db.distribution import is_distributed


def save(
    admin_url: str, folder: Path, begun: Callable[[int], None], step: Callable[[], None]
) -> Manifest:
    """Write a backup into a new folder. The folder appears only when it is complete.

    Raises: BackupError if the folder exists or cannot be written, or the database is distributed.
    """
    if folder.exists():
        raise BackupError(f"{folder} exists already: name a folder that does not")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Passwords' hashes are in it: only its owner may read it.
        unfinished = Path(mkdtemp(".unfinished", f"{folder.name}.", folder.parent))
    except OSError as error:
        raise BackupError(f"{folder} cannot be made: {error.strerror}") from error
    try:
        with psycopg.connect(admin_url, application_name="everword-backup") as conn:
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            manifest = _write(conn, admin_url, unfinished, begun, step)
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return manifest


def _write(
    conn: psycopg.Connection,
    admin_url: str,
    folder: Path,
    begun: Callable[[int], None],
    step: Callable[[], None],
) -> Manifest:
    row = conn.execute(
        "SELECT pg_export_snapshot(), to_regclass('everword.schema_migrations')::text"
    ).fetchone()
    assert row is not None
    snapshot, migrations = row
    if migrations is None:
        raise BackupError(
            "the database does not contain Everword's schema: check EVERWORD_ADMIN_DATABASE_URL"
        )
    if is_distributed(conn):
        raise BackupError(
            "the database is distributed over several servers, and a dump of the coordinator has no rows of "
            "namespaces: back up each server to a common restore point, as docs/data-safety.md describes"
        )
    server = conn.info.server_version // 10_000
    rows = count_rows(conn)
    # It tells of each table more than once: of its columns, its policies and its rows.
    begun(4 * len(rows))
    arguments = ["--format=custom", f"--snapshot={snapshot}", f"--file={folder / DUMP}"]
    run(find_program("pg_dump", server), arguments, admin_url, step)
    (folder / ROLES).write_text(json.dumps(read_roles(conn), indent=2), encoding="utf-8")
    newest = conn.execute("SELECT max(number) FROM everword.schema_migrations").fetchone()
    manifest = Manifest(
        format=FORMAT,
        everword=version("everword-cli"),
        schema=newest[0] if newest else 0,
        postgres=server,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        files={name: file_sha256(folder / name) for name in (DUMP, ROLES)},
        rows=rows,
        transcripts=read_transcripts(conn),
    )
    write_manifest(folder, manifest)
    return manifest

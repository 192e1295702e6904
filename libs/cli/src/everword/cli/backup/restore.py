"""Restore a backup into an empty database, and compare the result with the manifest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg

from everword.cli.backup.archive import list_archive, make_extensions
from everword.cli.backup.manifest import (
    DUMP,
    ROLES,
    BackupError,
    Manifest,
    count_rows,
    read_manifest,
    read_transcripts,
)
from everword.cli.backup.programs import find_program, run
from everword.cli.backup.roles import restore_roles
from everword.db.migrate import migrate

#: Watchers may hold numbers of changes after the backup. These are never given again.
_SKIP_CHANGE_NUMBERS = "UPDATE everword.change_numbers SET last_number = last_number + 1000000000"


def restore(
    admin_url: str, folder: Path, begun: Callable[[int], None], step: Callable[[], None]
) -> tuple[Manifest, list[str]]:
    """Restore a backup, migrate its schema, and return the manifest and the names of logins without a password.

    If the restore itself fails, the database is empty again; restored data that differs from the manifest stays there
    for inspection.

    Raises: BackupError if the backup is damaged or newer than this version, if the database is not empty, or if the
      restored data differs from the manifest.
    """
    manifest = read_manifest(folder)
    with psycopg.connect(admin_url, autocommit=True, application_name="everword-restore") as conn:
        _refuse_target(conn)
        server = conn.info.server_version // 10_000
        if server < manifest.postgres:
            raise BackupError(
                f"the backup is of PostgreSQL {manifest.postgres}, and this server is {server}: it needs that or a "
                "newer one"
            )
        program = find_program("pg_restore", max(server, manifest.postgres))
        archive = list_archive(program, folder / DUMP)
        make_extensions(conn, archive.extensions)
        without = restore_roles(conn, json.loads((folder / ROLES).read_text(encoding="utf-8")))
        begun(6 * len(manifest.rows))
        with archive.others() as others:
            arguments = ["--single-transaction", "--no-owner", "--exit-on-error"]
            run(program, [*arguments, f"--use-list={others}", str(folder / DUMP)], admin_url, step)
        _compare(conn, manifest)
        conn.execute(_SKIP_CHANGE_NUMBERS)
    migrate(admin_url)
    return manifest, without


def _refuse_target(conn: psycopg.Connection) -> None:
    row = conn.execute(
        "SELECT current_database(), count(*), has_database_privilege(current_database(), 'CREATE'), current_user "
        "FROM pg_class WHERE relnamespace = to_regnamespace('everword')"
    ).fetchone()
    assert row is not None
    if not row[2]:
        raise BackupError(
            f"{row[3]} may not create a schema there: have its owner run: "
            f'GRANT CREATE ON DATABASE "{row[0]}" TO "{row[3]}"'
        )
    if row[1]:
        raise BackupError(
            f"the database {row[0]} is not empty: create a new one, and name it in "
            "EVERWORD_ADMIN_DATABASE_URL"
        )


def _compare(conn: psycopg.Connection, manifest: Manifest) -> None:
    """Raise BackupError unless every row came back, and every message as it was."""
    found = count_rows(conn)
    wrong = [
        f"{name} has {found.get(name, 0)} rows of {rows}"
        for name, rows in manifest.rows.items()
        if found.get(name) != rows
    ]
    there = {each.namespace: each for each in read_transcripts(conn)}
    wrong += [
        f"the messages of {each.namespace} are not those that were saved"
        for each in manifest.transcripts
        if there.get(each.namespace) != each
    ]
    if wrong:
        raise BackupError(
            f"the restored data differs from the backup: {'; '.join(wrong[:5])}. Use another copy of the backup"
        )

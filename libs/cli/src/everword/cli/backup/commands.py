"""`everword backup` and `everword restore`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from everword.cli.backup.manifest import BackupError, Manifest
from everword.cli.backup.restore import restore as restore_backup
from everword.cli.backup.save import save
from everword.cli.output import line, progress
from everword.cli.owner import with_admin_url

T = TypeVar("T")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@with_admin_url
def backup(admin_url: str, folder: Path) -> None:
    """Back up the whole database into FOLDER, as of one moment, while Everword runs.

    FOLDER must not exist. It contains hashes of passwords and API keys: keep it secret.
    """
    manifest = _watched("saving", lambda begun, step: save(admin_url, folder, begun, step))
    line(f"{folder}: {_manifest_text(manifest)}")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@with_admin_url
def restore(admin_url: str, folder: Path) -> None:
    """Restore the backup in FOLDER into an empty database.

    Verifies every message, then updates the schema to this release.
    """
    manifest, without = _watched(
        "restoring", lambda begun, step: restore_backup(admin_url, folder, begun, step)
    )
    line(f"restored: {_manifest_text(manifest)}; every message is as it was saved")
    for name in without:
        line(f"{name} has no password yet: `everword migrate --service-login {name}` gives it one")


def _watched(what: str, work: Callable[[Callable[[int], None], Callable[[], None]], T]) -> T:
    """Do the work under a progress bar; a BackupError ends the command with status 1."""
    with progress(counted=False) as bar:
        task = bar.add_task(what, total=None)
        try:
            return work(lambda total: bar.update(task, total=total), lambda: bar.advance(task))
        except BackupError as error:
            raise click.ClickException(str(error)) from error


def _manifest_text(manifest: Manifest) -> str:
    messages = sum(each.messages for each in manifest.transcripts)
    return (
        f"{messages} messages in {len(manifest.transcripts)} namespaces, of {manifest.created_at}, "
        f"Everword {manifest.everword}, schema {manifest.schema}"
    )

"""Files that commands write: that they can be written is found out before the work, not after it."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import click


def ensure_writable(option: str, *paths: Path | None) -> None:
    """Find out whether files can be written, and touch none. Raises click.BadParameter, which names the option."""
    for path in paths:
        if path is None:
            continue
        try:
            _try_to_write(path)
        except OSError as error:
            raise click.BadParameter(
                f"{path} cannot be written ({error.strerror}): make its folder, or name another file",
                param_hint=option,
            ) from error


def make_folder(option: str, folder: Path | None) -> None:
    """Make a folder that files can be written into. Raises click.BadParameter, which names the option."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.BadParameter(
            f"cannot write into {folder} ({error.strerror}): name another folder",
            param_hint=option,
        ) from error


def _try_to_write(path: Path) -> None:
    if not path.exists():
        with tempfile.TemporaryFile(dir=path.parent):
            return
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

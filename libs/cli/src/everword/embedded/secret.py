"""Passwords and tokens of the embedded stack: random, made once, readable by their owner alone."""

import os
import secrets
from pathlib import Path


def secret(path: Path) -> str:
    """Return the secret in a file; create the file if it does not exist."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32))
    return path.read_text()


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 whole or not at all."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    unfinished.replace(path)

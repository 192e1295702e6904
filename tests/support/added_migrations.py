"""Migrations that a test adds to those of this release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from everword.db import migrate as runner
from everword.db.migrate import Migration, latest_version, load_migrations, required_version

AddMigrations = Callable[..., list[Migration]]


@contextmanager
def added_migrations(monkeypatch: pytest.MonkeyPatch) -> Iterator[AddMigrations]:
    """Yield a function that adds migrations with these texts; each call replaces what an earlier one added."""
    known = load_migrations()

    def add(*texts: str) -> list[Migration]:
        added = [Migration(len(known) + n, "added", text) for n, text in enumerate(texts, 1)]
        monkeypatch.setattr(runner, "load_migrations", lambda: [*known, *added])
        _forget_versions()
        return added

    yield add
    monkeypatch.undo()
    _forget_versions()


def _forget_versions() -> None:
    latest_version.cache_clear()
    required_version.cache_clear()

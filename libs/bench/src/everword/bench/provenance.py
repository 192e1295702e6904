"""The code that was measured: its commit."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

_HERE = Path(__file__).resolve()
#: Path of this file in a checkout.
_TRACKED = "libs/bench/src/everword/bench/provenance.py"


def commit() -> str | None:
    """Return the commit of the checkout with this code, with `-dirty` if it has changes; None outside a checkout."""
    top = _git("rev-parse", "--show-toplevel")
    # An installed package may lie in a checkout of something else.
    if top is None or Path(top) / _TRACKED != _HERE:
        return None
    return _git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty")


def changes() -> str:
    """Return what tells two states of a changed checkout apart; the same for all that are not changed."""
    return hashlib.sha256((_git("diff", "HEAD") or "").encode()).hexdigest()


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=_HERE.parent, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None

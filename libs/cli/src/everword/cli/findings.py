"""Findings of `everword doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """The outcome of a check."""

    check: str
    ok: bool
    found: str
    advice: str = ""
    """What to do about it; empty where nothing is to do."""

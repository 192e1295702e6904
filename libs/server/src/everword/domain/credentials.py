"""The treatment of credentials in what is stored and in what is derived from it."""

from __future__ import annotations

from enum import IntEnum


class CredentialPolicy(IntEnum):
    """A namespace's choice. Values equal proto `CredentialPolicy`."""

    MASK = 1
    KEEP = 2
    REFUSE = 3

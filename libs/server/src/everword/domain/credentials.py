"""The treatment of credentials in what is derived from messages."""

from __future__ import annotations

from enum import IntEnum


class CredentialPolicy(IntEnum):
    """A namespace's choice. Values equal proto `CredentialPolicy`."""

    MASK = 1
    KEEP = 2

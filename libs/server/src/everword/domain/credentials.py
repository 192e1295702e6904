"""The treatment of credentials in stored and derived text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Self

from everword.domain.errors import InvalidArgument


class CredentialPolicy(IntEnum):
    """A namespace's choice. Values equal proto `CredentialPolicy`."""

    MASK = 1
    KEEP = 2
    REFUSE = 3


class CredentialRefused(InvalidArgument):
    """A text holds a credential, and the namespace stores none: take it out."""

    reason = "CREDENTIAL_REFUSED"

    @classmethod
    def at(cls, places: Sequence[tuple[str, int]]) -> Self:
        """Return the error for where credentials begin: the field, and the place in it, in characters from 0."""
        (field, offset), *_ = places
        told = [(each, f"contains a credential at character {start}") for each, start in places]
        return cls(violations=tuple(told), field=field, offset=offset)

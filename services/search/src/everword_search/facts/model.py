"""The requests that callers make for facts, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AsOf:
    """The moment that is asked about, and the one of which the beliefs are; None for now."""

    valid_at: datetime | None = None
    known_at: datetime | None = None


@dataclass(frozen=True)
class ProfileRequest:
    """The profile that is asked for."""

    subject: str
    as_of: AsOf
    #: None for all.
    categories: list[str] | None
    include_expired: bool
    max_facts: int
    at_least_as_fresh: str


@dataclass(frozen=True)
class FactFilter:
    """The facts that are listed; None lets every value through."""

    subjects: list[str] | None
    attributes: list[str] | None
    states: list[int] | None
    as_of: AsOf
    include_superseded: bool


@dataclass(frozen=True)
class KnownFilter:
    """The facts that a context may say."""

    subjects: list[str]
    #: None for all.
    agents: list[str] | None
    as_of: AsOf
    #: When they were heard of at the latest; None for whenever.
    first_seen: datetime | None
    #: Bounds of when they began to hold, the second exclusive.
    since: datetime | None
    before: datetime | None
    #: Whether only what was learned where nobody is named counts.
    unnamed: bool

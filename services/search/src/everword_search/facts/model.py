"""Requests for facts, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class AsOf:
    """The moment at which facts must be valid, and the moment of knowledge; None for now."""

    valid_at: datetime | None = None
    known_at: datetime | None = None


@dataclass(frozen=True)
class ProfileRequest:
    """A request for the profile of a subject."""

    subject: str
    as_of: AsOf
    #: All categories if None.
    categories: list[str] | None
    #: All attributes if None.
    attributes: list[str] | None
    include_expired: bool
    max_facts: int
    at_least_as_fresh: str


@dataclass(frozen=True)
class FactFilter:
    """Filter of a list of facts; None admits every value."""

    subjects: list[str] | None
    attributes: list[str] | None
    states: list[int] | None
    as_of: AsOf
    include_superseded: bool


@dataclass(frozen=True)
class KnownFilter:
    """Filter of the facts that a context may include."""

    subjects: list[str]
    #: All agents if None.
    agents: list[str] | None
    as_of: AsOf
    #: Latest moment at which the fact was first learned; None for no limit.
    first_seen: datetime | None
    #: Bounds of the start of validity, `before` exclusive; None for no bound.
    since: datetime | None
    before: datetime | None
    #: True to include only facts learned in conversations that name no subject.
    unnamed: bool

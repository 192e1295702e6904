"""Requests about facts, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.domain.tokens import ConsistencyToken
from everword.facts.model import FactSource, Key
from everword.facts.store import FactView


@dataclass(frozen=True)
class SuppliedEvidence:
    """Evidence for or against a fact, given by a caller."""

    #: None for evidence that is not in a message.
    message_id: UUID | None
    quote: str = ""
    contradicts: bool = False
    reason: str = ""


@dataclass(frozen=True)
class NewFact:
    """A fact to remember."""

    key: Key
    value: str
    category: str = ""
    source: FactSource = FactSource.AGENT
    hypothesis: bool = False
    #: None as the attribute is known.
    several: bool | None = None
    #: None for the time of the latest evidence, or now without any.
    since: datetime | None = None
    until: datetime | None = None
    #: 0 as the attribute is known.
    lifetime_days: int = 0
    evidence: Sequence[SuppliedEvidence] = ()
    agent: str = ""
    #: Note for the audit trail if the caller wrote the attribute under another name.
    note: str = ""


@dataclass(frozen=True)
class FactWriteResult:
    """The result of a write."""

    #: None if no value replaces the wrong one.
    fact: FactView | None
    #: Facts that were superseded or rejected by the write.
    others: Sequence[FactView]
    consistency_token: ConsistencyToken
    replayed: bool = False

"""What callers ask of facts, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.domain.tokens import ConsistencyToken
from everword.facts.model import FactSource, Key
from everword.facts.store import FactView


@dataclass(frozen=True)
class GivenEvidence:
    """What a caller says that a fact rests on."""

    #: None for what was written down apart from any message.
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
    #: None for when the latest of its evidence was said, or now.
    since: datetime | None = None
    until: datetime | None = None
    #: 0 as the attribute is known.
    lifetime_days: int = 0
    evidence: Sequence[GivenEvidence] = ()
    agent: str = ""


@dataclass(frozen=True)
class FactWriteResult:
    """What a call came to."""

    #: None where nothing is believed instead of what was wrong.
    fact: FactView | None
    #: What had to give way.
    others: Sequence[FactView]
    consistency_token: ConsistencyToken
    replayed: bool = False

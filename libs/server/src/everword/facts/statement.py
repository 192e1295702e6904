"""A statement about a subject's attribute, and its effect on the known facts: a change, or a dispute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from everword.facts import timeline
from everword.facts.attributes import find_attribute
from everword.facts.change_words import is_change
from everword.facts.model import FactRuling, FactSource, FactState, Key, SleepVerdict
from everword.facts.rows import FactRow, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.writer import LockedAttribute
from everword.jobs.enqueue import SESSION_IDLE_S

#: A statement after a pause of this length is made in another session.
ANOTHER_SESSION = timedelta(seconds=SESSION_IDLE_S)
#: Least evidence of an established fact that outweighs a passing statement; anchors are established by two pieces.
_RESISTING = 3


@dataclass(frozen=True)
class FactStatement:
    """A statement about a subject's attribute."""

    key: Key
    value: str
    source: FactSource
    #: When it begins to hold.
    since: datetime
    #: At least one piece.
    pieces: Sequence[NewEvidence]
    until: datetime | None = None
    hypothesis: bool = False
    #: None as the attribute is known.
    several: bool | None = None
    category: str = ""
    #: 0 as the attribute is known.
    lifetime_days: int = 0
    agent: str = ""
    #: True if it comes from an untrusted channel, or from a tool. It never changes a trusted fact: it is
    #: only stored as evidence, and opens a dispute.
    is_untrusted: bool = False

    @property
    def is_several(self) -> bool:
        """Return whether the attribute has several values at a time."""
        known = find_attribute(self.key.attribute).several
        return known if self.several is None else self.several

    @property
    def said_at(self) -> datetime:
        return max(piece.said_at for piece in self.pieces)

    @property
    def is_passing(self) -> bool:
        """Return whether a person describes something in passing, without saying that it has changed.

        Callers' own words, such as an agent's note, are deliberate.
        """
        said = self.source in (FactSource.STATED, FactSource.INFERRED)
        return said and self.until is None and not any(is_change(p.quote) for p in self.pieces)


def decide(locked: LockedAttribute, fact: FactRow, statement: FactStatement) -> TimelineChange:
    """Return the changes of a statement.

    There are none if a guess contradicts a statement, or a ruling made since, and if an untrusted source contradicts a
    trusted one.
    """
    rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
    if rejected or all(piece.contradicts for piece in statement.pieces):
        return NOTHING
    if statement.is_untrusted and fact.id in locked.voices.addressed:
        return NOTHING
    trusted_ids = locked.voices.supported
    rival = _rival(locked, fact, statement.since)
    # A trusted source overrides an untrusted rival.
    if rival is not None and (statement.is_untrusted or rival.id in trusted_ids):
        known = rival.state in (FactState.CONFIRMED, FactState.ESTABLISHED)
        ruled = rival.ruled_at is not None and statement.said_at <= rival.ruled_at
        guessed = statement.hypothesis and not rival.hypothesis
        if (
            ruled
            or guessed
            or (known and (statement.hypothesis or statement.source is FactSource.INFERRED))
        ):
            return NOTHING
    state = timeline.state_untrusted if statement.is_untrusted else timeline.state_trusted
    return state(
        locked.believed, trusted_ids, fact.id, statement.since, statement.until, fact.several
    )


def find_resisting_fact(
    locked: LockedAttribute, fact: FactRow, statement: FactStatement
) -> FactRow | None:
    """Return the established fact that a passing statement contradicts: one sentence does not end it."""
    rival = _rival(locked, fact, statement.since)
    if rival is None or not statement.is_passing or not find_attribute(fact.attribute).is_steady:
        return None
    is_established = rival.state == FactState.ESTABLISHED and rival.supporting >= _RESISTING
    is_alive = statement.said_at < rival.last_seen_at + timedelta(days=rival.lifetime_days)
    return rival if is_established and is_alive else None


def is_repeated(known: FactRow | None, rival: FactRow, statement: FactStatement) -> bool:
    """Return whether another session stated the value before, since the rival was last mentioned."""
    if known is None or known.hypothesis or known.state == FactState.REJECTED:
        return False
    if statement.hypothesis or statement.source is not FactSource.STATED:
        return False
    is_later = known.last_seen_at > rival.last_seen_at
    return is_later and statement.said_at >= known.last_seen_at + ANOTHER_SESSION


def _rival(locked: LockedAttribute, fact: FactRow, since: datetime) -> FactRow | None:
    """Return the other fact that is current at a moment, for an attribute with one value at a time."""
    found = next((each for each in locked.believed if each.covers(since)), None)
    if fact.several or found is None or found.fact_id == fact.id:
        return None
    return locked.facts[found.fact_id]


def find_contradicted_fact(
    locked: LockedAttribute, fact: FactRow, statement: FactStatement
) -> FactRow | None:
    """Return the fact that a statement speaks against without taking its place."""
    rival = _rival(locked, fact, statement.since)
    if rival is not None and statement.is_untrusted and rival.id in locked.voices.supported:
        is_rejected = fact.ruling == FactRuling.WRONG or fact.verdict == SleepVerdict.REJECTED
        return None if is_rejected else rival
    is_believed = any(each.fact_id == fact.id for each in locked.believed)
    return None if is_believed else rival


def find_rejected_untrusted(locked: LockedAttribute, change: TimelineChange) -> list[UUID]:
    """Return the untrusted facts that become disbelieved for all time, even before the trusted fact."""
    retained = {each.fact_id for each in change.believed}
    untrusted = [
        each.fact_id
        for each in change.disbelieved
        if each.fact_id not in retained and each.fact_id not in locked.voices.supported
    ]
    return sorted(set(untrusted))

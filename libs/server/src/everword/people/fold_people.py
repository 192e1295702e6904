"""Computes the state of a person from all statements about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everword.facts.model import value_hash
from everword.people.mentions import NAME, RELATION, STATUS
from everword.people.model import PersonRuling, RelationStatus, StatementEvidence
from everword.people.names import is_former, relation_core, words_of


@dataclass(frozen=True)
class PersonState:
    """Somebody, as they are known."""

    name: str
    aliases: list[str]
    relation: str
    status: RelationStatus
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime


def fold_person(
    evidence: Sequence[StatementEvidence], ruled_over_at: datetime | None = None
) -> PersonState:
    """Return the state of a person from the statements, in whatever order they were learned.

    There is at least one statement of the name. `ruled_over_at` is the time at which the relation was ruled to be over;
    earlier statements then change nothing.
    """
    said = sorted(evidence, key=lambda each: (each.said_at, each.message_id))
    names = [each.value for each in said if each.aspect == NAME]
    name = _fullest(names)
    aliases = {value_hash(each): each for each in reversed(names)}
    aliases.pop(value_hash(name), None)
    relation = next((each.value for each in reversed(said) if each.aspect == RELATION), "")
    return PersonState(
        name,
        sorted(aliases.values()),
        relation,
        _status(said, ruled_over_at),
        len({each.message_id for each in said}),
        said[0].said_at,
        said[-1].said_at,
    )


def over_since(ruling: int | None, ruled_at: datetime | None) -> datetime | None:
    """Return when a person ruled that something is over."""
    return ruled_at if ruling == PersonRuling.OVER else None


def _fullest(names: Sequence[str]) -> str:
    """Return the name with the most words; of these the one that is written most often, and first."""
    counts = Counter(names)
    return max(counts, key=lambda name: (len(words_of(name)), counts[name], -names.index(name)))


def _status(said: Sequence[StatementEvidence], ruled_over_at: datetime | None) -> RelationStatus:
    """Return the latest status: as it is stated, or as another relation than before begins or ends one."""
    status, relation = RelationStatus.ACTIVE, ""
    if ruled_over_at is not None:
        status = RelationStatus.ENDED
    for each in said:
        found: RelationStatus | None = None
        if each.aspect == STATUS:
            found = RelationStatus[each.value.upper()]
        elif each.aspect == RELATION:
            core = relation_core(each.value)
            if is_former(each.value):
                found = RelationStatus.ENDED
            elif relation and core != relation and status is RelationStatus.ENDED:
                found = RelationStatus.ACTIVE
            relation = core
        if found is not None and (ruled_over_at is None or each.said_at > ruled_over_at):
            status = found
    return status

"""Turns a mention of a person or an event into statements, one for each aspect."""

from __future__ import annotations

from datetime import UTC, datetime

from everword.people.model import EventMention, PersonMention, PersonStatement

NAME, RELATION, STATUS, DETAIL = "name", "relation", "status", "detail"
TITLE, START, END = "title", "start", "end"
IMPORTANCE, DECAY_DAYS = "importance", "decay_days"


def person_statements(mention: PersonMention) -> list[PersonStatement]:
    """Return the statements of a mention about a person."""
    values = [(NAME, mention.name)]
    if mention.relation:
        values.append((RELATION, mention.relation))
    if mention.status is not None:
        values.append((STATUS, mention.status.name.lower()))
    values += [(DETAIL, detail) for detail in mention.details]
    return [PersonStatement(aspect, value, mention.said) for aspect, value in values]


def event_statements(mention: EventMention) -> list[PersonStatement]:
    """Return the statements of a mention about an event."""
    values = [
        (TITLE, mention.title),
        (IMPORTANCE, f"{mention.importance:g}"),
        (DECAY_DAYS, f"{mention.decay_days:d}"),
    ]
    if mention.starts_at is not None:
        values.append((START, _text(mention.starts_at)))
    if mention.ends_at is not None:
        values.append((END, _text(mention.ends_at)))
    if mention.status is not None:
        values.append((STATUS, mention.status.name.lower()))
    return [PersonStatement(aspect, value, mention.said) for aspect, value in values]


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()

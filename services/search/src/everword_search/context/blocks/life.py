"""The life block: how a subject communicates, their upcoming events, and the people named in the query.

## People and events
[4] Communication: casual, direct, brief
[5] Knee surgery: health, 2026-04-01
[6] Anna: wife, ended. Anna plays the cello. (last spoken of on 2026-03-01)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from zoneinfo import ZoneInfo

from everword.domain.times import local_time
from everword.people.model import RelationStatus
from everword.people.names import words_of
from everword.text.values.spellings import is_same_name
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.blocks.questions import is_about_present, subjects_of
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.people.known_people import (
    CurrentEvent,
    MentionedPerson,
    PersonDetail,
    Style,
    find_current_events,
    find_mentioned_people,
    find_style,
    read_details,
)

#: Maximum people read, people shown, details of each, and events shown.
_CHECKED, MOST_PEOPLE, _DETAILS, MOST_EVENTS = 200, 10, 2, 5


async def find_life(block_request: BlockRequest) -> Sequence[ContextCandidate]:
    """Return the subject's style, the people named in the query, and the most important events."""
    subjects = subjects_of(block_request)
    if not subjects or not is_about_present(block_request):
        return []
    async with block_request.sources.database.transaction(block_request.namespace.id) as conn:
        style = await find_style(conn, block_request.namespace.id, subjects)
        events = await find_current_events(conn, block_request.namespace.id, subjects, MOST_EVENTS)
        people = await find_mentioned_people(conn, block_request.namespace.id, subjects, _CHECKED)
        named = [each for each in people if is_named(block_request.text, each)][:MOST_PEOPLE]
        ids = [each.id for each in named]
        details = await read_details(conn, block_request.namespace.id, ids, _DETAILS) if ids else {}
    zone = ZoneInfo(block_request.start.settings.time_zone)
    found = [
        *_of_style(style),
        *(_of_person(each, details.get(each.id, ()), zone) for each in named),
        *(_of_event(each, zone) for each in events),
    ]
    # People named in the query precede events.
    return [replace(each, place=place, score=-float(place)) for place, each in enumerate(found)]


def is_named(text: str, person: MentionedPerson) -> bool:
    """Return whether a text contains a word of a person's name or aliases, with variant spellings."""
    said = set(words_of(text))
    names = {word for name in (person.name, *person.aliases) for word in words_of(name)}
    if said & names:
        return True
    return any(is_same_name(word, name) for word in said for name in names)


def _of_style(style: Sequence[Style]) -> list[ContextCandidate]:
    words = ", ".join(f"{each.dimension} {each.value}" for each in style)
    return [ContextCandidate("Communication", words)] if words else []


def _of_event(event: CurrentEvent, zone: tzinfo) -> ContextCandidate:
    when = f", {local_time(event.starts_at, zone).date()}" if event.starts_at else ""
    return ContextCandidate(event.title, f"{event.category}{when}")


def _of_person(
    person: MentionedPerson, details: Sequence[PersonDetail], zone: tzinfo
) -> ContextCandidate:
    parts = [person.relation or "somebody whom the user knows"]
    if person.status != RelationStatus.ACTIVE:
        parts.append(RelationStatus(person.status).name.lower())
    words = ". ".join([", ".join(parts), *(each.value.rstrip(".") for each in details)])
    remark = f"last spoken of on {local_time(person.last_seen_at, zone).date()}"
    return ContextCandidate(person.name, words, remark=remark)


LIFE = BlockKind(BlockSource.LIFE, 0.05, find_life, lambda present: present.people)

"""Write questions worth asking a subject, in the caller's transaction. Rules find them; no model is needed."""

from __future__ import annotations

from datetime import datetime, timedelta

from everword.db.pool import Connection
from everword.people import store
from everword.people.questions import (
    CLARIFIED_FROM,
    DEEPENED_FROM,
    IMPORTANT,
    SuggestedQuestion,
    clarify,
    deepen_event,
    deepen_person,
    probe,
    verify,
)

#: Number of questions of each kind at a time; the others follow the next time.
_MOST = 50
#: How long ago something may have changed to be asked about.
_RECENT = timedelta(days=90)


async def find_questions(
    conn: Connection, namespace_id: int, subject: str, now: datetime
) -> list[SuggestedQuestion]:
    """Return new questions worth asking, in the order of their kinds."""
    expired = await store.find_expired(conn, namespace_id, subject, now, _MOST)
    changed = await store.find_changed(conn, namespace_id, subject, now - _RECENT, now, _MOST)
    inferred = await store.find_inferred(conn, namespace_id, subject, CLARIFIED_FROM, _MOST)
    people = await store.find_unknown_people(conn, namespace_id, subject, DEEPENED_FROM, _MOST)
    events = await store.find_unsupported_events(conn, namespace_id, subject, IMPORTANT, now, _MOST)
    return [
        *map(verify, expired),
        *map(probe, changed),
        *map(clarify, inferred),
        *(
            deepen_person(each.id, each.subject, each.name, each.mention_count, each.occasion)
            for each in people
        ),
        *(deepen_event(each.id, each.title, each.category, each.occasion) for each in events),
    ]


async def ask(conn: Connection, namespace_id: int, subject: str, now: datetime) -> int:
    """End answered questions, and store new ones; return the number of new ones."""
    await store.lock_subject(conn, namespace_id, subject)
    await store.answer_strategies(conn, namespace_id, subject, now)
    questions = await find_questions(conn, namespace_id, subject, now)
    stored = [
        await store.insert_strategy(conn, namespace_id, subject, question, now)
        for question in questions
    ]
    return sum(stored)

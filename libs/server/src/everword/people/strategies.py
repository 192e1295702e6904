"""Write what is worth asking a subject, in the caller's transaction. Rules find it; no model is needed."""

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

#: Of each kind, at a time; the others come the next time.
_MOST = 50
#: How long ago something may have changed to be asked about.
_RECENT = timedelta(days=90)


async def find_questions(
    conn: Connection, namespace_id: int, subject: str, now: datetime
) -> list[SuggestedQuestion]:
    """Return what is worth asking and is not asked about yet, in the order of its kinds."""
    expired = await store.find_expired(conn, namespace_id, subject, now, _MOST)
    changed = await store.find_changed(conn, namespace_id, subject, now - _RECENT, now, _MOST)
    inferred = await store.find_inferred(conn, namespace_id, subject, CLARIFIED_FROM, _MOST)
    people = await store.find_unknown_people(conn, namespace_id, subject, DEEPENED_FROM, _MOST)
    events = await store.find_untold_events(conn, namespace_id, subject, IMPORTANT, now, _MOST)
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
    """End the questions that were answered, and store those that are worth asking; return how many are new."""
    await store.lock_subject(conn, namespace_id, subject)
    await store.answer_strategies(conn, namespace_id, subject, now)
    questions = await find_questions(conn, namespace_id, subject, now)
    stored = [
        await store.insert_strategy(conn, namespace_id, subject, question, now)
        for question in questions
    ]
    return sum(stored)

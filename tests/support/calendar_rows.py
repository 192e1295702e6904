"""Rows of the calendar, and parameters with which each of its statements affects them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id

DAY_ID = UUID(int=20_000_101)
DAY = date(2000, 1, 1)
WEEK_ID = UUID(int=20_000_102)
WEEK = date(1999, 12, 27)
MOMENT = datetime(2000, 1, 1, 12, tzinfo=UTC)
PENDING_ID = 1_000_000
PHONE = "phone of theirs"


def insert_calendar(
    conn: psycopg.Connection, namespace_id: int, conversation_id: UUID, content: str
) -> None:
    """Insert a day that needs review, its week, its pending entries, its job, and a voice."""
    conn.execute(
        """INSERT INTO summaries (namespace_id, id, level, period, subject, instance, name, title, content,
                                  message_count, earliest_at, latest_at, needs_review, faithfulness)
           VALUES (%s, %s, 4, %s, 'theirs', %s, '2000-01-01/theirs', 'A day with a title', %s, 1, %s, %s, true,
                   '{"unsupported": ["an invention of theirs"]}')""",
        (namespace_id, DAY_ID, DAY, PHONE, content, MOMENT, MOMENT),
    )
    # Its week, which needs no review, with its passage.
    conn.execute(
        """INSERT INTO summaries (namespace_id, id, level, period, subject, name, title, content, message_count,
                                  earliest_at, latest_at)
           VALUES (%s, %s, 5, %s, 'theirs', 'Week of theirs', 'A week with a title', %s, 1, %s, %s)""",
        (namespace_id, WEEK_ID, WEEK, content, MOMENT, MOMENT),
    )
    conn.execute(
        """INSERT INTO memories (namespace_id, kind, source_id, part, occurred_at, content, lexemes, lexeme_count,
                                 ranking)
           VALUES (%s, 2, %s, 0, %s, %s, to_tsvector('english', %s), 1, '')""",
        (namespace_id, WEEK_ID, MOMENT, content, content),
    )
    conn.execute(
        """INSERT INTO calendar_pending (namespace_id, id, level, period, subject, instance, conversation_id, seqs)
           OVERRIDING SYSTEM VALUE VALUES (%s, %s, 4, %s, 'theirs', %s, %s, '{1,2}')""",
        (namespace_id, PENDING_ID, DAY, PHONE, conversation_id),
    )
    conn.execute(
        "INSERT INTO jobs (namespace_id, task, subject) VALUES (%s, 'roll-up', 'day/2000-01-01')",
        (namespace_id,),
    )
    conn.execute(
        "INSERT INTO summary_voices (namespace_id, identity) VALUES (%s, 'An identity of theirs')",
        (namespace_id,),
    )


def calendar_parameters(conversation_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the calendar's statements, and of the statements with which ingest schedules calendar
    work.
    """
    package = "everword_compactor.calendar"
    day = {"level": 4, "period": DAY, "subject": "theirs", "instance": PHONE}
    pending = {"pending_ids": [PENDING_ID], "id": None}
    said = {"days": [DAY], "instances": ["smuggled"], "seqs": [1000]}
    digest = sha256(b"theirs").hexdigest()
    names = ("pending_instances", "pending_rows", "read_period")
    return {
        **{f"{package}.{name}": day for name in names},
        **{f"{package}.{name}": pending for name in ("read_pending_messages", "delete_pending")},
        f"{package}.enqueue_period": {"level": 5, "period": DAY, "subject": "smuggled"},
        f"{package}.find_subject": {"level": 4, "period": DAY, "digest": digest},
        f"{package}.read_parts": {
            "level": 4,
            "subject": "theirs",
            "since": DAY,
            "before": date(2000, 1, 2),
        },
        f"{package}.read_unsupported": {"summary_ids": [DAY_ID]},
        f"{package}.enqueue_lost_periods": {},
        f"{package}.open_roll_ups": {"parked_s": 60.0},
        f"{package}.page_messages": {
            "after_occurred_at": datetime(1000, 1, 1, tzinfo=UTC),
            "after_id": UUID(int=0),
            "before": datetime(9000, 1, 1, tzinfo=UTC),
        },
        f"{package}.enqueue_messages": {
            **said,
            "subjects": ["smuggled"],
            "conversation_ids": [conversation_id],
        },
        "everword_search.passages.find_period_nodes": {"first": WEEK, "end": DAY},
        "everword_ingest.namespaces.set_voice": {
            **dict.fromkeys(("identity", "user_name", "pronouns"), "smuggled"),
            "channel_instructions": "{}",
            "handles": "{}",
        },
        "everword_ingest.messages.enqueue_days": {**said, "subject": "smuggled"},
        "everword_ingest.memories.insert_significant": {
            **dict.fromkeys(("agent", "subject", "instance"), ""),
            "id": new_id(),
            "name": "2026-04-14 · Smuggled in.",
            "content": "Smuggled in.",
            "occurred_at": MOMENT,
            "token_count": 3,
        },
    }

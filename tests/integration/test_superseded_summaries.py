"""A summary with an outdated value is marked in the same way as its messages."""

from __future__ import annotations

from uuid import UUID, uuid4

import psycopg

from support.stack import Stack
from support.stated_facts import find, ids, marks, tell
from support.summary_rows import INSERT_SOURCE, INSERT_SUMMARY


async def test_summary_of_superseded_value_is_marked_unless_it_has_the_current_one(
    stack: Stack,
) -> None:
    texts = ("They live in Berlin.", "They moved from Berlin to Lisbon.", "They live somewhere.")
    old = [
        await tell(stack, "I live in Berlin.", "Berlin", day, subject="emi")
        for day in range(len(texts))
    ]
    new = await tell(stack, "We moved to Lisbon!", "Lisbon", 100, subject="emi")
    with stack.database.connect() as conn:
        sums = [
            sum_up(conn, id_, text, level)
            for level, (id_, text) in enumerate(zip(old, texts, strict=True), 1)
        ]
    found = await find(stack, "Where do they live, in Berlin?", subject="emi", page_size=20)
    assert {*old, new, *sums} <= set(ids(found))
    expected = ["Berlin replaced 2024-04-10 -> Lisbon"]
    assert marks(found) == dict.fromkeys((*old, sums[0]), expected)
    assert ids(found).index(new) < min(map(ids(found).index, (*old, sums[0])))


def sum_up(conn: psycopg.Connection, message_id: str, text: str, level: int) -> str:
    """Store and index a summary of a message; return its id."""
    [[namespace_id, conversation_id]] = conn.execute(
        "SELECT namespace_id, conversation_id FROM messages WHERE id = %s", [message_id]
    ).fetchall()
    id_ = uuid4()
    node = {"id": id_, "level": level, "seq": 1, "parent_id": None, "needs_review": False}
    of = {"namespace_id": namespace_id, "conversation_id": conversation_id, "content": text}
    conn.execute(INSERT_SUMMARY, {**node, **of})
    conn.execute(INSERT_SOURCE, (namespace_id, id_, UUID(message_id), None))
    conn.execute(
        "INSERT INTO memories (namespace_id, kind, source_id, conversation_id, subject, occurred_at, content, lexemes, "
        "lexeme_count) VALUES (%s, 2, %s, %s, 'emi', now(), %s, to_tsvector('english', %s), 3)",
        [namespace_id, id_, conversation_id, text, text],
    )
    return str(id_)

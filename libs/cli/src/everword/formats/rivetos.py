"""RivetOS' tables in Postgres, `ros_conversations` and `ros_messages`, read by the address of their database.

Summaries, vectors and how often a message was found are left out: Everword makes its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.rows import DictRow, dict_row

from everword.formats.records import Conversation, Record, conversation
from everword.transcripts import Entry, Meter, TranscriptError, time_of

_ROWS = 500
_COUNT = "SELECT count(*) AS messages FROM ros_messages"
#: Until its migration 0009, several conversations could have one key. They become one. Since 0013 they have owners.
_READ = """
SELECT c.session_key, c.agent, c.channel, c.channel_id, c.bot_identity, c.title, c.settings,
       to_jsonb(c) ->> 'owner_user_id' AS owner,
       m.id, m.role, m.content, m.tool_name, m.tool_args, m.tool_result, m.metadata,
       -- As JSON text, which does not depend on the server's date style and can represent infinity.
       to_jsonb(m.created_at) #>> '{}' AS created_at
FROM ros_messages m JOIN ros_conversations c ON c.id = m.conversation_id
ORDER BY c.session_key, c.agent, c.channel, m.created_at, m.id
"""


def read(address: str, place: str, meter: Meter) -> Iterator[Record]:
    """Yield the messages of all conversations, in one snapshot of the database. Raises TranscriptError."""
    try:
        with psycopg.connect(address, row_factory=dict_row) as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            counted = connection.execute(_COUNT).fetchone()
            meter.total = counted["messages"] if counted else 0
            with connection.cursor(name="everword_import") as cursor:
                cursor.itersize = _ROWS
                yield from _messages(cursor.execute(_READ), place, meter)
    except psycopg.errors.UndefinedTable:
        raise TranscriptError(
            f"{place}: its search path contains no tables of RivetOS; name their schema with "
            "?options=-csearch_path%3DNAME"
        ) from None
    except psycopg.Error as error:
        raise TranscriptError(f"{place}: {str(error).strip()}") from None


def _messages(rows: psycopg.ServerCursor[DictRow], place: str, meter: Meter) -> Iterator[Entry]:
    last: tuple[object, ...] = ()
    into: Conversation | None = None
    for row in rows:
        meter.done += 1
        meter.at = where = f"{place}: message {row['id']}"
        key = (row["session_key"], row["agent"], row["channel"])
        if key != last:
            last, into = key, None
            with meter.skipping(f"{place}: conversation {row['session_key']}"):
                into = _conversation(row, place)
        if into is None:
            # Its conversation is malformed and was already reported.
            continue
        with meter.skipping(where):
            yield into.message(
                str(row["id"]),
                role=row["role"],
                content=row["content"],
                tool_name=row["tool_name"],
                tool_args=_text(row["tool_args"]),
                tool_result=row["tool_result"],
                metadata=row["metadata"],
                create_time=time_of(row["created_at"], where),
            )


def _conversation(row: dict[str, Any], place: str) -> Conversation:
    return conversation(
        row["session_key"],
        f"{place}: conversation {row['session_key']}",
        channel=row["channel"],
        agent=row["agent"],
        channel_id=row["channel_id"],
        bot_identity=row["bot_identity"],
        title=row["title"],
        subject=row["owner"],
        settings=row["settings"],
    )


def _text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)

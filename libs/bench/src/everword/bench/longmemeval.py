"""The format of LongMemEval: a list of questions, each with its own history.

A turn is relevant if `has_answer` is set; a question whose id ends in `_abs` has no answer.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.bench.dataset import Dataset, Query
from everword.transcripts import Entry, TranscriptError, as_object, read_conversation

#: Fields without which an item cannot be read; `answer` and others are not needed.
FIELDS = (
    "question_id",
    "question_type",
    "question",
    "haystack_session_ids",
    "haystack_dates",
    "haystack_sessions",
)
UNANSWERABLE = "_abs"
_WEEKDAY = re.compile(r"\s*\([^)]*\)\s*")
#: The format dates sessions alone; its turns follow each other by so much.
TURN = timedelta(seconds=1)


def is_longmemeval(document: object) -> bool:
    """Return whether a JSON document is in LongMemEval's format."""
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], dict)
        and "haystack_sessions" in document[0]
    )


def worlds_of_items(document: object, place: str) -> list[Dataset]:
    """Return a dataset for each question. Raises TranscriptError."""
    assert isinstance(document, list)
    return [
        _world(as_object(item, f"{place}: question {number}"), f"{place}: question {number}")
        for number, item in enumerate(document, start=1)
    ]


def _world(item: dict[str, Any], place: str) -> Dataset:
    if missing := [name for name in FIELDS if name not in item]:
        raise TranscriptError(f"{place}: it has no {missing[0]}")
    sessions, dates = item["haystack_sessions"], item["haystack_dates"]
    lists = (item["haystack_session_ids"], dates, sessions)
    if not all(isinstance(each, list) for each in lists) or len({len(each) for each in lists}) != 1:
        raise TranscriptError(f"{place}: its sessions, their ids and their dates must be as many")
    name = str(item["question_id"])
    entries: list[Entry] = []
    relevant: set[str] = set()
    for number, (session_id, date, turns) in enumerate(zip(*lists, strict=True), start=1):
        where = f"{place}, session {number}"
        # A session may be in a history twice.
        session = f"{number}-{session_id}"
        messages, answers = _messages(turns, session, _time(date, where), where)
        entries += read_conversation({"conversation": session, "messages": messages}, place)
        relevant |= answers
    answerable = not name.endswith(UNANSWERABLE)
    query = Query(
        id=name,
        text=str(item["question"]),
        category=str(item["question_type"]),
        relevant=frozenset(relevant) if answerable else frozenset(),
        answerable=answerable,
    )
    return Dataset(name, tuple(entries), (query,))


def _messages(
    turns: object, session: str, begin: datetime, place: str
) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the messages of a session, and the ids of those that hold the answer."""
    if not isinstance(turns, list):
        raise TranscriptError(f"{place}: a session must be a list of turns")
    messages: list[dict[str, Any]] = []
    answers: set[str] = set()
    for number, each in enumerate(turns, start=1):
        turn = as_object(each, f"{place}, turn {number}")
        message_id = f"{session}:{number}"
        messages.append(
            {
                "id": message_id,
                "session": session,
                "role": turn.get("role", ""),
                "content": turn.get("content", ""),
                "create_time": (begin + number * TURN).isoformat(),
            }
        )
        if turn.get("has_answer"):
            answers.add(message_id)
    return messages, answers


def _time(date: object, place: str) -> datetime:
    """Return a time such as `2023/05/20 (Sat) 02:21`, which the format gives without a zone."""
    text = _WEEKDAY.sub(" ", str(date)).strip()
    for pattern in ("%Y/%m/%d %H:%M", "%Y/%m/%d"):
        try:
            return datetime.strptime(text, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise TranscriptError(f"{place}: {date!r} is not a date such as 2023/05/20 (Sat) 02:21")

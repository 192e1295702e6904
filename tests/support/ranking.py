"""A short conversation as the ranking reads it from the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from everword.text.ranking_record import message_traits, pack_record
from everword_search.ranking.features import Question
from everword_search.ranking.store import CandidateRow

START = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
CONVERSATION = UUID(int=1)
TURNS = (
    "Hi Jon! How are you?",
    "I adopted two turtles last week.",
    "How long have you wanted them?",
    "For three years now!",
    "Turtles are slow, and so am I.",
    "The weather is nice today.",
    "I am going to the cinema tomorrow.",
)


def row(
    number: int,
    text: str,
    *,
    author: str = "",
    seq: int | None = None,
    conversation: UUID = CONVERSATION,
    minutes: float | None = None,
    part: int = 0,
) -> CandidateRow:
    moment = START + timedelta(minutes=number if minutes is None else minutes)
    record = pack_record(text, message_traits(text), "english")
    place = number if seq is None else seq
    return CandidateRow(
        number * 10 + part,
        UUID(int=1000 + number),
        part,
        conversation,
        place,
        True,
        author or ("Nate" if number % 2 else "Jon"),
        2,
        moment,
        record,
        None,
        1,
        False,
        True,
    )


def chat(texts: Sequence[str] = TURNS) -> list[CandidateRow]:
    return [row(number, text) for number, text in enumerate(texts, start=1)]


def ask(text: str, *names: str, time_zone: str = "UTC") -> Question:
    ignored = frozenset({"how", "had", "has", "his", "the", "did", "a", "to", "is", "when", "in"})
    return Question.ask(text, frozenset(names), ignored, "english", time_zone)

"""A sample conversation for the extractive composer, and helpers that run it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composition, Draft, Level, Source

START = datetime(2026, 4, 18, 12, 0, tzinfo=UTC)
CHAT = UUID(int=77)
TALK = [
    ("Emi", "Hey Tom! How have you been?"),
    ("Tom", "Good, thanks! That's great to hear from you."),
    (
        "Emi",
        "I moved to Lisbon on 3 March and found a flat near Rua Augusta for 940 euros a month.",
    ),
    ("Tom", "Wow!"),
    ("Tom", "That's awesome, Emi! You must be so happy about it, it sounds really great to me."),
    (
        "Emi",
        "The deploy of everword-search 2.4.1 failed with commit 9f3c2ab on host db-07. We rolled it back.",
    ),
    ("Tom", "Oh no. Sounds good that you did it, really. Great to hear!"),
    ("Tom", "My sister Clara plays the cello in the Gulbenkian orchestra since September 2024."),
    ("Emi", "Cool, I love that so much! What a nice thing to do."),
    ("Tom", "Bye Emi! Talk to you soon!"),
]


def message(number: int, author: str, text: str, **changed: Any) -> Source:
    at = START + timedelta(minutes=number)
    given: dict[str, Any] = {
        "id": UUID(int=number + 1),
        "level": 0,
        "text": text,
        "earliest_at": at,
        "latest_at": at,
        "message_count": 1,
        "conversation_id": CHAT,
        "agent": "opus",
        "role": 2,
        "author": author,
    }
    return Source(**given | changed)


def talk(**changed: Any) -> list[Source]:
    return [message(number, *said, **changed) for number, said in enumerate(TALK)]


def compose(level: Level, sources: Sequence[Source], **draft: Any) -> Composition:
    composed = ExtractiveComposer().compose(Draft(level, sources, "a title", **draft), lambda: None)
    assert composed.model == "extractive"
    assert composed.prompt_version == ExtractiveComposer().prompt_version(level)
    assert not composed.needs_review, composed.faithfulness
    assert composed.token_count == -(-len(composed.content.encode()) // 4)
    return composed


def as_source(
    level: Level, composed: Composition, sources: Sequence[Source], **changed: Any
) -> Source:
    given: dict[str, Any] = {
        "id": UUID(int=1000),
        "level": int(level),
        "text": composed.content,
        "earliest_at": sources[0].earliest_at,
        "latest_at": sources[-1].latest_at,
        "message_count": len(sources),
    }
    return Source(**given | changed)

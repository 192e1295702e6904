"""The voice of summaries in the text of a real language model. Skipped unless EVERWORD_TEST_LLM_URL names a server."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.compose.model import Draft, Level, Source, Voice
from everword_compactor.compose.names import with_names

URL = os.environ.get("EVERWORD_TEST_LLM_URL", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not URL, reason="EVERWORD_TEST_LLM_URL is not set"),
]

NOON = datetime(2026, 4, 18, 12, 0, tzinfo=UTC)
CHAT = UUID(int=7)
VOICE = Voice(
    identity="You are Lumen, a gardener who has worked with Emi on her balcony for two years. You speak calmly.",
    user_name="Emi",
    pronouns="she/her",
    handles={"heron7": "Sibylle"},
)
SAID = [
    (
        "",
        "The tomatoes on my balcony have yellow leaves again. I watered them every evening last week, maybe too much?",
    ),
    (
        "Lumen",
        "Yellow leaves at the bottom often mean too much water. Let the soil dry for three days, then water "
        "only in the morning.",
    ),
    ("", "Good. heron7 gave me a bag of lava stones, I will put them into the pots on Saturday."),
    (
        "Lumen",
        "I will remind you on Saturday at nine, and I will look up which of your pots have no hole at the bottom.",
    ),
    (
        "",
        "Thank you! And please remember that I am allergic to lavender, so none of that next to the door.",
    ),
]


@pytest.fixture
def composer() -> Iterator[LlmComposer]:
    model = os.environ.get("EVERWORD_TEST_LLM_MODEL", "qwen")
    chat = BlockingChat(ChatSettings(URL, model))
    yield LlmComposer(chat)
    chat.close()


@pytest.mark.parametrize("level", [Level.LEAF, Level.DAY], ids=["leaf", "day"])
def test_model_writes_in_the_first_person_and_names_the_user(
    composer: LlmComposer, level: Level
) -> None:
    sources = [
        Source(
            id=UUID(int=n + 1),
            level=0,
            text=text,
            earliest_at=NOON + timedelta(minutes=n),
            latest_at=NOON + timedelta(minutes=n),
            message_count=1,
            conversation_id=CHAT,
            agent="Lumen",
            channel="chat",
            role=3 if author else 2,
            author=author,
            instance="home",
        )
        for n, (author, text) in enumerate(SAID)
    ]
    named = with_names(sources, VOICE, lambda: None)
    title = "2026-04-18" if level is Level.DAY else "Tomatoes"
    draft = Draft(
        level, named, title, conversation_id=CHAT, agent="Lumen", channel="chat", voice=VOICE
    )
    made = composer.compose(draft, lambda: None)
    print(made.content)
    assert re.search(r"\b(I|me|my|I'll)\b", made.content)
    assert re.search(r"\bEmi\b", made.content)
    assert not re.search(r"\bthe user\b|heron7", made.content, re.IGNORECASE)

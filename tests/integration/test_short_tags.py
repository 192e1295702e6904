"""Bullets of a day with the same tags are grouped under one tag line."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from everword_compactor.compose.checks.tags import check_tags, group_bullets, spread_tags
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Level, Source

CHATS = [UUID(int=number << 64 | 0xABCDEF) for number in (1, 2, 3)]
SENTENCE = "Emi told {} that the meeting on the roof begins at half past {} and takes {} minutes."
NOON = datetime(2026, 4, 14, 12, tzinfo=UTC)


def bullet(number: int) -> str:
    text = SENTENCE.format(f"guest {number}", number % 12 + 1, number + 20)
    return f"- {text} [chat:{CHATS[number % 3]}] [via:psy {number % 3}]"


def source(text: str, level: Level | None = None, number: int = 0) -> Source:
    chat = None if level else CHATS[number]
    instance = "" if level else f"psy {number}"
    return Source(UUID(int=7), level or 0, text, NOON, NOON, 1, chat, instance=instance)


def test_grouped_tags_take_at_most_a_fifth_of_a_day_without_loss() -> None:
    bullets = [bullet(number) for number in range(18)]
    day = group_bullets("\n".join(bullets))
    lines = day.splitlines()
    tags = sum(len(line) for line in lines if line.startswith("[chat:"))
    assert tags / len(day) <= 0.2
    assert [line.startswith("[chat:") for line in lines].count(True) == 3
    # Lines of one conversation are grouped, in order; no line is lost.
    assert spread_tags(day).splitlines() == bullets[0::3] + bullets[1::3] + bullets[2::3]
    messages = [source("Something.", number=number) for number in range(3)]
    assert not check_tags(day, messages, Level.DAY)
    assert check_tags(f"# News\n- Untold.\n{day}", messages, Level.DAY)
    week = ExtractiveComposer().compose(
        Draft(Level.WEEK, [source(day, Level.DAY)], "2026-W16"), lambda: None
    )
    assert not week.needs_review
    assert all(f"[via:psy {number}]" in week.content for number in range(3))
    assert "[chat:" not in week.content
    assert "guest 4" in week.content


@pytest.mark.parametrize(
    "content",
    [
        "",
        "No bullet at all.",
        "- Bare.\n- Also bare.",
        "- [chat:x]",
        "- Odd [chat:x] inside. [via:y]",
        "- Odd [chat:x]  [via:y]",
        f"- Bare.\n- One. [chat:{CHATS[0]}]\n- Two. [via:a\\]b]\n  goes on",
    ],
)
def test_group_and_spread_tags_restores_every_line(content: str) -> None:
    spread = spread_tags(group_bullets(content)).splitlines()
    assert sorted(spread) == sorted(line for line in content.splitlines() if line)

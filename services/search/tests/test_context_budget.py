"""Dividing a token budget: never exceeded, turns first up to half, what is left over used."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from everword.domain.records import MessageRecord
from everword_search.context.budget import SEPARATOR, Block, Plan, divide_budget
from everword_search.context.text import Item, count_tokens, turn_item


def item(number: int, tokens: int, score: float = 0.0) -> Item:
    """Return an item whose text costs what it says."""
    return Item(UUID(int=number), "x" * (4 * tokens - 1), tokens, score)


def turns(*tokens: int) -> list[Item]:
    """Return turns, newest first, numbered from 100."""
    return [item(100 + place, cost) for place, cost in enumerate(tokens)]


def memories(*tokens: int) -> list[Item]:
    return [item(place, cost) for place, cost in enumerate(tokens)]


def numbers(block: Block) -> list[int]:
    return [entry.memory_id.int for entry in block.items]


def whole_text(plan: Plan) -> str:
    return SEPARATOR.join(block.text for block in (plan.memories, plan.turns) if block.items)


def test_everything_goes_in_where_there_is_room() -> None:
    plan = divide_budget(1000, turns(10, 10), memories(10, 10), 10)
    assert numbers(plan.turns) == [101, 100]
    assert numbers(plan.memories) == [0, 1]
    assert plan.omitted == 0


def test_turns_get_half_before_memories_get_the_rest() -> None:
    plan = divide_budget(200, turns(60, 60, 60), memories(50, 50), 10)
    assert numbers(plan.turns) == [100]
    assert numbers(plan.memories) == [0, 1]
    assert plan.omitted == 2


def test_what_memories_leave_goes_back_to_turns() -> None:
    plan = divide_budget(200, turns(60, 60), memories(20), 10)
    assert numbers(plan.turns) == [101, 100]
    assert plan.omitted == 0


def test_without_memories_turns_may_have_all() -> None:
    plan = divide_budget(200, turns(90, 90), [], 10)
    assert numbers(plan.turns) == [101, 100]


def test_what_does_not_fit_is_skipped_and_smaller_ones_still_go_in() -> None:
    plan = divide_budget(120, [], memories(20, 500, 30), 10)
    assert numbers(plan.memories) == [0, 2]
    assert plan.omitted == 1


def test_memories_beyond_the_most_are_not_omitted_but_not_wanted() -> None:
    plan = divide_budget(1000, [], memories(5, 5, 5), 2)
    assert numbers(plan.memories) == [0, 1]
    assert plan.omitted == 0


def test_a_budget_too_small_for_anything_gives_nothing() -> None:
    plan = divide_budget(5, turns(10), memories(10), 10)
    assert (plan.tokens, plan.omitted) == (0, 2)


@pytest.mark.parametrize("seed", range(30))
def test_the_budget_is_never_exceeded_and_nothing_is_lost(seed: int) -> None:
    rng = random.Random(seed)
    told = turns(*(rng.randrange(1, 80) for _ in range(rng.randrange(12))))
    known = memories(*(rng.randrange(1, 80) for _ in range(rng.randrange(12))))
    budget = rng.randrange(1, 400)
    plan = divide_budget(budget, told, known, 200)
    assert plan.tokens <= budget
    assert count_tokens(whole_text(plan)) <= plan.tokens
    assert len(plan.turns.items) + len(plan.memories.items) + plan.omitted == len(told + known)


def message(**fields: object) -> MessageRecord:
    values: dict[str, object] = {
        "id": UUID(int=1),
        "conversation_id": UUID(int=2),
        "seq": 1,
        "role": 2,
        "author": "Marta",
        "instance": "",
        "content": "Hello",
        "content_blocks": None,
        "tags": [],
        "importance_class": 0,
        "automated": False,
        "tool_name": "",
        "tool_args": "",
        "tool_result": "",
        "metadata": None,
        "token_count": 0,
        "external_id": None,
        "parent_id": None,
        "occurred_at": datetime(2026, 4, 18, 12, 0, 59, tzinfo=UTC),
        "recorded_at": datetime(2026, 4, 18, tzinfo=UTC),
        **fields,
    }
    return MessageRecord(**values)  # type: ignore[arg-type]


def test_a_turn_says_when_who_and_what() -> None:
    assert turn_item(message(), "opus").text == "[2026-04-18T12:00Z opus/user Marta] Hello"


def test_times_are_in_utc() -> None:
    local = datetime(2026, 4, 18, 2, 5, tzinfo=timezone(timedelta(hours=2)))
    assert turn_item(message(occurred_at=local), "opus").text.startswith("[2026-04-18T00:05Z ")


def test_what_is_unknown_is_left_out() -> None:
    assert turn_item(message(author=""), "").text == "[2026-04-18T12:00Z user] Hello"


def test_a_tool_call_shows_its_arguments_and_the_whole_of_its_result() -> None:
    result = "r" * 50_000
    call = message(
        role=4, author="", content="", tool_name="ls", tool_args="-l", tool_result=result
    )
    assert turn_item(call, "opus").text == f"[2026-04-18T12:00Z opus/tool] ls -l\n{result}"


def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "世界")] == [0, 1, 1, 2, 2]


def test_the_callers_own_count_is_taken_and_the_attribution_comes_on_top() -> None:
    counted = turn_item(message(token_count=1000), "opus").tokens
    assert counted == 1000 + count_tokens("[2026-04-18T12:00Z opus/user Marta] \n")

"""Dividing a token budget: never exceeded, turns first up to half, what is left over used."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from everword.domain.records import MessageRecord
from everword_search.context.budget import SEPARATOR, Block, fill_memories, fill_turns
from everword_search.context.text import Item, count_tokens, turn_item

NOON = datetime(2026, 4, 18, 12, 0, 59, tzinfo=UTC)
#: What a block costs before its items: its heading, and a line for the day.
MEMORIES, TURNS = 6 + 3, 5 + 3


def item(number: int, tokens: int, when: datetime = NOON) -> Item:
    """Return an item whose text costs what it says."""
    words = "x" * (4 * tokens - len("[999] u: ") - 1)
    return Item(UUID(int=number), when, number, "u", words, tokens)


def turns(*tokens: int) -> list[Item]:
    """Return turns, newest first, numbered down from 100."""
    return [item(100 - place, cost) for place, cost in enumerate(tokens)]


def memories(*tokens: int) -> list[Item]:
    return [item(place, cost) for place, cost in enumerate(tokens)]


def divide(
    budget: int, told: list[Item], known: list[Item], most: int = 200
) -> tuple[Block, Block, int]:
    recent, waiting = fill_turns(budget, told)
    relevant, omitted = fill_memories(budget, recent, waiting, known, most)
    return recent, relevant, omitted


def numbers(block: Block) -> list[int]:
    return [entry.memory_id.int for entry in block.oldest_first()]


def whole_text(recent: Block, relevant: Block) -> str:
    blocks = ((relevant, 1), (recent, 1 + len(relevant.items)))
    return SEPARATOR.join(block.text(first) for block, first in blocks if block.items)


def test_everything_goes_in_where_there_is_room() -> None:
    recent, relevant, omitted = divide(1000, turns(10, 10), memories(10, 10))
    assert numbers(recent) == [99, 100]
    assert numbers(relevant) == [0, 1]
    assert omitted == 0
    assert (recent.tokens, relevant.tokens) == (TURNS + 20, MEMORIES + 20)


def test_turns_get_half_before_memories_get_the_rest() -> None:
    recent, relevant, omitted = divide(200, turns(60, 60, 60), memories(50, 50))
    assert numbers(recent) == [100]
    assert numbers(relevant) == [0, 1]
    assert omitted == 2


def test_what_memories_leave_goes_back_to_turns_that_are_not_among_them() -> None:
    recent, relevant, omitted = divide(200, turns(60, 60), memories(20))
    assert (numbers(recent), omitted) == ([99, 100], 0)
    told = turns(60, 60)
    recent, relevant, omitted = divide(250, told, [told[1]])
    assert (numbers(recent), numbers(relevant), omitted) == ([100], [99], 0)


def test_without_memories_turns_may_have_all() -> None:
    assert numbers(divide(200, turns(90, 90), [])[0]) == [99, 100]


def test_what_does_not_fit_is_skipped_and_smaller_ones_still_go_in() -> None:
    _, relevant, omitted = divide(120, [], memories(20, 500, 30))
    assert (numbers(relevant), omitted) == ([0, 2], 1)


def test_memories_beyond_the_most_are_not_omitted_but_not_wanted() -> None:
    _, relevant, omitted = divide(1000, [], memories(5, 5, 5), most=2)
    assert (numbers(relevant), omitted) == ([0, 1], 0)


def test_a_budget_too_small_for_anything_gives_nothing() -> None:
    recent, relevant, omitted = divide(5, turns(10), memories(10))
    assert (recent.tokens, relevant.tokens, omitted) == (0, 0, 2)


@pytest.mark.parametrize("seed", range(30))
def test_the_budget_is_never_exceeded_and_nothing_is_lost(seed: int) -> None:
    rng = random.Random(seed)

    def some(first: int) -> list[Item]:
        times = [NOON - timedelta(hours=rng.randrange(100)) for _ in range(rng.randrange(12))]
        return [item(first + at, rng.randrange(4, 80), when) for at, when in enumerate(times)]

    told, known = some(100), some(0)
    budget = rng.randrange(1, 400)
    recent, relevant, omitted = divide(budget, told, known)
    assert recent.tokens + relevant.tokens <= budget
    assert count_tokens(whole_text(recent, relevant)) <= recent.tokens + relevant.tokens
    assert len(recent.items) + len(relevant.items) + omitted == len(told + known)


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


def line(record: MessageRecord) -> str:
    return turn_item(record, UTC).line(3)


def test_a_turn_says_who_and_what_and_its_day_stands_above_it() -> None:
    assert line(message()) == "[3] Marta: Hello"
    block = Block("## Turns")
    items = [message(), message(occurred_at=NOON - timedelta(days=1))]
    block.fill([turn_item(each, UTC) for each in items], 100, 2)
    assert block.text(1) == "## Turns\n2026-04-17\n[1] Marta: Hello\n2026-04-18\n[2] Marta: Hello"


def test_days_are_those_of_the_zone_as_far_as_the_calendar_goes() -> None:
    late = message(occurred_at=datetime(2026, 4, 18, 23, 5, tzinfo=UTC))
    assert turn_item(late, timezone(timedelta(hours=2))).day == "2026-04-19"
    last = message(occurred_at=datetime.max.replace(tzinfo=UTC))
    assert turn_item(last, timezone(timedelta(hours=2))).day == "9999-12-31"


def test_without_a_name_the_side_that_spoke_stands_for_it() -> None:
    assert line(message(author="")) == "[3] user: Hello"


def test_a_tool_call_shows_its_arguments_and_the_whole_of_its_result() -> None:
    result = "r" * 50_000
    call = message(
        role=4, author="", content="", tool_name="ls", tool_args="-l", tool_result=result
    )
    assert line(call) == f"[3] tool: ls -l\n  {result}"


def test_a_token_is_four_bytes_rounded_up() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "世界")] == [0, 1, 1, 2, 2]


def test_the_callers_own_count_is_taken_and_what_is_around_it_comes_on_top() -> None:
    counted = turn_item(message(token_count=1000, content="Hello\nthere"), UTC).tokens
    assert counted == 1000 + count_tokens("[999] Marta:   \n")


def test_what_grows_by_its_marks_may_fit_no_more() -> None:
    def grown(entry: Item) -> Item:
        return item(entry.memory_id.int, 70 if entry.memory_id.int == 1 else entry.tokens)

    relevant, omitted = fill_memories(
        MEMORIES + 90, Block("## T"), [], memories(30, 20, 40), 9, grown
    )
    assert numbers(relevant) == [0, 2]
    assert relevant.tokens <= MEMORIES + 90
    assert omitted == 1

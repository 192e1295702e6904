"""Questions to a model with a small context or short answers."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer, InputTooLong
from everword.chat.model import ChatAnswer, ChatRequest, TokenUsage
from everword_compactor.jobs.questions import (
    MOST_REQUESTS,
    CheckedAnswer,
    ModelQuestion,
    Questioner,
    Records,
    is_shown,
)


class SmallChat:
    """A model with a small context, which records its requests."""

    def __init__(self, context: int) -> None:
        self.model, self._context = "small", context
        self.asked: list[ChatRequest] = []

    def context_tokens(self, beat: Any = None) -> int:
        return self._context

    def complete(self, request: ChatRequest, beat: Any = None) -> ChatAnswer:
        self.asked.append(request)
        if (len(request.user) + len(request.system)) // 4 + request.max_tokens > self._context:
            raise InputTooLong
        return ChatAnswer("{}", {}, "", self.model, TokenUsage(1, 1))


def test_question_is_shortened_for_a_small_context_window() -> None:
    chat = SmallChat(1_500)
    asking = Questioner(cast(BlockingChat, chat), lambda: None)
    facts = [{"fact": number, "text": "word " * 20} for number in range(60)]
    question = ModelQuestion(
        "sleep-x", "Do it.", {"facts": facts, "o": [{"o": 1}]}, {}, 4_000, ["facts"]
    )
    assert asking.ask(question, lambda _: CheckedAnswer("taken")) == "taken"
    assert all(request.max_tokens == 500 for request in chat.asked)
    shown = chat.asked[-1].user.count('"fact"')
    assert 5 < shown < 60
    assert '"o":1' in chat.asked[-1].user
    with pytest.raises(InputTooLong):
        asking.ask(replace(question, optional=()), lambda _: CheckedAnswer("taken"))


class TerseChat(SmallChat):
    """A model whose answers hold at most `words` numbers, and which may count them from one."""

    def __init__(self, words: int, *, always_from_one: bool = False) -> None:
        super().__init__(100_000)
        self._words, self._from_one = words, always_from_one

    def complete(self, request: ChatRequest, beat: Any = None) -> ChatAnswer:
        self.asked.append(request)
        told = [int(each) for each in re.findall(r'"n":(\d+)', request.user)]
        if len(told) > self._words or 13 in told:
            raise BadAnswer("cut", BadAnswer.CUT_OFF)
        numbers = list(range(1, len(told) + 1)) if self._from_one else told
        return ChatAnswer("", numbers, "", self.model, TokenUsage(1, 1))


def _of_shown(records: Records, answer: list[int]) -> CheckedAnswer[list[int]]:
    retained = [each for each in answer if is_shown("n", each, records)]
    return CheckedAnswer(retained, ["there is no such"] * (len(answer) - len(retained)))


@pytest.mark.parametrize("words", [1, 3, 8, 400])
def test_ask_in_parts_adapts_batch_size_to_the_answer_limit(words: int) -> None:
    chat = TerseChat(words)
    asking = Questioner(cast(BlockingChat, chat), lambda: None)
    records = [{"n": number} for number in range(14, 114)]
    question = ModelQuestion("sleep-x", "Do it.", {"x": records}, {}, 4_000)
    taken = asking.ask_in_parts(question, "x", _of_shown)
    assert list(chain.from_iterable(taken)) == list(range(14, 114))
    # Each size is tried once; after an answer was cut off, no request is as long again.
    assert len(chat.asked) <= 2 * 100 / words + 8


def test_ask_in_parts_skips_a_record_with_truncated_answer() -> None:
    asking = Questioner(cast(BlockingChat, TerseChat(8)), lambda: None)
    question = ModelQuestion("sleep-x", "Do it.", {"x": [{"n": n} for n in range(40)]}, {}, 4_000)
    taken = asking.ask_in_parts(question, "x", _of_shown)
    assert list(chain.from_iterable(taken)) == [n for n in range(40) if n != 13]
    alone = replace(question, records={"x": [{"n": 13}]})
    with pytest.raises(BadAnswer):
        asking.ask_in_parts(alone, "x", _of_shown)


def test_ask_in_parts_ignores_answers_numbered_from_one_in_later_parts() -> None:
    asking = Questioner(cast(BlockingChat, TerseChat(2, always_from_one=True)), lambda: None)
    question = ModelQuestion("sleep-x", "Do it.", {"x": [{"n": n} for n in range(1, 5)]}, {}, 4_000)
    assert asking.ask_in_parts(question, "x", _of_shown) == [[1, 2], []]


def test_ask_in_parts_stops_after_the_request_limit() -> None:
    chat = TerseChat(1)
    asking = Questioner(cast(BlockingChat, chat), lambda: None)
    question = ModelQuestion(
        "sleep-x", "Do it.", {"x": [{"n": n} for n in range(20, 900)]}, {}, 4_000
    )
    answers = asking.ask_in_parts(question, "x", _of_shown)
    taken = list(chain.from_iterable(answers))
    assert len(chat.asked) == MOST_REQUESTS
    assert taken == list(range(20, 20 + len(taken)))
    assert len(taken) > MOST_REQUESTS - 15


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ([1, 2], [2, 3], [1, 2, 3]),
        ({1: "a", 2: "b"}, {2: "c", 3: "d"}, {1: "a", 2: "b", 3: "d"}),
        ("first", "second", "second"),
    ],
)
def test_second_answer_is_merged_with_the_first(first: Any, second: Any, merged: Any) -> None:
    answers = iter([CheckedAnswer(first, ["wrong", "wrong"]), CheckedAnswer(second, ["wrong"])])
    asking = Questioner(cast(BlockingChat, SmallChat(8_000)), lambda: None)
    question = ModelQuestion("sleep-x", "Do it.", {"x": [{"n": 1}]}, {}, 100)
    assert asking.ask(question, lambda _: next(answers)) == merged


def test_full_answer_is_retained_and_its_halves_are_asked_about() -> None:
    def check(records: Records, _: Any) -> CheckedAnswer[list[int]]:
        numbers = [each["n"] for each in records]
        return CheckedAnswer(numbers[:3], is_full=len(numbers) >= 3)

    asking = Questioner(cast(BlockingChat, SmallChat(8_000)), lambda: None)
    question = ModelQuestion("sleep-x", "Do it.", {"x": [{"n": n} for n in range(4)]}, {}, 100)
    assert asking.ask_in_parts(question, "x", check) == [[0, 1, 2], [0, 1], [2, 3]]


@pytest.mark.parametrize("masks", [True, False])
def test_question_masks_credentials_unless_the_namespace_keeps_them(masks: bool) -> None:
    """A fact given by a caller may contain a credential, and stays as given."""
    chat = SmallChat(8_000)
    asking = Questioner(cast(BlockingChat, chat), lambda: None, masks=masks)
    facts = [{"fact": 1, "value": "password: Kupfer-88z"}, {"fact": 2, "value": "green"}]
    question = ModelQuestion("sleep-x", "Do it.", {"facts": facts}, {}, 400)
    asking.ask(question, lambda _: CheckedAnswer("taken"))
    assert ("Kupfer-88z" in chat.asked[0].user) is not masks
    assert chat.asked[0].user.endswith('{"fact":2,"value":"green"}')

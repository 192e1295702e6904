"""Limits of the cost of lorebooks: of a pattern when it is stored, and of an evaluation."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from uuid import UUID

import pytest

from everword.domain.errors import InvalidArgument
from everword.lore import evaluation as evaluating
from everword.lore.activation import find_active
from everword.lore.compiled_book import CompiledBooks, compile_book
from everword.lore.evaluation import CpuLimit, Evaluation, run_for_lore
from everword.lore.match_texts import Matches, match_texts
from everword.lore.matcher import Matcher
from everword.lore.model import EntryId, LoreLine, Rule, Trigger, TriggerMode
from everword.lore.patterns import CostlyPattern, check_pattern, check_triggers

REGEX = TriggerMode.REGEX
#: Patterns that take microseconds per byte of ordinary text.
SLOW = [
    r".{0,300}x{1,300}",
    r"(\pL+[\s\S]{0,100}){1,2}zq",
    r"([a-z]*[\s\S]{0,99}){1,5}zq",
    r"(?s)(?:.?){500}zq",
    r"(?s)(.*e){500}",
]
TOO_LARGE = [r"(?i)(\pL+[\s\S]{0,200}){1,4}zq1", r"[\s\S]{0,900}zq", r"(?:\w?){900}zq"]
ORDINARY = [
    r"\bdragons?\b",
    r"(?i)\b(dragon|castle|knight)s?\b.*\b(west|north)\b",
    r"\b(?:king|queen|prince|duke|lord|lady) of (?:the )?\pL+\b",
    r"\bsword\b.{0,40}\bstone\b|\bstone\b.{0,40}\bsword\b",
    r"\pL+ \pL+ \pL+ \pL+q",
    r"\b[\w.+-]+@[\w-]+\.[\w.]+\b",
    r"(?:竜|龍|ドラゴン)",
    r"(?:the|a|an) (?:\w+ ){0,5}(?:mill|castle|tower)s?",
    r"(.*)(.*)(.*)x",
    r"\b(?:he|she|they) (?:said|says|asked) .{1,200}\?",
]
TEXT = ("The dragon of the Westmark slept beneath the old castle. " * 700)[:32_768]


def rule(number: int, *patterns: str, sticky_turns: int = 0) -> Rule:
    triggers = [Trigger(pattern, REGEX) for pattern in patterns]
    return Rule(
        EntryId(UUID(int=number)), UUID(int=9), f"e{number}", triggers, sticky_turns=sticky_turns
    )


def match(rules: list[Rule], evaluation: Evaluation) -> Matches:
    return match_texts([TEXT], [Matcher(rules)], evaluation)


@pytest.mark.parametrize("pattern", ORDINARY)
def test_check_pattern_of_an_ordinary_pattern_accepts_it(pattern: str) -> None:
    check_pattern(pattern, case_sensitive=False)


@pytest.mark.parametrize("pattern", [*SLOW, *TOO_LARGE])
def test_check_pattern_of_a_costly_pattern_refuses_it(pattern: str) -> None:
    with pytest.raises(CostlyPattern, match=r"is too costly to search for, .*: use fewer"):
        check_pattern(pattern, case_sensitive=False)


def test_check_triggers_with_a_costly_pattern_names_entry_place_and_pattern() -> None:
    triggers = [Trigger("duke"), Trigger(TOO_LARGE[0], REGEX)]
    with pytest.raises(InvalidArgument) as refused:
        check_triggers(triggers, "entries[7]", "Duke Anselm")
    [(field, text)] = refused.value.violations
    assert field == "entries[7].triggers[1].text"
    assert text.startswith("of 'Duke Anselm', the pattern '(?i)")


def test_match_texts_with_costly_patterns_still_finds_cheap_ones() -> None:
    costly = [rule(number, f"{SLOW[2]}{number}") for number in range(60)]
    cheap = [rule(1000, r"\bdragons?\b"), rule(1001, r"old castle\.")]
    evaluation = Evaluation()
    began = time.thread_time()
    found = match([*costly, *cheap], evaluation)
    assert time.thread_time() - began < evaluating.PATTERNS_CPU_S + 0.5
    [[hits]] = found.hits
    assert hits == {each.id: 0 for each in cheap}
    assert len(found.unsearched) > 30
    assert not found.unread


def test_match_texts_with_a_refused_pattern_matches_the_others() -> None:
    for bad in (TOO_LARGE[0], "(", r"x(?=y)"):
        matcher = Matcher([rule(1, bad, "dragon"), rule(2, bad)])
        matches = match_texts([TEXT], [matcher], Evaluation())
        assert matches.hits == [[{UUID(int=1): 1}]]
        assert matches.is_complete
        assert [bool(pattern.refusal) for pattern in matcher.patterns] == [True, False, True]


def test_match_texts_without_time_reports_unsearched_patterns_and_texts() -> None:
    plain = Rule(EntryId(UUID(int=5)), UUID(int=9), "plain", [Trigger("dragon")])
    matches = match_texts([TEXT, TEXT], [Matcher([plain])], Evaluation(total_s=0))
    assert (matches.hits, matches.unread) == ([[{}, {}]], 2)
    matches = match([rule(1, "dragon"), plain], Evaluation(patterns_s=0))
    assert matches.hits == [[{plain.id: 0}]]
    assert [pattern.rule.id for pattern in matches.unsearched] == [UUID(int=1)]


def test_find_active_out_of_time_keeps_entries_of_the_newest_lines() -> None:
    rules = {each.id: each for each in (rule(1), rule(2, sticky_turns=50))}
    lines = [LoreLine("old", is_user=True), LoreLine("new", is_user=True)]
    hits = [{EntryId(UUID(int=2)): 0}, {EntryId(UUID(int=1)): 0}]
    answers = iter([False, True])
    assert find_active(lines, hits, {}, rules).keys() == rules.keys()
    cut = find_active(lines, hits, {}, rules, lambda: next(answers))
    assert cut.keys() == {UUID(int=1)}


def test_cpu_limit_counts_only_time_inside_its_blocks() -> None:
    limit = CpuLimit(0.05)
    began = time.thread_time()
    while time.thread_time() - began < 0.1:
        pass
    assert not limit.is_reached()
    with limit:
        while not limit.is_reached():
            pass
    assert limit.is_reached()


async def test_cancelled_evaluation_stops_its_thread_soon() -> None:
    evaluation, matcher = (
        Evaluation(60, 60),
        Matcher([rule(n, SLOW[2] + str(n)) for n in range(200)]),
    )
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        match_texts([TEXT], [matcher], evaluation)
        loop.call_soon_threadsafe(ended.set)

    task = asyncio.create_task(evaluation.run(1, work))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 5)


async def test_lore_of_one_namespace_does_not_block_another() -> None:
    release = threading.Event()
    try:
        hogging = [asyncio.create_task(run_for_lore(1, release.wait, 30)) for _ in range(8)]
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(run_for_lore(2, _answer(7)), 5) == 7
        # A thread that outlasts its caller counts until it ends.
        hogging[0].cancel()
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(run_for_lore(2, _answer(8)), 5) == 8
    finally:
        release.set()
    await asyncio.gather(*hogging, return_exceptions=True)


def _answer(number: int) -> Callable[[], int]:
    return lambda: number


def test_compiled_books_are_evicted_by_size_of_their_patterns() -> None:
    retained = CompiledBooks()
    for number in range(20):
        rules = [rule(each, f"a{each}") for each in range(200)]
        retained.put(UUID(int=number), compile_book(1, rules))
    assert sum(retained.get(UUID(int=number), 1) is not None for number in range(20)) == 9

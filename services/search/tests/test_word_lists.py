"""Word frequencies are read in the background at the start; searches wait for them without blocking each other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from everword_search.ranking import word_lists
from everword_search.ranking.word_lists import WordLists
from everword_search.ranking.words.frequencies import zipf

WORDS = ("the", "turtles", "zyzzyva")
#: A script that prints word frequencies from a new process, in which no word list has been read.
FRESH = f"""
import asyncio, sys
from everword_search.ranking.words.frequencies import zipf
from everword_search.ranking.word_lists import WordLists

async def main():
    lists = WordLists()
    lists.read()
    await asyncio.gather(*(lists.ready() for _ in range(3)))
    assert "wordfreq" in sys.modules
    print(*(zipf(word, "english") for word in {WORDS!r}))

assert "wordfreq" not in sys.modules
asyncio.run(main())
"""


class PausedReader:
    """Replaces the reading of a word list by a function that blocks until the test sets `end`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.end = threading.Event()
        monkeypatch.setattr(word_lists, "zipf", self._read)

    def _read(self, word: str, config: str) -> float:
        self.begun += 1
        assert self.end.wait(30)
        return 1.0


def test_word_frequencies_are_equal_in_a_fresh_process() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert [float(told) for told in done.stdout.split()] == [
        zipf(word, "english") for word in WORDS
    ]


async def test_ready_waits_without_blocking_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, lists = PausedReader(monkeypatch), WordLists()
    waiting = [asyncio.create_task(lists.ready()) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0.01)
    assert not any(task.done() for task in waiting)
    reading.end.set()
    await asyncio.gather(*waiting)
    await lists.ready()
    assert reading.begun == 1


async def test_cancelled_ready_does_not_affect_other_callers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, lists = PausedReader(monkeypatch), WordLists()
    patient, hasty = (asyncio.create_task(lists.ready()) for _ in range(2))
    await asyncio.sleep(0.01)
    hasty.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hasty
    reading.end.set()
    await patient
    assert reading.begun == 1


async def test_each_word_list_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, lists = PausedReader(monkeypatch), WordLists()
    assert [lists.are_ready(config) for config in ("english", "german", "simple")] == [False] * 3
    reading.end.set()
    for config in ("german", "english"):
        await lists.ready(config)
        assert lists.are_ready(config)
    assert reading.begun == 2


async def test_unreadable_word_list_raises_on_read_but_not_on_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(word: str, config: str) -> float:
        raise OSError("no list")

    monkeypatch.setattr(word_lists, "zipf", broken)
    lists = WordLists()
    await lists.ready()
    # Callers of `ready` do not wait for ever.
    assert lists.are_ready("english")
    with pytest.raises(OSError, match="no list"):
        await lists.read()

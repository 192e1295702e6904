"""The time for a text is proportional to its length, for all kinds of repetitions."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest

from everword.text.values.evidence import Evidence, find_values
from everword.text.values.fold_text import row
from everword.text.values.row_search import found_rows
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.extractive.sentences import split_sentences
from everword_compactor.compose.model import Draft, Level, Source

CHARS = 4_000
NOON = datetime(2026, 4, 18, 12, 3, tzinfo=UTC)


def source(text: str) -> Source:
    return Source(
        id=UUID(int=1), level=0, text=text, earliest_at=NOON, latest_at=NOON, message_count=1
    )


def repeated(unit: str) -> Callable[[int], str]:
    return lambda chars: (unit * chars)[:chars]


TEXTS: dict[str, Callable[[int], str]] = {
    "dots": lambda chars: "." * chars + "x and more",
    "dots and emoji": lambda chars: "." * (chars // 2) + "😀" * (chars // 2) + "x and more",
    "initials": lambda chars: "(" * (chars // 2) + "a. b " * (chars // 10),
    "hashes, spaces": lambda chars: "#" * (chars // 2) + " " * (chars // 2),
    "marks": lambda chars: "e" + "\u0327\u0301" * (chars // 2),
    **{
        unit: repeated(unit)
        for unit in ("😀", "😀 ", "#", "# ", "a1", "a_", "__a", "/a", "1.", "1,", "-", '."', '"a ')
    },
}
WORK: dict[str, Callable[[str], object]] = {
    "sentences": split_sentences,
    "values": find_values,
    "evidence": lambda text: Evidence([text]).missing(find_values(text[:2000])),
    "rows": lambda text: found_rows([row([*text[: len(text) // 2], "no end"])], [list(text)]),
    "composer": lambda text: ExtractiveComposer().compose(
        Draft(Level.LEAF, [source(text)], "a title"), lambda: None
    ),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the CPU seconds of this thread for a text, which other load does not increase."""
    begun = time.thread_time()
    work(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("work", WORK)
def test_processing_time_is_linear_in_text_length(work: str, text: str) -> None:
    """Quadratic time would be 144 times as long; noise of a busy machine is far below that."""
    do, make = WORK[work], TEXTS[text]
    do(make(1000))  # Warms up, for example lists of words that are read once.
    short, long = make(CHARS), make(12 * CHARS)
    quick = min(seconds(do, short) for _ in range(3))
    for _ in range(3):
        slow = seconds(do, long)
        if slow <= max(0.15, 45 * quick):
            return
    pytest.fail(f"{quick:.3f} s for {len(short)} characters, {slow:.3f} s for {len(long)}")


def test_heartbeat_exception_ends_a_check() -> None:
    class Lost(Exception):
        pass

    def beat() -> None:
        raise Lost

    with pytest.raises(Lost):
        check_faithfulness("Fine.", [source("Fine.")], time_zone="UTC", heartbeat=beat)


def test_found_rows_matches_rows_at_any_position() -> None:
    wanted = [row(each) for each in ("aab", "ab", "b", "abc", "aabaa", "ba", "")]
    found = found_rows(wanted, ["aaaab", "caabaabd"])
    assert found == {row(each) for each in ("aab", "ab", "b", "aabaa", "ba")}
    texts = ["".join(letters) for letters in itertools.product("ab", repeat=7)]
    rows = [
        "".join(letters)
        for size in (1, 2, 3, 4)
        for letters in itertools.product("ab", repeat=size)
    ]
    for text in texts:
        assert found_rows(map(row, rows), [text]) == {row(each) for each in rows if each in text}

"""An interrupted run continues if it is the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

from everword.bench.checkpoint import Checkpoint, FinishedDataset

IDENTITY = {"commit": "abc", "variants": ["recall"]}
FIRST = FinishedDataset("s", "c1", True, [{"query": "q1", "latency_ms": 1.5}])
SECOND = FinishedDataset("s", "c2", False, [])


def begun(path: Path, *finished: FinishedDataset) -> Checkpoint:
    checkpoint = Checkpoint(path, IDENTITY)
    checkpoint.open()
    for each in finished:
        checkpoint.add(each)
    return checkpoint


def test_the_same_run_goes_on_with_what_is_finished(tmp_path: Path) -> None:
    before = begun(tmp_path / "c", FIRST, SECOND)
    after = begun(tmp_path / "c")
    assert after.finished == [FIRST, SECOND]
    assert after.run == before.run
    assert not after.discarded


@pytest.mark.parametrize("cut", [2, 20, 40])
def test_a_line_that_was_torn_is_done_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "c"
    begun(path, FIRST, SECOND)
    path.write_bytes(path.read_bytes()[:-cut])
    assert begun(path).finished == [FIRST]
    begun(path).add(SECOND)
    assert begun(path).finished == [FIRST, SECOND]


def test_another_run_begins_again_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "c"
    begun(path, FIRST)
    other = Checkpoint(path, {**IDENTITY, "commit": "def"})
    other.open()
    assert other.finished == []
    assert other.discarded
    assert begun(path).finished == []


def test_a_file_of_something_else_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("[1, 2]\nnonsense\n")
    assert begun(path, FIRST).finished == [FIRST]
    assert begun(path).finished == [FIRST]


def test_without_a_path_nothing_is_kept() -> None:
    checkpoint = Checkpoint(None, IDENTITY)
    checkpoint.open()
    checkpoint.add(FIRST)
    assert checkpoint.finished == [FIRST]

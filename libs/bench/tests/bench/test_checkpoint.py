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


def test_checkpoint_of_same_run_resumes_with_finished_datasets(tmp_path: Path) -> None:
    before = begun(tmp_path / "c", FIRST, SECOND)
    after = begun(tmp_path / "c")
    assert after.finished == [FIRST, SECOND]
    assert after.run == before.run
    assert not after.discarded


@pytest.mark.parametrize("cut", [2, 20, 40])
def test_checkpoint_ignores_a_truncated_last_line(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "c"
    begun(path, FIRST, SECOND)
    path.write_bytes(path.read_bytes()[:-cut])
    assert begun(path).finished == [FIRST]
    begun(path).add(SECOND)
    assert begun(path).finished == [FIRST, SECOND]


def test_checkpoint_of_another_run_is_discarded(tmp_path: Path) -> None:
    path = tmp_path / "c"
    begun(path, FIRST)
    other = Checkpoint(path, {**IDENTITY, "commit": "def"})
    other.open()
    assert other.finished == []
    assert other.discarded
    assert begun(path).finished == []


def test_checkpoint_overwrites_a_file_that_is_not_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("[1, 2]\nnonsense\n")
    assert begun(path, FIRST).finished == [FIRST]
    assert begun(path).finished == [FIRST]


def test_checkpoint_without_path_records_in_memory() -> None:
    checkpoint = Checkpoint(None, IDENTITY)
    checkpoint.open()
    checkpoint.add(FIRST)
    assert checkpoint.finished == [FIRST]

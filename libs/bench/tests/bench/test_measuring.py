"""Measuring commands without an Everword: refusals before one starts, and the requests sent to each target."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from everword.bench.commands import measurement, speed
from everword.bench.native_format import BenchSet
from everword.bench.run import Run
from everword.bench.target import Target
from everword.cli.main import main
from everword.client import ClientSettings
from everword.embedded.errors import EmbeddedError
from everword.samples import sample_path
from everword.v1 import memory_pb2

DATA = ("--data", str(sample_path()))
MESSAGES = [memory_pb2.MEMORY_KIND_MESSAGE]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Targets that would be started or called, then the kinds requested by each variant; no process starts."""
    targets: list[Any] = []

    @asynccontextmanager
    async def own(*_: Any) -> AsyncIterator[Target]:
        targets.append("own")
        yield Target(ClientSettings())

    def running(*_: Any) -> Target:
        targets.append("running")
        return Target(ClientSettings())

    async def model(_: Target) -> None:
        return None

    async def measure(run: Run, _: Sequence[BenchSet]) -> None:
        targets.extend(list(variant.request("x").filter.kinds) for variant in run.variants)
        # There is nothing to report.
        raise EmbeddedError("measured")

    monkeypatch.setattr(measurement, "own_target", own)
    monkeypatch.setattr(measurement, "running_target", running)
    monkeypatch.setattr(Target, "model", model)
    monkeypatch.setattr(Run, "measure", measure)
    return targets


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"EVERWORD_DATA": "/nonexistent"})


def test_bench_against_running_server_searches_messages_only(
    asked: list[Any], tmp_path: Path
) -> None:
    out = ("--out", str(tmp_path / "c.json"), "--profile", "lexical", "--profile", "recall")
    for command in (
        ["bench", "retrieval", *DATA, "--mode", "hybrid", "--mode", "lexical"],
        ["bench", "ablation", *DATA, "--out", str(tmp_path), "--variant", "lexical", "--variant", "recall"],
        ["calibrate", *DATA, *out],
    ):  # fmt: skip
        asked.clear()
        assert "measured" in invoke(*command, "--running").stderr
        assert asked == ["running", MESSAGES, MESSAGES], command


def test_bench_searches_all_kinds_with_summaries_or_on_its_own_server(asked: list[Any]) -> None:
    for option, target in (("--patience=9", "own"), ("--summaries", "own")):
        asked.clear()
        assert "measured" in invoke("bench", "retrieval", *DATA, option).stderr
        assert asked == [target, []]
    asked.clear()
    assert "measured" in invoke("bench", "retrieval", *DATA, "--summaries", "--running").stderr
    assert asked == ["running", []]


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["bench", "retrieval", *DATA], "--json"),
        (["bench", "ablation", *DATA], "--out"),
        (["calibrate", *DATA], "--out"),
        (["calibrate", *DATA, "--running", "--out", "{folder}/c.json"], "--plot"),
        (["bench", "speed"], "--json"),
        (["bench", "speed"], "--plots"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, list) else value,
)
@pytest.mark.parametrize("where", ["/proc/no-such-folder/x", "{folder}/file/x"])
def test_bench_refuses_unwritable_output_before_starting_a_server(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    command: list[str], option: str, where: str,
) -> None:  # fmt: skip
    def start(*_: Any) -> None:
        asked.append("bench_stack")
        raise EmbeddedError("started")

    monkeypatch.setattr(speed, "bench_stack", start)
    (tmp_path / "file").touch()
    path = where.format(folder=tmp_path)
    result = invoke(*(each.format(folder=tmp_path) for each in command), option, path)
    assert result.exit_code == 2, result.exception
    assert f"Invalid value for {option}: " in result.stderr
    assert path in result.stderr
    assert "name another" in result.stderr
    assert asked == []
    assert {each.name for each in tmp_path.iterdir()} == {"file"}


def test_bench_check_for_writable_output_keeps_existing_file(
    asked: list[Any], tmp_path: Path
) -> None:
    output = tmp_path / "o.json"
    output.write_text("kept")
    assert "measured" in invoke("bench", "retrieval", *DATA, "--json", str(output)).stderr
    assert output.read_text() == "kept"


def test_bench_profile_must_exist_and_needs_hybrid_mode(asked: list[Any]) -> None:
    unknown = invoke("bench", "retrieval", *DATA, "--profile", "magic")
    assert unknown.exit_code == 2
    assert "'magic' is not one of 'recall', 'balanced'" in unknown.stderr
    idle = invoke("bench", "retrieval", *DATA, "--mode", "lexical", "--profile", "balanced")
    assert idle.exit_code == 2
    assert "add --mode hybrid" in idle.stderr
    assert asked == []
    both = ("--mode", "lexical", "--mode", "hybrid", "--profile", "balanced")
    assert "measured" in invoke("bench", "retrieval", *DATA, *both).stderr
    assert asked == ["own", [], []]

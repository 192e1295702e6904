"""The short form of `make test-kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kills.importer import Load
from kills.run import Settings, Watchers, run

SHORT = Settings(
    Load(messages=240, pause_s=0.5, seed=11),
    kills=6,
    victims=("postgres", "valkey", "ingest", "embedder", "embedder-worker"),
    sweep_s=0.5,
    lease_s=8.0,
    pause_s=0.3,
    drain_s=40.0,
)


@pytest.mark.slow
async def test_nothing_is_lost_doubled_or_stuck_when_processes_are_killed(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o011)  # PostgreSQL's account passes through
    said: list[str] = []
    watchers = Watchers(said.append, imported=lambda count: None, draining=lambda left: None)
    outcome = await run(tmp_path / "data", SHORT, watchers)
    told = "\n".join([*said, *outcome.findings.words])
    assert outcome.line == "kills 6 lost 0 doubled 0 stuck 0", told
    assert outcome.acknowledged == SHORT.load.messages
    assert any(line.startswith("flushed valkey") for line in said)

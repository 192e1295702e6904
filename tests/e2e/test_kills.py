"""The short form of `make test-kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kills.audit import audit
from kills.importer import Load
from kills.run import Settings, Watchers, run
from support.background import embed_everything
from support.calls import append, message
from support.stack import Stack

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


async def test_the_audit_sees_what_is_lost_doubled_and_stuck(stack: Stack) -> None:
    """Else the line that says so would prove nothing."""
    sent = {"a", "b", "c"}
    await append(stack, *[message(f"I am {each}.", external_id=each) for each in sorted(sent)])
    url = stack.database.admin_url
    assert (audit(url, sent).lost, audit(url, sent).doubled, audit(url, sent).stuck) == (0, 0, 4)
    await embed_everything(stack)
    with stack.database.connect() as owner:
        owner.execute("UPDATE jobs SET state = 'done', done_seq = dirty_seq")
        assert audit(url, sent).words == []
        owner.execute("INSERT INTO corpus_counts (namespace_id, messages) VALUES (1, 1)")
        owner.execute("INSERT INTO embedding_queue SELECT namespace_id, id, 1 FROM memories")
        owner.execute("DELETE FROM memories WHERE content = 'I am a.'")
        owner.execute("UPDATE conversations SET last_seq = 4")
    found = audit(url, sent | {"d"})
    assert (found.lost, found.stuck) == (4, 3)
    assert [words.partition(" ")[2] for words in found.words] == [
        "messages missing in a sequence",
        "messages without a passage",
        "acknowledged messages missing: d, …",
        "vectors that are still in the queue",
        "vectors of no passage",
        "counted twice, or not",
        "passages owed",
    ]

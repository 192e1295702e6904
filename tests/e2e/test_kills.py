"""The short form of `make test-kills`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kills.audit import audit
from kills.importer import Load
from kills.run import Settings, Watchers, run
from kills.traffic import batches, conversations
from support.background import embed_everything
from support.calls import append, message
from support.compaction import compact, roll_up
from support.stack import Stack
from support.tool_calls import put_into_words

SHORT = Settings(
    Load(messages=240, pause_s=0.5, seed=11),
    kills=6,
    victims=("postgres", "valkey", "ingest", "embedder", "embedder-worker", "compact-worker"),
    sweep_s=0.5,
    lease_s=8.0,
    pause_s=0.3,
    # A job that failed three times is tried again after two minutes.
    drain_s=180.0,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Lend a folder that PostgreSQL's account passes through: another run of pytest closes pytest's own."""
    with tempfile.TemporaryDirectory(prefix="everword-kills-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.slow
async def test_nothing_is_lost_doubled_or_stuck_when_processes_are_killed(folder: Path) -> None:
    said: list[str] = []
    watchers = Watchers(said.append, imported=lambda count: None, draining=lambda left: None)
    outcome = await run(folder, SHORT, watchers)
    told = "\n".join([*said, *outcome.findings.words])
    assert outcome.line == "kills 6 lost 0 doubled 0 stuck 0", told
    assert outcome.acknowledged == SHORT.load.messages
    assert outcome.findings.summaries >= SHORT.load.messages // 10
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
    assert (found.lost, found.stuck) == (5, 3)
    assert [words.partition(" ")[2] for words in found.words] == [
        "messages missing in a sequence",
        "messages without a passage",
        "acknowledged messages missing: d, …",
        "namespace whose summaries are not what they should be: default: assert (counted[0] or 0) == counted[1]",
        "vectors that are still in the queue",
        "vectors of no passage",
        "counted twice, or not",
        "passages pending",
    ]


async def test_the_audit_sees_what_background_work_leaves_and_spoils(stack: Stack) -> None:
    said = [each for batch in batches(conversations()[0], 20, seed=1) for each in batch]
    await append(stack, *said)
    url, sent = stack.database.admin_url, {each.external_id for each in said}
    pending = _told(url, sent)
    assert {
        "tool calls whose sentence is not in the index",
        "sentences pending",
        "jobs not done",
        "conversations that wait for a leaf",
        "periods that were never summed up",
    } <= pending.keys()
    await put_into_words(stack)
    await asyncio.to_thread(compact, stack.database)
    await asyncio.to_thread(roll_up, stack.database)
    await embed_everything(stack)
    with stack.database.connect() as owner:
        owner.execute("UPDATE jobs SET state = 'done', done_seq = dirty_seq")
        assert _told(url, sent) == {}
        assert audit(url, sent).summaries >= 6  # two leaves, and a day to a year
        later = "UPDATE jobs SET state = 'pending', not_before = now() + interval '1 hour', attempts = {}"
        owner.execute(later.format(0).encode())
        assert _told(url, sent) == {}
        owner.execute(later.format(1).encode())
        assert "jobs not done" in _told(url, sent)
        owner.execute("UPDATE jobs SET state = 'done'")
        owner.execute("UPDATE summaries SET message_count = message_count + 1 WHERE level = 1")
    [spoilt] = _told(url, sent)
    assert spoilt.startswith("namespace whose summaries are not what they should be: default")


def _told(url: str, sent: set[str]) -> dict[str, int]:
    """Return what an audit finds, and how much of it."""
    told = [words.partition(" ") for words in audit(url, sent).words]
    return {what: int(count) for count, _, what in told if count != "job"}

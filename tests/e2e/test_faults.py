"""The short form of `make test-faults`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from everword.v1.admin_service_pb2 import ExportNamespaceRequest
from faults.audit import audit
from faults.check import check
from faults.clocks import make_clocks
from faults.exports import judge
from faults.history import History, Promise
from faults.report import report
from faults.run import Settings, run
from faults.services import Patience
from faults.soak import LIMIT
from faults.traffic import batches, conversations
from faults.usage import Sample, Usage, errors
from support.background import embed_everything
from support.calls import append, message
from support.compaction import compact, roll_up
from support.stack import Stack
from support.tool_calls import write_pending_sentences

#: One fault of each kind of place, since CI has little time.
KINDS = (
    "ingest killed",
    "search told to end",
    "embedder-worker-1 held",
    "compactor-worker-1 killed",
    "Postgres restarted (immediate",
    "Valkey flushed",
    "connections to Postgres torn",
    "connections to Valkey reset",
    "embedding model fails with 500",
    "language model answers garbage",
    "ingest clock an hour behind",
    "compactor-worker-1 clock an hour ahead",
)
SHORT = Settings(
    faults=len(KINDS),
    seed=11,
    every_s=0.3,
    pause_s=0.5,
    workers=1,
    patience=Patience(sweep_s=0.5, lease_s=3.0, pause_s=0.3),
    picks=lambda fault: f"{fault.place} {fault.kind}".startswith(KINDS),
    drain_s=120.0,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder that PostgreSQL's account can traverse; another run of pytest locks pytest's own."""
    with tempfile.TemporaryDirectory(prefix="everword-faults-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.slow
async def test_guarantees_are_kept_under_injected_faults(folder: Path) -> None:
    said: list[str] = []
    outcome = await run(folder, SHORT, said.append)
    history = outcome.history
    assert history.broken == [], "\n".join(said)
    assert outcome.injected.total() == len(KINDS)
    assert history.acknowledged > 50
    # Each promise was checked while it could be violated.
    assert {promise for promise in Promise if not history.looked[promise]} == set()
    assert outcome.summaries >= 10
    assert "| holds |" in report(outcome)


@pytest.mark.parametrize("offset_s", [3600, -3600])
def test_clock_offset_affects_only_the_configured_process(folder: Path, offset_s: int) -> None:
    clocks = make_clocks(folder / "clocks")
    look = "import threading, time; print(threading.Event().wait(0.01), time.time())"
    environment = {**os.environ, **clocks.environment("one")}
    for offset in (offset_s, 0):
        clocks.set("one", offset)
        done = subprocess.run(
            [sys.executable, "-c", look],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        waited, seen = done.stdout.split()
        assert waited == "False"
        assert abs(float(seen) - time.time() - offset) < 60


async def test_fault_checker_detects_lost_duplicate_misordered_and_unerased_data(
    stack: Stack,
) -> None:
    names = [f"default/s/{number}" for number in range(3)]
    await append(stack, *[message(f"{name}: zq{number}") for number, name in enumerate(names)])
    await append(stack, "zqgone1ofdefault waits.", session_key="erased-1")
    history = History()
    history.messages["default", "s"] = [names[1], names[0], names[2], "default/s/3"]
    history.notes["default", "note-0"] = ["never stored"]
    await asyncio.to_thread(check, stack.database.admin_url, history)
    told = {(promise, words.partition("; ")[0]) for promise, words in history.broken}
    assert told >= {
        (Promise.KEPT, "('default', 's') lacks ['default/s/3']"),
        (Promise.KEPT, "('default', 'note-0') lacks ['never stored']"),
        (Promise.ORDER, "('default', 's') is out of order"),
        (Promise.ERASED, "1 rows of messages hold what was erased"),
        (Promise.ERASED, "1 rows of memories hold what was erased"),
    }
    stream = stack.admin.ExportNamespace(ExportNamespaceRequest(name="default"))
    whole = b"".join([part.data async for part in stream])
    assert judge(whole, set(names), "default")[0]
    assert not judge(whole, {*names, "default/s/3"}, "default")[0]
    assert not judge(whole[: len(whole) // 2].rpartition(b"\n")[0], set(names), "default")[0]
    again = History()
    again.messages["default", "s"] = names[:2]
    await asyncio.to_thread(check, stack.database.admin_url, again)
    assert (Promise.ONCE, "('default', 's') has too often ['default/s/2']") in again.broken


async def test_audit_detects_lost_messages_duplicate_counts_and_stuck_jobs(stack: Stack) -> None:
    """Otherwise a result without violations would prove nothing."""
    sent = {"a", "b", "c"}
    await append(stack, *[message(f"I am {each}.", external_id=each) for each in sorted(sent)])
    _wait_a_minute(stack)
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


async def test_audit_detects_unfinished_background_work_and_wrong_summaries(stack: Stack) -> None:
    said = [each for batch in batches(conversations()[0], 20, seed=1) for each in batch]
    await append(stack, *said)
    _wait_a_minute(stack)
    url, sent = stack.database.admin_url, {each.external_id for each in said}
    pending = _told(url, sent)
    assert {
        "tool calls whose sentence is not in the index",
        "sentences pending",
        "jobs not done",
        "conversations that wait for a leaf",
        "periods that were never summed up",
    } <= pending.keys()
    await write_pending_sentences(stack)
    await asyncio.to_thread(compact, stack.database)
    await asyncio.to_thread(roll_up, stack.database)
    await embed_everything(stack)
    with stack.database.connect() as owner:
        owner.execute("UPDATE jobs SET state = 'done', done_seq = dirty_seq")
        assert _told(url, sent) == {}
        assert (
            audit(url, sent).summaries >= 6
        )  # Two leaves, and one node for each period from day to year.
        later = "UPDATE jobs SET state = 'pending', not_before = now() + interval '1 hour', attempts = {}"
        owner.execute(later.format(0).encode())
        assert _told(url, sent) == {}
        owner.execute(later.format(1).encode())
        assert "jobs not done" in _told(url, sent)
        owner.execute("UPDATE jobs SET state = 'done'")
        owner.execute("UPDATE summaries SET message_count = message_count + 1 WHERE level = 1")
    [spoilt] = _told(url, sent)
    assert spoilt.startswith("namespace whose summaries are not what they should be: default")


def _wait_a_minute(stack: Stack) -> None:
    """Make due jobs a minute older, since younger ones do not count as late."""
    with stack.database.connect() as owner:
        owner.execute(
            "UPDATE jobs SET not_before = now() - interval '1 minute' WHERE not_before <= now()"
        )


def _told(url: str, sent: set[str]) -> dict[str, int]:
    """Return the violations that an audit finds, with their numbers."""
    told = [words.partition(" ") for words in audit(url, sent).words]
    return {what: int(count) for count, _, what in told if count != "job"}


def test_soak_report_measures_growth_and_counts_logged_errors(tmp_path: Path) -> None:
    usage = Usage()
    # Samples after the end of the load do not count.
    for minute in range(90):
        usage.samples["ingest", 1].append(Sample(60.0 * minute, 100 + minute, 9, 3))
        usage.samples["search", 2].append(Sample(60.0 * minute, 100, 9 + minute, 3))
        usage.samples["embedder", 3].append(Sample(6.0 * minute, 100 + minute, 9, 3))
    # The embedder did not live long enough.
    ingest, search = usage.growths(59 * 60.0)
    assert (ingest.name, ingest.memory, ingest.minutes) == ("ingest", (116.5, 153.5), 59)
    assert ingest.ratio > LIMIT
    assert (search.ratio, search.descriptors) == (1, (25.5, 62.5))
    logs = tmp_path / "logs"
    logs.mkdir()
    full = "psycopg.errors.DiskFull: could not extend file"
    said = [
        {"level": "ERROR", "logger": "a", "event": "job 7 failed", "exception": "T\nKeyError: 8"},
        {"level": "ERROR", "logger": "a", "event": "job 9 failed", "exception": "T\nKeyError: 1"},
        {"level": "ERROR", "logger": "a", "event": "job", "exception": f"T\n{full}\nHINT:  Check."},
        {"level": "WARNING", "logger": "a", "event": "slow"},
    ]
    lines = [*map(json.dumps, said), "Traceback (most recent call last):", "  no entry"]
    (logs / "search.log").write_text("\n".join(lines))
    (logs / "postgres.log").write_text("Traceback of an engine")
    assert errors(tmp_path) == {
        ("a", "job N failed: KeyError: N"): 2,
        ("a", f"job: {full}"): 1,
        ("", "Traceback (most recent call last):"): 1,
    }

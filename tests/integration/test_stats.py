"""Stats: items that need attention first, then counts."""

from __future__ import annotations

import psycopg
import pytest

from everword.v1 import search_service_pb2 as pb
from everword.v1 import stats_pb2
from everword_ingest.housekeeping.housekeeping import SQL
from everword_search.stats import get_stats as stats
from support.callers import make_namespaces, within
from support.calls import TOOL, append, message
from support.corpus import import_sample
from support.stack import Stack

CRITICAL = stats_pb2.Alert.SEVERITY_CRITICAL
WARNING = stats_pb2.Alert.SEVERITY_WARNING


async def read(stack: Stack) -> pb.GetStatsResponse:
    return await stack.search.GetStats(pb.GetStatsRequest())


def change(stack: Stack, *statements: str) -> None:
    """Change the database as background work would."""
    with stack.database.connect() as conn:
        for statement in statements:
            conn.execute(statement.encode())


async def test_stats_of_empty_namespace_have_no_alerts(stack: Stack) -> None:
    response = await read(stack)
    assert not response.alerts
    assert not response.tasks
    assert response.corpus == stats_pb2.CorpusStats()
    assert response.embedding.coverage == 1


async def test_stats_count_stored_messages_and_bytes(stack: Stack) -> None:
    await append(
        stack,
        "four",
        message("beat", automated=True),
        message("", role=TOOL, tool_name="ls", tool_args="-la", tool_result="bin"),
        "sentence. " * 500,
    )
    await append(stack, "世界", session_key="other")
    corpus = (await read(stack)).corpus
    assert corpus.latest_record_time.ToSeconds() > 0
    corpus.ClearField("latest_record_time")
    with stack.database.connect() as conn:
        (passages,) = conn.execute("SELECT count(*) FROM memories").fetchone() or (0,)
    assert passages > 5
    assert corpus == stats_pb2.CorpusStats(
        conversations=2, messages=5, turns=4, passages=passages, content_bytes=4 + 4 + 6 + 5000 + 6
    )


async def test_stats_exclude_other_namespaces(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    await append(stack, "theirs", metadata=within("theirs"))
    response = await read(stack)
    assert response.corpus == stats_pb2.CorpusStats()
    assert not response.tasks
    assert response.embedding.pending == 0


async def test_stats_count_passage_without_vector_as_pending(stack: Stack) -> None:
    await append(stack, "one", "two", "three", "four")
    embedding = (await read(stack)).embedding
    assert (embedding.pending, embedding.failed, embedding.coverage) == (4, 0, 0)
    assert embedding.HasField("oldest_pending_age")
    change(stack, "DELETE FROM embedding_queue WHERE memory_id % 4 <> 0")
    embedding = (await read(stack)).embedding
    assert (embedding.pending, embedding.coverage) == (1, 0.75)


async def test_stats_estimate_coverage_above_the_count_limit(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of five passages have no vector: far more than are counted, unevenly, among another namespace's."""
    monkeypatch.setattr(stats, "COUNT_LIMIT", stats.COUNT_LIMIT // 10)
    await make_namespaces(stack, "theirs")
    change(
        stack,
        "INSERT INTO embedding_queue (namespace_id, memory_id, generation_id) "
        "SELECT CASE WHEN n % 7 < 3 THEN 2 ELSE 1 END, n, 1 FROM generate_series(500, 80000) AS n "
        " WHERE n < 5000 OR n BETWEEN 30000 AND 60000 OR n > 79000",
        "INSERT INTO corpus_counts (namespace_id, passages) SELECT 1, count(*) * 5 / 3 FROM embedding_queue "
        " WHERE namespace_id = 1",
    )
    with stack.database.connect() as conn:
        row = conn.execute("SELECT count(*) FROM embedding_queue WHERE namespace_id = 1").fetchone()
    assert row
    assert row[0] > 2 * stats.COUNT_LIMIT
    embedding = (await read(stack)).embedding
    assert embedding.pending == pytest.approx(row[0], rel=0.01)
    assert embedding.coverage == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("limit", [3, 4])
async def test_stats_estimate_is_exact_for_consecutive_ids(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(stats, "COUNT_LIMIT", limit)
    monkeypatch.setattr(stats, "SAMPLES", 1)
    await append(stack, "one", "two", "three", "four")
    embedding = (await read(stack)).embedding
    assert (embedding.pending, embedding.coverage) == (4, 0)


async def test_stats_without_active_model_have_zero_coverage(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats, "COUNT_LIMIT", 3)
    await append(stack, "one", "two", "three", "four")
    change(stack, "UPDATE model_generations SET state = 'retiring'")
    embedding = (await read(stack)).embedding
    assert (embedding.pending, embedding.coverage, embedding.model) == (4, 0, "")


async def test_recent_pending_work_raises_no_alert(stack: Stack) -> None:
    await import_sample(stack)
    response = await read(stack)
    assert not response.alerts
    embed = {task.task: task for task in response.tasks}["embed"]
    assert embed.failed == 0
    assert embed.pending > 0


async def test_alerts_list_failed_jobs_first_with_the_remedy(stack: Stack) -> None:
    await append(stack, "one", "two")
    change(
        stack,
        "UPDATE embedding_queue SET enqueued_at = now() - interval '31 minutes'",
        "UPDATE embedding_queue SET state = 'failed', error = 'x' "
        "WHERE memory_id = (SELECT max(memory_id) FROM embedding_queue)",
        "INSERT INTO jobs (namespace_id, task, subject, not_before) "
        "SELECT namespace_id, 'tidy', 's', now() - interval '22 minutes' FROM jobs WHERE task = 'embed'",
        "UPDATE jobs SET state = 'failed', error = 'no such model' WHERE task = 'embed'",
    )
    response = await read(stack)
    severities = [alert.severity for alert in response.alerts]
    assert severities == [CRITICAL, WARNING, WARNING, WARNING]
    failed_job, late_job, failed_vector, late_vector = (alert.text for alert in response.alerts)
    assert "embed" in failed_job
    assert "no such model" in failed_job
    assert "RetryJobs" in failed_job
    assert "1 passage(s)" in failed_vector
    assert "Backfill" in failed_vector
    assert "tidy" in late_job
    assert "22 minutes" in late_job
    assert "31 minutes" in late_vector
    assert (response.embedding.pending, response.embedding.failed) == (2, 1)
    by_task = {task.task: task for task in response.tasks}
    assert by_task["embed"].sample_error == "no such model"
    assert by_task["tidy"].oldest_pending_age.seconds >= 22 * 60


async def test_folding_does_not_change_corpus_counts(stack: Stack) -> None:
    await append(stack, "one")
    await append(stack, "two")
    before = (await read(stack)).corpus
    with stack.database.connect() as conn:
        _fold(conn)
    assert (await read(stack)).corpus == before


def _fold(conn: psycopg.Connection) -> None:
    conn.execute(SQL["fold_corpus_counts"].sql, {"namespace_id": 1, "limit": 100})
    assert conn.execute("SELECT count(*) FROM corpus_counts").fetchone() == (1,)

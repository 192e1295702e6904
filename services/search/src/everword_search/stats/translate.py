"""Statistics to protos."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from everword.internal.v1.embedder_service_pb2 import DescribeModelResponse
from everword.rpc.translate import to_duration, to_timestamp
from everword.v1 import search_service_pb2 as pb
from everword.v1 import stats_pb2
from everword_search.stats.get_stats import Alert, Stats
from everword_search.stats.store import TaskRow


def stats_response(found: Stats) -> pb.GetStatsResponse:
    corpus, backlog = found.corpus, found.backlog
    return pb.GetStatsResponse(
        alerts=list(_alerts(found.alerts)),
        corpus=stats_pb2.CorpusStats(
            conversations=corpus.conversations,
            messages=corpus.messages,
            turns=corpus.turns,
            passages=corpus.passages,
            content_bytes=corpus.content_bytes,
            latest_record_time=to_timestamp(corpus.latest_recorded_at),
        ),
        embedding=stats_pb2.EmbeddingStats(
            pending=backlog.pending,
            failed=backlog.failed,
            coverage=found.coverage,
            oldest_pending_age=to_duration(backlog.oldest_pending),
            model=backlog.model,
            local_forms=[
                stats_pb2.LocalModelForm(
                    name=form.name,
                    in_use=form.in_use,
                    question_time=to_duration(timedelta(milliseconds=form.question_ms)),
                    passage_time=to_duration(timedelta(milliseconds=form.passage_ms)),
                )
                for form in found.described.forms
            ],
            server=_server(found.described),
        ),
        tasks=[_task(task) for task in found.tasks],
        summaries=_summary_stats(found),
    )


def _server(described: DescribeModelResponse) -> stats_pb2.EmbeddingServer | None:
    if not described.HasField("server"):
        return None
    server = described.server
    return stats_pb2.EmbeddingServer(
        dimensions=server.dimensions,
        max_tokens=server.max_tokens,
        base64=server.base64,
        request_time=to_duration(timedelta(milliseconds=server.request_ms)),
        error=server.error,
    )


def _summary_stats(found: Stats) -> stats_pb2.SummaryStats:
    waiting, levels = found.waiting, found.levels
    return stats_pb2.SummaryStats(
        summaries=sum(level.summaries for level in levels),
        depth=found.depth,
        stale=sum(level.stale for level in levels),
        needs_review=sum(level.needs_review for level in levels),
        backlog=stats_pb2.SummaryBacklog(
            messages=waiting.messages,
            conversations=waiting.conversations,
            periods=waiting.periods,
            oldest_period=waiting.oldest_period.isoformat() if waiting.oldest_period else "",
            tool_sentences=waiting.sentences,
        ),
        failed_tool_sentences=waiting.failed_sentences,
    )


def _alerts(alerts: Iterable[Alert]) -> Iterable[stats_pb2.Alert]:
    for alert in alerts:
        kind = stats_pb2.Alert
        severity = kind.SEVERITY_CRITICAL if alert.critical else kind.SEVERITY_WARNING
        yield stats_pb2.Alert(severity=severity, text=alert.text)


def _task(task: TaskRow) -> stats_pb2.TaskStats:
    return stats_pb2.TaskStats(
        task=task.task,
        pending=task.pending,
        scheduled=task.scheduled,
        running=task.running,
        failed=task.failed,
        oldest_pending_age=to_duration(task.oldest_pending),
        next_start_time=to_timestamp(task.next_start_at),
        sample_error=task.sample_error,
    )

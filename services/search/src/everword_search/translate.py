"""Requests of SearchService and ContextService to the model, and results back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from typing import TypeAlias
from uuid import UUID

from google.protobuf import duration_pb2

from everword.rpc.translate import fill_memory, memory_to_proto, optional_time, to_timestamp
from everword.v1 import (
    conversation_pb2,
    memory_pb2,
    profile_service_pb2,
    stats_pb2,
    summary_service_pb2,
)
from everword.v1 import search_service_pb2 as pb
from everword_search.answers.answer import (
    DEFAULT_ANSWER_TOKENS,
    DEFAULT_MEMORIES,
    Answered,
    AnswerRequest,
)
from everword_search.records.model import ConversationFilter, MemoryFilter, PageRequest
from everword_search.retrieval.model import (
    ArmReport,
    BalancedOptions,
    BrowseRequest,
    SearchMode,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from everword_search.stats.get_stats import Alert, Stats
from everword_search.stats.store import TaskRow
from everword_search.summaries.model import ExpandMode
from everword_search.summaries.translate import expansion_to_proto, to_limits

Paged: TypeAlias = (
    pb.SearchRequest
    | pb.BrowseRequest
    | pb.ListConversationsRequest
    | pb.ListMessagesRequest
    | summary_service_pb2.ListSummariesRequest
    | summary_service_pb2.ExpandSummaryRequest
    | profile_service_pb2.ListFactsRequest
)


def to_page(request: Paged) -> PageRequest:
    body = type(request).FromString(request.SerializeToString())
    body.ClearField("page_size")
    body.ClearField("page_token")
    digest = hashlib.sha256(body.SerializeToString(deterministic=True)).hexdigest()
    return PageRequest(request.page_size, request.page_token, digest)


def to_filter(message: memory_pb2.MemoryFilter) -> MemoryFilter:
    return MemoryFilter(
        kinds=list(message.kinds) or None,
        conversation_ids=[UUID(id_) for id_ in message.conversation_ids] or None,
        agents=list(message.agents) or None,
        subjects=list(message.subjects) or None,
        channels=list(message.channels) or None,
        instances=list(message.instances) or None,
        authors=list(message.authors) or None,
        roles=list(message.roles) or None,
        tags=list(message.tags) or None,
        since=optional_time(message, "start_time"),
        before=optional_time(message, "end_time"),
        include_automated=message.include_automated,
        valid_at=optional_time(message, "valid_at_time"),
        known_at=optional_time(message, "known_at_time"),
    )


def to_balanced(options: pb.BalancedOptions) -> BalancedOptions:
    given = {field.name: value for field, value in options.ListFields()}
    if "half_life" in given:
        given["half_life"] = options.half_life.ToTimedelta()
    return BalancedOptions(**given)


def to_search_request(request: pb.SearchRequest) -> SearchRequest:
    return SearchRequest(
        text=request.query,
        mode=SearchMode(request.mode or SearchMode.HYBRID),
        filter=to_filter(request.filter),
        page=to_page(request),
        explain=request.explain,
        at_least_as_fresh=request.at_least_as_fresh,
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        max_content_chars=request.max_content_chars,
        profile=request.profile or "recall",
        balanced=to_balanced(request.balanced) if request.HasField("balanced") else None,
        expand=ExpandMode(request.expand or ExpandMode.TOP),
        expansion_limits=to_limits(request.expansion_limits),
    )


def to_answer_request(request: pb.AnswerRequest) -> AnswerRequest:
    return AnswerRequest(
        query=request.query,
        filter=to_filter(request.filter),
        max_memories=request.max_memories or DEFAULT_MEMORIES,
        profile=request.profile or "recall",
        max_answer_tokens=request.max_answer_tokens or DEFAULT_ANSWER_TOKENS,
        at_least_as_fresh=request.at_least_as_fresh,
    )


def to_browse_request(request: pb.BrowseRequest) -> BrowseRequest:
    return BrowseRequest(
        filter=to_filter(request.filter),
        newest_first=is_newest_first(request.order),
        page=to_page(request),
        max_content_chars=request.max_content_chars,
        at_least_as_fresh=request.at_least_as_fresh,
    )


def to_conversation_filter(message: conversation_pb2.ConversationFilter) -> ConversationFilter:
    return ConversationFilter(
        agents=list(message.agents) or None,
        channels=list(message.channels) or None,
        subjects=list(message.subjects) or None,
        active=message.active if message.HasField("active") else None,
    )


def is_newest_first(order: memory_pb2.Order.ValueType) -> bool:
    return order != memory_pb2.ORDER_OLDEST_FIRST


def search_response(response: SearchResponse, explain: bool) -> pb.SearchResponse:
    message = pb.SearchResponse(
        next_page_token=response.next_page_token,
        verdict=pb.Verdict.ValueType(response.verdict),
        arms=[_arm_report(report) for report in response.arms],
        calibration=pb.Calibration.ValueType(response.calibration),
    )
    for result in response.results:
        added = message.results.add(
            score=result.hit.score,
            passage=result.passage,
            explanation=_explanation(result) if explain else None,
            relevance=result.relevance,
            expansion=expansion_to_proto(result.expansion) if result.expansion else None,
            needs_review=result.needs_review,
        )
        fill_memory(added.memory, result.memory)
    return message


def _explanation(result: SearchResult) -> pb.ScoreExplanation:
    return pb.ScoreExplanation(
        parts=[
            pb.ScorePart(
                arm=pb.SearchArm.ValueType(part.arm),
                raw=part.raw,
                score=part.score,
                weight=part.weight,
            )
            for part in result.hit.parts
        ],
        terms=[
            pb.TermExplanation(
                term=term.term,
                idf=term.idf,
                document_frequency=term.document_frequency,
                term_frequency=term.term_frequency,
                score=term.score,
            )
            for term in result.hit.terms
        ],
        signals=[
            pb.ScoreSignal(name=signal.name, value=signal.value, weight=signal.weight)
            for signal in result.hit.signals
        ],
        features=[
            pb.ScoreFeature(name=name, value=value) for name, value in result.hit.features.items()
        ],
        evidence=result.hit.evidence,
    )


def _arm_report(report: ArmReport) -> pb.ArmReport:
    return pb.ArmReport(
        arm=pb.SearchArm.ValueType(report.arm),
        state=pb.ArmReport.State.ValueType(report.state),
        reason=report.reason,
        duration=to_duration(timedelta(seconds=report.duration_s)),
    )


def answer_response(found: Answered) -> pb.AnswerResponse:
    return pb.AnswerResponse(
        answer=found.text,
        citations=[
            pb.Citation(number=number, memory=memory_to_proto(memory))
            for number, memory in found.citations.items()
        ],
        verdict=pb.Verdict.ValueType(found.verdict),
        model=found.model,
        unsupported=found.unsupported,
    )


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
        ),
        tasks=[_task(task) for task in found.tasks],
        summaries=_summary_stats(found),
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
        running=task.running,
        failed=task.failed,
        oldest_pending_age=to_duration(task.oldest_pending),
        sample_error=task.sample_error,
    )


def to_duration(span: timedelta | None) -> duration_pb2.Duration | None:
    if span is None:
        return None
    duration = duration_pb2.Duration()
    duration.FromTimedelta(span)
    return duration

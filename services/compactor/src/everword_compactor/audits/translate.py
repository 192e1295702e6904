"""The state of summaries, in proto."""

from __future__ import annotations

from dataclasses import asdict

from everword.rpc.translate import summary_to_proto
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import stats_pb2, summary_pb2
from everword_compactor.audits.model import Audit, AuditFinding, CompactionStatus, LevelStatus
from everword_compactor.compose.model import Faithfulness


def compaction_to_proto(status: CompactionStatus) -> pb.GetCompactionStatusResponse:
    waiting = status.pending
    return pb.GetCompactionStatusResponse(
        mode=pb.CompactionMode.ValueType(status.mode),
        model=status.model,
        levels=[_level(level) for level in status.levels],
        backlog=stats_pb2.SummaryBacklog(
            messages=waiting.messages,
            conversations=waiting.conversations,
            periods=waiting.periods,
            oldest_period=waiting.oldest_period.isoformat() if waiting.oldest_period else "",
            tool_sentences=waiting.sentences,
        ),
        input_tokens=status.usage.input_tokens,
        output_tokens=status.usage.output_tokens,
    )


def _level(status: LevelStatus) -> pb.LevelStatus:
    return pb.LevelStatus(
        level=summary_pb2.SummaryLevel.ValueType(status.level),
        summaries=status.summaries,
        stale=status.stale,
        needs_review=status.needs_review,
        by_models=status.by_models,
    )


def audit_to_proto(audit: Audit) -> pb.AuditSummariesResponse:
    return pb.AuditSummariesResponse(
        audited=audit.audited,
        findings=[_finding(finding) for finding in audit.findings],
        source_coverage=audit.source_coverage,
        identifier_coverage=audit.identifier_coverage,
        next_page_token=audit.next_page_token,
    )


def _finding(finding: AuditFinding) -> pb.AuditFinding:
    return pb.AuditFinding(
        summary=summary_to_proto(finding.summary),
        faithfulness=_faithfulness(finding.faithfulness),
        problems=finding.problems,
    )


def _faithfulness(found: Faithfulness) -> summary_pb2.Faithfulness:
    return summary_pb2.Faithfulness(**asdict(found))

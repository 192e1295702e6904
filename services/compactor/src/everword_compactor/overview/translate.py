"""How summaries stand, in proto."""

from __future__ import annotations

from dataclasses import asdict

from everword.rpc.translate import summary_to_proto
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import summary_pb2
from everword_compactor.compose.model import Faithfulness
from everword_compactor.overview.model import Audit, AuditFinding, Compaction, LevelStatus


def compaction_to_proto(status: Compaction) -> pb.CompactionStatusResponse:
    owed = status.owed
    return pb.CompactionStatusResponse(
        mode=pb.CompactionMode.ValueType(status.mode),
        model=status.model,
        levels=[_level(level) for level in status.levels],
        unsummarised_messages=owed.messages,
        unsummarised_conversations=owed.conversations,
        owed_periods=owed.periods,
        owed_tool_sentences=owed.sentences,
        oldest_owed_period=owed.oldest_period.isoformat() if owed.oldest_period else "",
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

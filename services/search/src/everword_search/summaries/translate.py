"""Summary requests from protos, and results to protos."""

from __future__ import annotations

from uuid import UUID

from everword.rpc.translate import memory_to_proto, summary_to_proto, time_range
from everword.v1 import search_service_pb2 as pb
from everword.v1 import summary_pb2
from everword_search.summaries.model import (
    DEFAULT_LIMITS,
    Expansion,
    ExpansionLimits,
    SummaryFilter,
)

_ALL_LEVELS: list[int] = [level for level in summary_pb2.SummaryLevel.values() if level]


def to_limits(limits: pb.ExpansionLimits) -> ExpansionLimits:
    return ExpansionLimits(
        depth=limits.depth or DEFAULT_LIMITS.depth,
        max_children=limits.max_children or DEFAULT_LIMITS.max_children,
        max_sources=limits.max_sources or DEFAULT_LIMITS.max_sources,
        max_content_chars=limits.max_content_chars or DEFAULT_LIMITS.max_content_chars,
    )


def to_summary_filter(message: summary_pb2.SummaryFilter) -> SummaryFilter:
    since, before = time_range(message)
    return SummaryFilter(
        levels=[*message.levels] or _ALL_LEVELS,
        conversation_id=UUID(message.conversation_id) if message.conversation_id else None,
        since=since,
        before=before,
        only_needing_review=message.only_needing_review,
        subjects=list(message.subjects) or None,
    )


def expansion_to_proto(expansion: Expansion) -> pb.Expansion:
    return pb.Expansion(
        summary=summary_to_proto(expansion.summary),
        children=[expansion_to_proto(child) for child in expansion.children],
        sources=[memory_to_proto(source) for source in expansion.sources],
        omitted=expansion.omitted,
    )

"""The state of a namespace's summaries, free of protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import IntEnum

from everword.domain.records import SummaryRecord
from everword_compactor.compose.model import Faithfulness


class CompactionMode(IntEnum):
    """The way summaries are made. Values equal proto `CompactionMode`."""

    EXTRACTIVE = 1
    MODEL = 2


@dataclass(frozen=True)
class LevelStatus:
    """The state of a level's summaries."""

    #: Values equal proto `SummaryLevel`.
    level: int
    summaries: int
    stale: int
    needs_review: int
    by_models: Mapping[str, int]


@dataclass(frozen=True)
class PendingRow:
    """The messages, periods and tool calls that wait for summaries and sentences."""

    messages: int
    conversations: int
    periods: int
    oldest_period: date | None
    sentences: int


@dataclass(frozen=True)
class ModelUsageRow:
    """Tokens that language models read and wrote."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class CompactionStatus:
    """The way summaries are made, and their backlog."""

    mode: CompactionMode
    model: str
    levels: Sequence[LevelStatus]
    pending: PendingRow
    usage: ModelUsageRow


@dataclass(frozen=True)
class AuditedRow(SummaryRecord):
    """A node that is to be held against its sources."""

    agent: str
    channel: str
    #: Nodes from the first of the page on, including the first of the next page.
    available: int
    #: Bytes of its sources.
    size: int


@dataclass(frozen=True)
class AuditFinding:
    """A node with which something is wrong."""

    summary: SummaryRecord
    faithfulness: Faithfulness
    #: Problems of its span, count or sources, in words.
    problems: Sequence[str]


@dataclass(frozen=True)
class Audit:
    """The findings on a page of nodes."""

    audited: int
    findings: Sequence[AuditFinding]
    #: Means over the nodes; 1 without nodes.
    source_coverage: float
    identifier_coverage: float
    next_page_token: str

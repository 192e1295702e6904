"""Budgets, and questions about costs, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import IntEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.costs.model import ModelCall
from everword.domain.times import local_time

#: Default threshold of a warning.
DEFAULT_WARN_PERCENT = 80


class BudgetPeriod(IntEnum):
    """The period whose calls a budget counts: one run, or a calendar month. Values equal proto `BudgetPeriod`."""

    RUN = 1
    MONTH = 2


class BudgetScope(IntEnum):
    """The scope of the calls that a budget counts."""

    NAMESPACE = 1
    AGENT = 2
    MODEL = 3


@dataclass(frozen=True)
class BudgetKey:
    """The identity of a budget."""

    period: BudgetPeriod
    scope: BudgetScope = BudgetScope.NAMESPACE
    #: The agent or model.
    scope_value: str = ""


@dataclass(frozen=True)
class BudgetLimits:
    """The limits of a budget; None for no limit."""

    max_cost: Decimal | None
    #: Currency of max_cost; empty without one.
    currency: str
    max_tokens: int | None
    warn_percent: int = DEFAULT_WARN_PERCENT


@dataclass(frozen=True)
class UsageReport:
    """Calls that are reported."""

    calls: Sequence[ModelCall]
    request_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True)
class Month:
    """A calendar month as clocks of a time zone show it."""

    begins_at: datetime
    ends_at: datetime
    #: Such as `2026-03`.
    name: str

    @classmethod
    def of(cls, moment: datetime, time_zone: str) -> Month:
        zone = ZoneInfo(time_zone)
        local = local_time(moment, zone)
        begin = datetime(local.year, local.month, 1, tzinfo=zone)
        years, month = divmod(local.month, 12)
        end = datetime(local.year + years, month + 1, 1, tzinfo=zone)
        return cls(begin, end, f"{begin:%Y-%m}")


@dataclass(frozen=True)
class CostFilter:
    """Which model calls are summed up; None selects all, except that the dates then cover the last 30 days."""

    start: date | None = None
    end: date | None = None
    models: Sequence[str] | None = None
    providers: Sequence[str] | None = None
    agents: Sequence[str] | None = None
    conversation_ids: Sequence[UUID] | None = None
    run_ids: Sequence[str] | None = None
    own: bool | None = None


@dataclass(frozen=True)
class CostQuery:
    """Sums that a caller asks for."""

    filter: CostFilter
    #: Names of groupings: `day`, `model`, …
    group_by: Sequence[str]

"""Calls of models as the ledger takes them, and a limit that is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.chat.model import UsageRecord


@dataclass(frozen=True)
class ModelCall:
    """One call of a model, for the ledger."""

    task: str
    """The purpose."""
    model: str
    input_tokens: int
    """Those from a cache included."""
    output_tokens: int
    own: bool
    """Whether a service of Everword made it."""
    provider: str = ""
    endpoint: str = ""
    cached_tokens: int = 0
    outcome: str = "ok"
    seconds: float = 0.0
    cost: Decimal | None = None
    """None where the price of the model says it."""
    currency: str = ""
    called_at: datetime | None = None
    """None for now."""
    run_id: str = ""
    conversation_id: UUID | None = None
    agent: str = ""
    session_key: str = ""


@dataclass(frozen=True)
class SpentBudget:
    """A budget whose limit is reached this month."""

    budget_id: UUID
    period: str
    #: When the next month begins.
    resets_at: datetime
    #: Seconds until then.
    seconds: float


def own_call(usage: UsageRecord, conversation_id: UUID | None = None) -> ModelCall:
    """Return the ledger entry of a service's own call, with its conversation if known."""
    return ModelCall(
        task=usage.task,
        model=usage.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        own=True,
        endpoint=usage.endpoint,
        cached_tokens=min(usage.cached_tokens, usage.input_tokens),
        outcome=usage.outcome,
        seconds=usage.seconds,
        conversation_id=conversation_id,
    )


def to_records(calls: Sequence[ModelCall]) -> Jsonb:
    """Return calls as the ledger's function reads them. Amounts are text: JSON's numbers may lose digits."""
    return Jsonb([{name: _json(value) for name, value in vars(call).items()} for call in calls])


def _json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value

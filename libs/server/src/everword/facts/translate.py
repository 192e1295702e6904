"""Facts to protos."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from everword.facts.confidence import find_weight
from everword.facts.store import FactView
from everword.rpc.translate import to_timestamp
from everword.v1 import fact_pb2


def fact_to_proto(view: FactView, at: datetime | None = None) -> fact_pb2.Fact:
    """Return a fact; its weight is that of the moment `at`, or of now."""
    at = at or datetime.now(UTC)
    return fact_pb2.Fact(
        id=str(view.id),
        subject=view.subject,
        category=view.category,
        attribute=view.attribute,
        value=view.value,
        source=fact_pb2.FactSource.ValueType(view.source),
        hypothesis=view.hypothesis,
        state=fact_pb2.FactState.ValueType(view.state),
        confidence=view.confidence,
        weight=find_weight(view.confidence, view.last_seen_at, view.lifetime_days, at),
        valid_from_time=to_timestamp(view.valid_from),
        valid_until_time=to_timestamp(view.valid_until),
        known_from_time=to_timestamp(view.known_from),
        known_until_time=to_timestamp(view.known_until),
        expire_time=to_timestamp(_expiry(view)),
        supporting=view.supporting,
        contradicting=view.contradicting,
        successor_id=str(view.successor_id or ""),
        memory_id=str(view.memory_id or ""),
        last_seen_time=to_timestamp(view.last_seen_at),
        disputed=view.disputed,
    )


def _expiry(view: FactView) -> datetime | None:
    try:
        return view.last_seen_at + timedelta(days=view.lifetime_days)
    except OverflowError:
        return None

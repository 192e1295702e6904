"""Callers are recognised by their metadata, once they were admitted, so that their calls can be refused at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from everword.admission.fair_share import Group
from everword.domain.errors import Overloaded
from everword.domain.quotas import RateLimitReached
from everword.quotas.store import CountsRow, LimitsRow, QuotaUsageRow
from everword.quotas.usage import QuotaUsage
from everword.rpc.capacity import Capacity
from everword.rpc.shedding import Shedding, claimed_identity

FLOOD, OTHER = Group("flood"), Group("other")
KEY, ANOTHER_KEY = (
    claimed_identity({"authorization": "Bearer f"}),
    claimed_identity({"authorization": "Bearer o"}),
)


async def test_calls_are_refused_while_the_queue_of_their_group_is_full() -> None:
    capacity = Capacity(8)
    shedding = Shedding(capacity)
    calls = [asyncio.create_task(_call(capacity, FLOOD)) for _ in range(10)]
    shedding.note(KEY, FLOOD)
    assert not shedding.is_active
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    for shown, group in ((KEY, FLOOD), (ANOTHER_KEY, OTHER)):
        shedding.note(shown, group)
    assert shedding.is_active
    assert isinstance(shedding.refusal(KEY, is_counted=True), Overloaded)
    assert shedding.refusal(ANOTHER_KEY, is_counted=True) is None
    for call in calls:
        call.cancel()
    ended = await asyncio.gather(*calls, return_exceptions=True)
    assert any(isinstance(each, Overloaded) for each in ended)
    assert shedding.refusal(KEY, is_counted=True) is None


async def test_shedding_of_a_namespace_over_its_rate_spares_other_calls() -> None:
    shedding, usage = Shedding(Capacity(8)), QuotaUsage()
    usage.sent(_row(requests_per_minute=2))
    shedding.note_limited(KEY, usage)
    refusal = shedding.refusal(KEY, is_counted=True)
    assert isinstance(refusal, RateLimitReached)
    assert 29 < (refusal.retry_after_s or 0) <= 30.1
    assert shedding.refusal(ANOTHER_KEY, is_counted=True) is None
    # Operators' calls are not counted.
    assert shedding.refusal(KEY, is_counted=False) is None
    usage.sent(_row(requests_per_minute=3))
    assert shedding.refusal(KEY, is_counted=True) is None


def _row(requests_per_minute: int) -> QuotaUsageRow:
    now = datetime.now(UTC)
    limits = LimitsRow(1, requests_per_minute, 0, 0, minute=now, ends_in_s=30.0)
    return QuotaUsageRow(limits, CountsRow(1, requests=2, messages=0, stored_bytes=0))


async def _call(capacity: Capacity, group: Group) -> None:
    async with capacity.slot(group):
        await asyncio.Event().wait()


def test_claimed_identity_normalises_authorization_and_namespace() -> None:
    for written in ("Bearer k", "bearer k", "BEARER   k "):
        assert claimed_identity({"authorization": written}) == ("k", "default")
    assert (
        claimed_identity({})
        == claimed_identity({"x-everword-namespace": "default"})
        == ("", "default")
    )
    assert claimed_identity({"authorization": "Bearer k", "x-everword-namespace": "n"}) == (
        "k",
        "n",
    )

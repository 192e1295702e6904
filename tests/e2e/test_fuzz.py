"""The short form of `make test-fuzz`."""

from __future__ import annotations

import pytest

from fuzz.__main__ import GROWTH, HEALTH_S
from fuzz.run import run

CALLS = 1500
SEED = 20261124


@pytest.mark.slow
async def test_fuzzed_requests_are_answered_or_refused_with_a_reason() -> None:
    outcome = await run(CALLS, SEED, lambda made: None)
    assert not outcome.faults, f"seed {SEED}:\n" + "\n".join(outcome.faults[:5])
    assert outcome.calls == CALLS
    assert outcome.growth <= GROWTH, outcome.memory_mb
    # Other load on the machine may delay one answer in a hundred.
    assert outcome.health_quantile(0.99) <= HEALTH_S
    # Otherwise all requests would be refused early. So few calls may miss an RPC; the long form fails for any.
    assert len(outcome.unanswered) <= 3, outcome.unanswered

"""The circuit breaker, by a clock that the test moves."""

from __future__ import annotations

import pytest

from everword.model_server.breaker import FAILURES, PAUSE_S, CircuitBreaker, CircuitOpen


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock)


def passes(breaker: CircuitBreaker) -> bool:
    try:
        breaker.enter()
    except CircuitOpen:
        return False
    return True


def fail(breaker: CircuitBreaker, times: int = FAILURES) -> None:
    for _ in range(times):
        breaker.failed()


def test_breaker_stays_closed_below_the_failure_limit(breaker: CircuitBreaker) -> None:
    fail(breaker, FAILURES - 1)
    assert passes(breaker)


def test_breaker_resets_failure_count_after_an_answer(breaker: CircuitBreaker) -> None:
    fail(breaker, FAILURES - 1)
    breaker.answered()
    fail(breaker, FAILURES - 1)
    assert passes(breaker)


def test_open_breaker_refuses_calls_with_the_remaining_pause(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker)
    clock.now += 1
    with pytest.raises(CircuitOpen) as caught:
        breaker.enter()
    assert caught.value.retry_after_s == pytest.approx(PAUSE_S - 1)


def test_breaker_passes_one_trial_call_after_the_pause(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker)
    clock.now += PAUSE_S
    assert [passes(breaker) for _ in range(3)] == [True, False, False]
    clock.now += PAUSE_S
    assert passes(breaker)


def test_breaker_closes_after_an_answered_trial_call(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += PAUSE_S
    breaker.enter()
    breaker.answered()
    assert [passes(breaker) for _ in range(3)] == [True, True, True]


def test_breaker_keeps_the_longest_requested_pause(breaker: CircuitBreaker, clock: Clock) -> None:
    breaker.answered()
    breaker.hold(20)
    breaker.hold(10)
    clock.now += 19
    assert not passes(breaker)
    clock.now += 1
    assert passes(breaker)

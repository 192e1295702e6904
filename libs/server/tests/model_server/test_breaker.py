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


def test_fewer_failures_than_make_an_outage_stop_nothing(breaker: CircuitBreaker) -> None:
    fail(breaker, FAILURES - 1)
    assert passes(breaker)


def test_an_answer_in_between_starts_the_count_again(breaker: CircuitBreaker) -> None:
    fail(breaker, FAILURES - 1)
    breaker.answered()
    fail(breaker, FAILURES - 1)
    assert passes(breaker)


def test_in_an_outage_calls_fail_at_once_and_say_for_how_long(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    fail(breaker)
    clock.now += 1
    with pytest.raises(CircuitOpen) as caught:
        breaker.enter()
    assert caught.value.retry_after_s == pytest.approx(PAUSE_S - 1)


def test_after_the_pause_one_call_tries_for_all(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += PAUSE_S
    assert [passes(breaker) for _ in range(3)] == [True, False, False]
    clock.now += PAUSE_S
    assert passes(breaker)


def test_when_the_try_is_answered_all_pass(breaker: CircuitBreaker, clock: Clock) -> None:
    fail(breaker)
    clock.now += PAUSE_S
    breaker.enter()
    breaker.answered()
    assert [passes(breaker) for _ in range(3)] == [True, True, True]


def test_a_pause_that_was_asked_for_is_kept(breaker: CircuitBreaker, clock: Clock) -> None:
    breaker.answered()
    breaker.hold(20)
    breaker.hold(10)
    clock.now += 19
    assert not passes(breaker)
    clock.now += 1
    assert passes(breaker)

"""The tracer and the meter that all of Everword shares."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from opentelemetry import metrics, trace
from opentelemetry.metrics import Counter, Histogram, UpDownCounter, _Gauge

from everword.telemetry import names

_SCOPE = "everword"
_NOTHING = nullcontext()


@cache
def tracer() -> trace.Tracer:
    return trace.get_tracer(_SCOPE)


def inner_span(name: str, **given: Any) -> AbstractContextManager[object]:
    """Return a span of a step of a call or a job, or nothing: see `_is_traced`."""
    if not _is_traced():
        return _NOTHING
    return tracer().start_as_current_span(name, **given)


def begin_span(name: str, **given: Any) -> trace.Span:
    """Return a span that does not become the current one; the caller ends it."""
    if not _is_traced():
        return trace.INVALID_SPAN
    return tracer().start_span(name, **given)


def _is_traced() -> bool:
    """Return whether spans are exported, of which a search has a dozen, and a call or a job is under way.

    Health checks, sweeps and polls query the database all the time, and would bury the calls in traces.
    """
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return False
    return trace.get_current_span().get_span_context().is_valid


def meter() -> metrics.Meter:
    return metrics.get_meter(_SCOPE)


@cache
def duration_histogram(name: str, bounds: tuple[float, ...] = names.DURATION_BUCKETS) -> Histogram:
    """Return the histogram of durations in seconds with this name."""
    return meter().create_histogram(name, unit="s", explicit_bucket_boundaries_advisory=bounds)


@cache
def counter(name: str, unit: str) -> Counter:
    return meter().create_counter(name, unit=unit)


@cache
def gauge(name: str, unit: str) -> _Gauge:
    return meter().create_gauge(name, unit=unit)


@cache
def up_down_counter(name: str, unit: str) -> UpDownCounter:
    return meter().create_up_down_counter(name, unit=unit)

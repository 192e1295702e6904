"""Costs by day and model, as bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from everword.v1 import cost_service_pb2
from everword_web.console.phrases import amount

WIDTH, HEIGHT = 880, 240
_LEFT, _RIGHT, _BOTTOM, _TOP = 64, 16, 24, 10
#: Possible ends of an axis, times a power of ten.
_ENDS = [Decimal(end) for end in ("1", "1.2", "1.6", "2", "3", "4", "5", "6", "8", "10")]
#: Models with a colour of their own; the others share the last one.
_MOST_SERIES = 6
OTHERS = "other models"

Measure = Callable[[cost_service_pb2.CostGroup], Decimal]


@dataclass(frozen=True)
class Bar:
    """The cost of a model on a day."""

    x: float
    y: float
    width: float
    height: float
    series: int
    title: str


@dataclass(frozen=True)
class Chart:
    """Bars with the labels of their axes."""

    bars: list[Bar]
    series: list[str]
    """Names of models, by the number of their colour."""
    ticks: list[tuple[float, str]]
    """(y, label) of each line across."""
    days: list[tuple[float, str]]
    """(x, label) of some days."""
    baseline: float
    width: float = WIDTH
    height: float = HEIGHT
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    """Where lines across begin and end."""


def draw(
    groups: Sequence[cost_service_pb2.CostGroup],
    start: date,
    end: date,
    measure: Measure,
    unit: str,
) -> Chart:
    """Return the bars of the days from `start` to `end`, both included."""
    values: dict[tuple[str, str], Decimal] = {}
    totals: dict[str, Decimal] = {}
    for group in groups:
        value = measure(group)
        values[group.day, group.model] = values.get((group.day, group.model), Decimal()) + value
        totals[group.model] = totals.get(group.model, Decimal()) + value
    ranked = sorted((model for model in totals if totals[model]), key=lambda m: (-totals[m], m))
    own = ranked if len(ranked) <= _MOST_SERIES else ranked[: _MOST_SERIES - 1]
    series = [*own, *([OTHERS] if len(own) < len(ranked) else [])]
    days = [start + timedelta(days=n) for n in range((end - start).days + 1)]
    by_day = [_series_of_day(values, day.isoformat(), ranked, own, len(series)) for day in days]
    top = _round_up(max((sum(day, Decimal()) for day in by_day), default=Decimal()))
    baseline = HEIGHT - _BOTTOM
    scale = (baseline - _TOP) / float(top)
    step = (WIDTH - _LEFT - _RIGHT) / len(days)
    bars = [
        bar
        for place, (day, parts) in enumerate(zip(days, by_day, strict=True))
        for bar in _bars(
            _LEFT + place * step,
            step,
            scale,
            parts,
            [_title(day, *named, unit) for named in zip(series, parts, strict=True)],
        )
    ]
    every = max(1, len(days) // 7)
    return Chart(
        bars,
        series,
        [(round(baseline - float(top) * part * scale, 2), _tick(top, part, unit)) for part in (0.5, 1)],
        [(round(_LEFT + (place + 0.5) * step, 2), f"{day:%d %b}") for place, day in enumerate(days)
         if (len(days) - 1 - place) % every == 0],
        baseline,
    )  # fmt: skip


def _bars(
    x: float, step: float, scale: float, parts: list[Decimal], titles: list[str]
) -> Iterator[Bar]:
    """Yield the bars of a day, each on top of the one before."""
    y = float(HEIGHT - _BOTTOM)
    for number, value in enumerate(parts):
        if value:
            height = max(0.75, float(value) * scale)
            y -= height
            yield Bar(
                round(x + step * 0.12, 2),
                round(y, 2),
                round(step * 0.76, 2),
                round(height, 2),
                number,
                titles[number],
            )


def _title(day: date, model: str, value: Decimal, unit: str) -> str:
    return f"{day}, {model}: {amount(value) if unit else f'{value:,}'} {unit}".strip()


def _series_of_day(
    values: dict[tuple[str, str], Decimal], day: str, ranked: list[str], own: list[str], count: int
) -> list[Decimal]:
    parts = [values.get((day, model), Decimal()) for model in own]
    others = sum((values.get((day, model), Decimal()) for model in ranked[len(own) :]), Decimal())
    return [*parts, others][:count]


def _round_up(value: Decimal) -> Decimal:
    """Return the end of an axis, which half of it is as easy to read as."""
    if not value:
        return Decimal(1)
    power = Decimal(10) ** value.adjusted()
    return next(factor * power for factor in _ENDS if factor * power >= value)


def _tick(top: Decimal, part: float, unit: str) -> str:
    value = top * Decimal(str(part))
    if unit:
        return amount(value)
    for letter, size in (("M", 10**6), ("k", 10**3)):
        if value >= size:
            return f"{(value / size).normalize():f} {letter}"
    return f"{value.normalize():f}"

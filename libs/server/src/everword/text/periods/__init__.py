"""Understand time in words: `last Tuesday evening`, `the week after Easter`, `vor zwei Wochen`, `2026-05`."""

from everword.text.periods.events import Event, day_of_event, find_event
from everword.text.periods.find import Period, find_periods
from everword.text.periods.named_times import NAMED_TIME_EXAMPLES, TimeBounds, parse_time_range

__all__ = [
    "NAMED_TIME_EXAMPLES",
    "Event",
    "Period",
    "TimeBounds",
    "day_of_event",
    "find_event",
    "find_periods",
    "parse_time_range",
]

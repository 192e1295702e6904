"""Understand time in words: `last Tuesday evening`, `the week after Easter`, `vor zwei Wochen`, `2026-05`."""

from everword.text.periods.find import Period, find_periods

__all__ = ["Period", "find_periods"]

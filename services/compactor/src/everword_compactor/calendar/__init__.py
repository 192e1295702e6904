"""Compaction along the calendar: messages become days, days weeks, weeks months, months years."""

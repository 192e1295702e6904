"""Times as people type them: ISO 8601, `today`, `yesterday`, and spans that have passed, such as `7d`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import click

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(\d{1,5})([mhdw])")


def parse_time(text: str, now: datetime) -> datetime:
    """Return the time that `text` means at `now`, in whose zone times without one are taken.

    Raises ValueError for anything else.
    """
    word = text.strip().lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if word in {"now", "today", "yesterday"}:
        return {"now": now, "today": midnight, "yesterday": midnight - timedelta(days=1)}[word]
    if span := _SPAN.fullmatch(word):
        return now - timedelta(**{_UNITS[span[2]]: int(span[1])})
    time = datetime.fromisoformat(text.strip())
    return time if time.tzinfo else time.replace(tzinfo=now.tzinfo)


class TimeParam(click.ParamType[datetime]):
    """A time on the command line, in this machine's zone."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return parse_time(str(value), datetime.now().astimezone())
        except (ValueError, OverflowError):
            self.fail(
                f"{value!r} is not a time: write 2026-03-12, 2026-03-12T20:30, today, yesterday, 36h "
                "or 7d",
                param,
                ctx,
            )

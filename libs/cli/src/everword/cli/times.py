"""Times as people type them on the command line, such as `yesterday`, `7d` and `2026-03-12T20:30`."""

from __future__ import annotations

from datetime import datetime

import click


def parse_time(text: str, now: datetime) -> datetime:
    """Return the beginning of the time that `text` names at `now`, in whose zone times without one are taken.

    Raises ValueError if it names none, or a time without a beginning, such as `until May`.
    """
    # Imported here, because most commands are given no time.
    from everword.text.periods import parse_time_range

    zone = now.tzinfo
    if zone is None:
        raise ValueError("now must have a zone")
    bounds = parse_time_range(text, now, zone)
    if bounds.start is None:
        raise ValueError("has no beginning")
    return bounds.start


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
        except ValueError as error:
            from everword.text.periods import NAMED_TIME_EXAMPLES

            self.fail(f"{value!r} {error}: write a time such as {NAMED_TIME_EXAMPLES}", param, ctx)

"""Moments as clocks show them, over all of the years 1 to 9999 that a message may name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_MINUTE = timedelta(minutes=1)


def utc_now() -> datetime:
    return datetime.now(UTC)


def local_time(moment: datetime, zone: tzinfo) -> datetime:
    """Return an aware `moment` as `zone` shows it; as it is where the zone would be in year 0 or 10,000."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment  # the first or last day that a date can name has no neighbour in another zone


def display_time(moment: datetime, zone: tzinfo) -> datetime:
    """Return an aware `moment` as written in text: in `zone`, or in UTC.

    UTC is used if the zone has no date for the moment, or if its offset has seconds, as before standard time.
    """
    local = local_time(moment, zone)
    offset = local.utcoffset() or timedelta()
    return local.astimezone(UTC) if offset % _MINUTE else local


def write_minute(moment: datetime, zone: tzinfo = UTC) -> str:
    """Return `2026-04-18T12:00Z`, or with the offset if that is not zero; a year has four digits."""
    shown = display_time(moment, zone)
    written = shown.isoformat(timespec="minutes")
    return written if shown.utcoffset() else f"{written[:16]}Z"

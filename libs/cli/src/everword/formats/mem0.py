"""mem0's memories, as `get_all` returns them: a list, or an object with `results`. Each becomes a note."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.formats.records import Record, day_of, note
from everword.transcripts import Part, TranscriptError


def reader(shape: frozenset[str]) -> object:
    """Return what reads a part of this shape, if it is a list of memories."""
    for prefix in ("item", "results.item"):
        if {f"{prefix}.id", f"{prefix}.memory"} <= shape:
            return lambda part: read(part, prefix)
    return None


def read(part: Part, prefix: str) -> Iterator[Record]:
    """Yield a note for each memory that has not expired. Raises TranscriptError."""
    for memory, place in part.items(prefix, "memory"):
        text, own = memory.get("memory"), memory.get("id")
        if not own:
            raise TranscriptError(f"{place}: it has no id")
        ends = _ends(memory.get("expiration_date"), place)
        if not text or (ends and ends <= datetime.now(UTC)):
            part.meter.skipped["expired" if text else "empty"] += 1
            continue
        scope = {
            "agent": str(memory.get("agent_id") or ""),
            "subject": str(memory.get("user_id") or ""),
        }
        yield note(
            f"mem0/{own}",
            str(text),
            place,
            kind="memory",
            tags=_tags(memory),
            scope=scope,
            expire_time=ends.isoformat() if ends else "",
        )


def _tags(memory: dict[str, Any]) -> list[str]:
    """Return the day on which it was written, its categories, and what else was kept with it."""
    tags = [day_of(memory.get("created_at"))]
    tags += [str(each) for each in memory.get("categories") or []]
    run = memory.get("run_id")
    more = {**({"run": run} if run else {}), **(memory.get("metadata") or {})}
    tags += [f"{name}={value}" for name, value in more.items() if isinstance(value, str | int)]
    return tags


def _ends(day: object, place: str) -> datetime | None:
    """Return the end of the last day on which a memory holds."""
    if not day:
        return None
    try:
        last = datetime.fromisoformat(str(day)[:10])
    except ValueError:
        raise TranscriptError(f"{place}: expiration_date {day!r} is no date") from None
    return last.replace(tzinfo=UTC) + timedelta(days=1)

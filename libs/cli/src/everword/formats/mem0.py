"""mem0's memories, as `get_all` returns them: a list, or an object with `results`. Each becomes a note."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from everword.formats.records import Record, day_of, note
from everword.transcripts import Part, RecordError, list_in, name_in, object_in, text_in


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not a list of memories."""
    for prefix in ("item", "results.item"):
        alongside = {f"{prefix}.{name}" for name in ("id", "user_id", "agent_id", "created_at")}
        if f"{prefix}.memory" in shape and shape & alongside:
            return lambda part: read(part, prefix)
    return None


def read(part: Part, prefix: str) -> Iterator[Record]:
    """Yield a note for each memory that has not expired. Raises TranscriptError if the file is damaged."""
    for memory, place in part.items(prefix, "memory"):
        with part.meter.skipping(place):
            text, own = text_in(memory, "memory", place), name_in(memory, "id", place)
            if not own:
                raise RecordError(place, "it has no id")
            if memory.get("memory") is None:
                raise RecordError(place, "it has no memory")
            ends = _ends(memory.get("expiration_date"), place)
            if not text or (ends and ends <= datetime.now(UTC)):
                part.meter.skipped["expired" if text else "empty"] += 1
                continue
            scope = {
                "agent": name_in(memory, "agent_id", place),
                "subject": name_in(memory, "user_id", place),
            }
            yield note(
                f"mem0/{own}",
                text,
                place,
                kind="memory",
                tags=_tags(memory, place),
                scope=scope,
                expire_time=ends.isoformat() if ends else "",
            )


def _tags(memory: dict[str, Any], place: str) -> list[str]:
    """Return a memory's day, categories and other metadata. Raises RecordError."""
    tags = [day_of(memory.get("created_at"), place)]
    tags += [str(each) for each in list_in(memory, "categories", place)]
    run = name_in(memory, "run_id", place)
    more = {**({"run": run} if run else {}), **object_in(memory, "metadata", place)}
    tags += [f"{name}={value}" for name, value in more.items() if isinstance(value, str | int)]
    return tags


def _ends(day: object, place: str) -> datetime | None:
    """Return the end of the last day on which a memory is valid. Raises RecordError."""
    if not day:
        return None
    try:
        last = datetime.fromisoformat(str(day)[:10])
        return last.replace(tzinfo=UTC) + timedelta(days=1)
    except (ValueError, OverflowError):
        raise RecordError(place, f"expiration_date {str(day)[:100]!r} is not a date") from None

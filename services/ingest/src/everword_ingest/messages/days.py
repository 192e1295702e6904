"""The work that an append enqueues for the calendar: its messages, by the days that they are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everword.db.arrays import Column
from everword.db.namespaces import NamespaceSettings
from everword.domain.periods import Calendar
from everword_ingest.indexing import PlacedMessage


def pending_days(
    placed: Sequence[PlacedMessage], settings: NamespaceSettings, channel: str
) -> dict[str, Any]:
    """Return the arrays that `enqueue_days` takes: one element for each message that goes into a daily summary.

    Automated messages and empty ones do not, nor does a channel that its policy keeps out.
    """
    calendar = Calendar(settings.time_zone, settings.day_cutoff_minutes)
    said = [
        entry
        for entry in (placed if settings.rolls_up(channel) else ())
        if not entry.message.automated and entry.message.text.strip()
    ]
    return {
        "days": Column("date", calendar.days_of(entry.occurred_at for entry in said)),
        "instances": Column("text", [entry.instance for entry in said]),
        "seqs": Column("int8", [entry.seq for entry in said]),
    }

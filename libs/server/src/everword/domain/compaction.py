"""The time at which a conversation is due for compaction, used by ingest to schedule and by the compactor to check."""

from __future__ import annotations

from dataclasses import dataclass

from everword.domain.settings import Environment


@dataclass(frozen=True)
class CompactionSettings:
    """Thresholds of compaction."""

    #: Number of unsummarised messages that triggers compaction; also the number of messages of a leaf.
    after_messages: int = 10
    #: Seconds without a new message after which half of `after_messages` suffice.
    idle_s: float = 15 * 60.0
    #: Seconds without a new message after which any number suffices.
    long_idle_s: float = 4 * 24 * 3600.0

    @classmethod
    def from_environment(cls, environment: Environment) -> CompactionSettings:
        return cls(
            after_messages=environment.integer(
                "EVERWORD_COMPACT_AFTER_MESSAGES", cls.after_messages, minimum=2
            )
        )

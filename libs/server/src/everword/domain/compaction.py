"""The time at which a conversation is due to be summed up: ingest schedules by it, and the compactor checks by it."""

from __future__ import annotations

from dataclasses import dataclass

from everword.domain.settings import Environment


@dataclass(frozen=True)
class CompactionSettings:
    """Thresholds of compaction."""

    #: Number of unsummarised messages that triggers compaction; also the number of messages of a leaf.
    after_messages: int = 10
    #: Fewer, at least half as many, once nothing was said for so long.
    idle_s: float = 15 * 60.0
    #: However few, once nothing was said for so long.
    long_idle_s: float = 4 * 24 * 3600.0

    @classmethod
    def from_environment(cls, environment: Environment) -> CompactionSettings:
        return cls(
            after_messages=environment.integer(
                "EVERWORD_COMPACT_AFTER_MESSAGES", cls.after_messages, minimum=2
            )
        )

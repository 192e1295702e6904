"""Settings of a service's Redis."""

from __future__ import annotations

from dataclasses import dataclass

from everword.domain.settings import Environment


@dataclass(frozen=True)
class QueueSettings:
    """Settings of a service's Redis, and of its sweep for due jobs."""

    redis_url: str = ""
    """Empty if there is none: jobs then wait in Postgres."""
    sweep_s: float = 10.0
    """Seconds between two rounds of the sweep."""

    @classmethod
    def from_environment(cls, environment: Environment) -> QueueSettings:
        return cls(redis_url=environment.text("EVERWORD_REDIS_URL"))

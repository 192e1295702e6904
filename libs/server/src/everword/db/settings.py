"""Settings of a service's Postgres."""

from __future__ import annotations

from dataclasses import dataclass

from everword.domain.settings import Environment


@dataclass(frozen=True)
class DatabaseSettings:
    """Settings of a service's Postgres, and of the role there."""

    url: str
    """Connection string of a login role that is a member of the service's role."""
    role: str
    """Role that every connection takes, such as `everword_ingest`: it holds what the service may do."""
    pool_min: int = 2
    """Connections kept open."""
    pool_max: int = 12
    """Most connections at once: a few per core, not one per call."""
    pool_waiting: int = 400
    """Calls that may wait for a connection; the next one is told to come back."""

    @classmethod
    def from_environment(
        cls, environment: Environment, service: str, pool_min: int = pool_min
    ) -> DatabaseSettings:
        return cls(
            url=environment.required("EVERWORD_DATABASE_URL"),
            role=f"everword_{service}",
            pool_min=pool_min,
            pool_max=environment.integer("EVERWORD_POOL_MAX", cls.pool_max, minimum=cls.pool_min),
        )

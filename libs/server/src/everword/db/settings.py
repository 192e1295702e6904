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
    """Role that every connection sets, such as `everword_ingest`; it has the privileges of the service."""
    pool_min: int = 2
    """Minimum number of open connections."""
    pool_max: int = 12
    """Maximum number of connections: a few per core, not one per call."""
    pool_waiting: int = 400
    """Maximum calls that wait for a connection; further ones fail with a retry delay."""

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

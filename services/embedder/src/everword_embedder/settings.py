"""Settings of the embedder service. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass, field

from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment, Secret
from everword.jobs.settings import QueueSettings
from everword.rpc.settings import ServerSettings
from everword_embedder.providers.settings import EmbedSettings

SERVICE = "embedder"


@dataclass(frozen=True)
class EmbedderSettings:
    """Settings of the embedder service."""

    server: ServerSettings
    database: DatabaseSettings
    queue: QueueSettings = QueueSettings()
    embed: EmbedSettings = field(default_factory=EmbedSettings)

    @classmethod
    def from_environment(cls, environment: Environment) -> EmbedderSettings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE, pool_min=1),
            queue=QueueSettings.from_environment(environment),
            embed=EmbedSettings.from_environment(environment),
        )


@dataclass(frozen=True)
class EmbedderWorkerSettings:
    """Settings of an embedder worker."""

    database: DatabaseSettings
    redis_url: str
    embedder_address: str
    """HOST:PORT of the embedder service."""
    internal_token: Secret
    log_level: str

    @classmethod
    def from_environment(cls, environment: Environment) -> EmbedderWorkerSettings:
        server = ServerSettings.from_environment(environment, SERVICE)
        return cls(
            database=DatabaseSettings.from_environment(environment, SERVICE),
            redis_url=environment.required("EVERWORD_REDIS_URL"),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS", "127.0.0.1:50054"),
            internal_token=server.internal_token,
            log_level=server.log_level,
        )

"""Settings of the compactor service. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass, field

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.compaction import CompactionSettings
from everword.domain.settings import Environment
from everword.jobs.settings import QueueSettings
from everword.rpc.settings import ServerSettings

SERVICE = "compactor"


@dataclass(frozen=True)
class CompactorSettings:
    """Settings of the compactor service."""

    server: ServerSettings
    database: DatabaseSettings
    queue: QueueSettings = QueueSettings()
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    #: None if no language model is configured; summaries are extractive then.
    chat: ChatSettings | None = None
    #: The model for sentences about tool calls and digests of channels; None if no model is configured.
    small_chat: ChatSettings | None = None

    @classmethod
    def from_environment(cls, environment: Environment) -> CompactorSettings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE, pool_min=1),
            queue=QueueSettings.from_environment(environment),
            compaction=CompactionSettings.from_environment(environment),
            chat=ChatSettings.from_environment(environment),
            small_chat=ChatSettings.small_from_environment(environment),
        )


@dataclass(frozen=True)
class CompactorWorkerSettings:
    """Settings of a compactor worker."""

    database: DatabaseSettings
    redis_url: str
    compaction: CompactionSettings
    chat: ChatSettings | None
    small_chat: ChatSettings | None
    log_level: str
    #: Seconds; a worker that does not renew its lease for this long loses its job.
    lease_s: float = 120.0

    @classmethod
    def from_environment(cls, environment: Environment) -> CompactorWorkerSettings:
        return cls(
            database=DatabaseSettings.from_environment(environment, SERVICE),
            redis_url=environment.required("EVERWORD_REDIS_URL"),
            compaction=CompactionSettings.from_environment(environment),
            chat=ChatSettings.from_environment(environment),
            small_chat=ChatSettings.small_from_environment(environment),
            log_level=ServerSettings.from_environment(environment, SERVICE).log_level,
        )

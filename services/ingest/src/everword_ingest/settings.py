"""Settings of the ingest service. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.settings import DatabaseSettings
from everword.domain.compaction import CompactionSettings
from everword.domain.settings import Environment
from everword.jobs.settings import QueueSettings
from everword.rpc.settings import ServerSettings

SERVICE = "ingest"


@dataclass(frozen=True)
class IngestSettings:
    """Settings of the ingest service."""

    server: ServerSettings
    database: DatabaseSettings
    queue: QueueSettings = QueueSettings()
    compaction: CompactionSettings = CompactionSettings()

    @classmethod
    def from_environment(cls, environment: Environment) -> IngestSettings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            queue=QueueSettings.from_environment(environment),
            compaction=CompactionSettings.from_environment(environment),
        )

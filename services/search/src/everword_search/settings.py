"""Settings of the search service. README.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment
from everword.rpc.settings import ServerSettings

SERVICE = "search"
#: Mebibytes of namespaces that are kept in memory, unless said otherwise: about 120,000 passages.
DEFAULT_RESIDENT_MB = 96
_MB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """What the search service is started with."""

    server: ServerSettings
    database: DatabaseSettings
    embedder_address: str = ""
    """Where the embedder service listens; without one there is no search by meaning."""
    chat: ChatSettings | None = None
    """The language model that answers; without one there is no Answer."""
    resident_bytes: int = DEFAULT_RESIDENT_MB * _MB
    """What namespaces that are searched often may take of memory; 0 for nothing."""

    @classmethod
    def from_environment(cls, environment: Environment) -> Settings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS"),
            chat=ChatSettings.from_environment(environment),
            resident_bytes=_MB
            * environment.integer("EVERWORD_SEARCH_MEMORY_MB", DEFAULT_RESIDENT_MB, minimum=0),
        )

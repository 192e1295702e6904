"""Settings of the search service. README.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment
from everword.rpc.settings import ServerSettings

SERVICE = "search"


@dataclass(frozen=True)
class Settings:
    """What the search service is started with."""

    server: ServerSettings
    database: DatabaseSettings
    embedder_address: str = ""
    """Where the embedder service listens; without one there is no search by meaning."""
    chat: ChatSettings | None = None
    """The language model that answers; without one there is no Answer."""

    @classmethod
    def from_environment(cls, environment: Environment) -> Settings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS"),
            chat=ChatSettings.from_environment(environment),
        )

"""Settings of the search service. README.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment
from everword.rpc.settings import ServerSettings
from everword_search.cache.namespace_cache import Limits

SERVICE = "search"
#: Mebibytes of namespaces that are kept, unless said otherwise: some 50,000 passages of small ones in memory, and some
#: 3,200,000 of 25 words, of large ones, in files.
DEFAULT_MEMORY_MB = 56
DEFAULT_FILES_MB = 4096
_MB = 1 << 20
DEFAULT_LIMITS = Limits(DEFAULT_MEMORY_MB * _MB, DEFAULT_FILES_MB * _MB)


@dataclass(frozen=True)
class Settings:
    """What the search service is started with."""

    server: ServerSettings
    database: DatabaseSettings
    embedder_address: str = ""
    """Where the embedder service listens; without one there is no search by meaning."""
    chat: ChatSettings | None = None
    """The language model that answers; without one there is no Answer."""
    limits: Limits = DEFAULT_LIMITS
    """What namespaces that are searched often may take of memory and of disk."""

    @classmethod
    def from_environment(cls, environment: Environment) -> Settings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS"),
            chat=ChatSettings.from_environment(environment),
            limits=Limits(
                _MB
                * environment.integer("EVERWORD_SEARCH_MEMORY_MB", DEFAULT_MEMORY_MB, minimum=0),
                _MB * environment.integer("EVERWORD_SEARCH_FILES_MB", DEFAULT_FILES_MB, minimum=0),
                environment.text("EVERWORD_SEARCH_FILES_DIR") or None,
            ),
        )

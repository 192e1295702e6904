"""Settings of the search service. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment
from everword.rpc.settings import ServerSettings
from everword_search.cache.size import MOST_CACHE_BYTES, default_cache_bytes

SERVICE = "search"
_MIB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """Settings of the search service."""

    server: ServerSettings
    database: DatabaseSettings
    embedder_address: str = ""
    """Where the embedder service listens; without one there is no search by meaning."""
    chat: ChatSettings | None = None
    """The language model that answers; without one there is no Answer."""
    cache_bytes: int = MOST_CACHE_BYTES
    """The bytes that namespaces in memory may take: those that were searched last."""

    tokenizer: Path | None = None
    """A `tokenizer.json` that contexts are counted by; otherwise the packaged one."""

    @classmethod
    def from_environment(cls, environment: Environment) -> Settings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS"),
            chat=ChatSettings.from_environment(environment),
            cache_bytes=_MIB
            * environment.integer(
                "EVERWORD_SEARCH_CACHE_MIB", default_cache_bytes() // _MIB, minimum=0
            ),
            tokenizer=environment.file("EVERWORD_TOKENIZER"),
        )

"""Settings of the search service. docs/reference/settings.md lists every variable."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from everword.chat.settings import ChatSettings
from everword.db.settings import DatabaseSettings
from everword.domain.settings import Environment
from everword.rpc.settings import ServerSettings

SERVICE = "search"
_MIB = 1 << 20
#: Limit of the default cache size in bytes, and the divisor for its share of the memory of the machine or container.
MOST_CACHE_BYTES = 1 << 30
_MEMORY_SHARE = 4
#: Files with a container's memory limit: version 2 of control groups, then version 1.
_LIMIT_FILES = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True)
class SearchSettings:
    """Settings of the search service."""

    server: ServerSettings
    database: DatabaseSettings
    embedder_address: str = ""
    """HOST:PORT of the embedder service; empty disables semantic search."""
    chat: ChatSettings | None = None
    """Language model for the Answer RPC; None disables it."""
    redis_url: str = ""
    """Redis, where answers are announced, for which background calls of the model wait; empty if there is none."""
    cache_bytes: int = MOST_CACHE_BYTES
    """Size of the cache of recently searched namespaces; 0 disables it."""

    tokenizer: Path | None = None
    """A `tokenizer.json` to count the tokens of contexts; None uses the packaged one."""

    @classmethod
    def from_environment(cls, environment: Environment) -> SearchSettings:
        return cls(
            server=ServerSettings.from_environment(environment, SERVICE),
            database=DatabaseSettings.from_environment(environment, SERVICE),
            embedder_address=environment.text("EVERWORD_EMBEDDER_ADDRESS"),
            chat=ChatSettings.from_environment(environment),
            redis_url=environment.text("EVERWORD_REDIS_URL"),
            cache_bytes=_MIB
            * environment.integer(
                "EVERWORD_SEARCH_CACHE_MIB", default_cache_bytes() // _MIB, minimum=0
            ),
            tokenizer=environment.file("EVERWORD_TOKENIZER"),
        )


def default_cache_bytes(root: Path = Path("/")) -> int:
    """Return a quarter of the available memory in bytes, at most 1 GiB.

    `root` is the directory with the kernel's files.
    """
    there = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in _LIMIT_FILES:
        try:
            there.append(int((root / name).read_text()))
        except (OSError, ValueError):
            continue  # The file of the other cgroup version, or `max`: no limit.
    return min(min(there) // _MEMORY_SHARE, MOST_CACHE_BYTES)

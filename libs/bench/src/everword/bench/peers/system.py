"""A system that is measured, as the measurement sees it: processes over a folder, which take messages and questions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from everword.bench.dataset import Dataset, Query

#: Results of one question.
LIMIT = 10


class PeerError(Exception):
    """A system cannot be measured; the text says what to do."""


@dataclass(frozen=True)
class PeerConversation:
    """Messages and their questions, in a space of their own."""

    space: str
    dataset: Dataset
    questions: tuple[Query, ...]


@dataclass(frozen=True)
class Ranking:
    """The answer to one question."""

    #: External ids of messages, best first, at most LIMIT.
    ids: tuple[str, ...]
    #: Seconds of the caller's call.
    seconds: float


class Session(Protocol):
    """A running system."""

    version: str
    #: The process whose descendants are the system's other processes.
    pid: int

    async def import_messages(self, conversations: Sequence[PeerConversation]) -> None:
        """Store all messages; return when every message's vector is searchable."""

    async def search(self, space: str, query: str) -> Ranking: ...


class System(Protocol):
    """A system that can be started."""

    @property
    def name(self) -> str: ...

    def started(self, folder: Path, form: str) -> AbstractAsyncContextManager[Session]:
        """Run the system over a folder, with a form of the model's weights; entered when it is ready to answer."""

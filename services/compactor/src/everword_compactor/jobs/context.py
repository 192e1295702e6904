"""The objects that the tasks of the compactor work with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime

from everword.chat.blocking import BlockingChat
from everword.chat.model import UsageRecord
from everword.db.blocking import BlockingDatabase
from everword.domain.compaction import CompactionSettings
from everword.domain.times import utc_now
from everword_compactor.compose.model import Composer
from everword_compactor.nodes import store
from everword_compactor.tool_sentences.settings import ToolSettings


class Ledger:
    """Records what language models are asked, for the namespace whose job is at hand: a worker does one at a time."""

    def __init__(self, database: BlockingDatabase) -> None:
        self._database = database
        self._namespace_id: int | None = None

    @contextmanager
    def of_namespace(self, namespace_id: int) -> Iterator[None]:
        self._namespace_id = namespace_id
        try:
            yield
        finally:
            self._namespace_id = None

    def record(self, usage: UsageRecord) -> None:
        """Store a record in a transaction of its own: what a call cost stays, whatever becomes of its answer."""
        if self._namespace_id is None:
            return
        with self._database.transaction(self._namespace_id) as conn:
            store.insert_usage(conn, self._namespace_id, asdict(usage))


@dataclass(frozen=True)
class WorkerContext:
    """The objects that a task's function is made with."""

    database: BlockingDatabase
    composer: Composer
    #: None where no language model is configured.
    chat: BlockingChat | None
    ledger: Ledger
    #: Writes the digests of channels; None for what writes everything else.
    digests: Composer | None = None
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    now: Callable[[], datetime] = utc_now

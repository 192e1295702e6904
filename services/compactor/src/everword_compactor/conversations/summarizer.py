"""Where one conversation's nodes are written: what each step reads, composes and stores."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from uuid import UUID

from everword.db.blocking import Connection
from everword.domain.ids import new_id
from everword.domain.times import write_minute
from everword.jobs.task import JobRun
from everword.text.credentials import mask_credentials
from everword_compactor.compose.model import BUDGET_TOKENS, Draft, Level, Source, masked
from everword_compactor.conversations.model import Compacted
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.nodes.model import NewNode, NodeNamespace, Place
from everword_compactor.nodes.write import (
    NodeExists,
    assert_lease,
    insert_node,
    revise_node,
    with_vectors,
)

#: So many steps of a kind a job.
STEPS = 10


@dataclass(frozen=True)
class ConversationSummarizer:
    """A job at work on its conversation. Each node is composed outside of a transaction, and stored in one."""

    worker_context: WorkerContext
    run: JobRun
    namespace: NodeNamespace
    conversation_id: UUID
    #: When its turn is over, by the monotonic clock.
    until: float = math.inf

    @property
    def namespace_id(self) -> int:
        return self.namespace.id

    def steps(self, failures: Sized = ()) -> Iterator[int]:
        """Yield a number for each step of a kind that the job may do.

        That is one, and more while its turn is not over and no other namespace waits.

        After a step that failed there is another in any case: else the next run would begin, and end, with the same.
        """
        for step in range(STEPS):
            failed = len(failures)
            yield step
            is_over = time.monotonic() >= self.until
            if len(failures) == failed and (is_over or self.run.others_wait()):
                return

    def write(
        self,
        conversation: Compacted,
        level: Level,
        sources: Sequence[Source],
        stretch: tuple[int, int],
        also: Callable[[Connection], None] = lambda conn: None,
    ) -> bool:
        """Compose a new node and store it together with what `also` does; False where somebody else was quicker."""
        node = self._compose(new_id(), conversation, level, sources, stretch)

        def store(conn: Connection) -> None:
            insert_node(conn, self.namespace, node)
            also(conn)

        return self.commit(store)

    def rewrite(
        self,
        conversation: Compacted,
        id_: UUID,
        revision: int,
        level: Level,
        sources: Sequence[Source],
        stretch: tuple[int, int],
    ) -> bool:
        """Compose a stored node anew; False where somebody else did so since it was at `revision`."""
        node = self._compose(id_, conversation, level, sources, stretch)
        return self.commit(lambda conn: revise_node(conn, self.namespace, node, revision))

    def commit(self, store: Callable[[Connection], None]) -> bool:
        """Run `store` in a transaction that counts only while the job is this worker's."""
        try:
            with self.worker_context.database.transaction(self.namespace_id) as conn:
                store(conn)
                assert_lease(conn, self.run.job)
        except NodeExists:
            return False
        # What follows is another step: what it fails of is not what failed before.
        self.run.checkpoint()
        return True

    def _compose(
        self,
        id_: UUID,
        conversation: Compacted,
        level: Level,
        sources: Sequence[Source],
        stretch: tuple[int, int],
    ) -> NewNode:
        with self.worker_context.database.transaction(self.namespace_id) as conn:
            sources = with_vectors(conn, self.namespace_id, sources)
        title = conversation.title
        if self.namespace.masks_credentials:
            sources = masked(sources, self.run.heartbeat)
            title = mask_credentials(title)
        draft = Draft(
            level=level,
            sources=sources,
            title=title,
            conversation_id=conversation.id,
            agent=conversation.agent,
            channel=conversation.channel,
        )
        composition = self.worker_context.composer.compose(draft, self.run.heartbeat)
        if not composition.content.strip():
            # Emoji alone, of which no sentence can be chosen.
            plain = "\n".join(plain_line(source) for source in sources)
            composition = replace(composition, content=plain[: BUDGET_TOKENS[level]])
        place = Place(
            level=level,
            title=title,
            conversation_id=conversation.id,
            first_seq=stretch[0],
            last_seq=stretch[1],
            agent=conversation.agent,
            subject=conversation.subject,
            channel=conversation.channel,
        )
        return NewNode(id_, place, composition, sources)


def plain_line(source: Source) -> str:
    """Return a source as it is, with its time and speaker; a node is such lines already."""
    if source.level:
        return source.text
    who = source.author or source.agent
    return f"- [{write_minute(source.earliest_at)}{' ' if who else ''}{who}] {source.text}"

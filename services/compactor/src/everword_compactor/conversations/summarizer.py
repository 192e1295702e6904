"""The nodes of one conversation: composing and storing each step."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from everword.db.blocking import Connection
from everword.domain.ids import new_id
from everword.text.credentials import mask_credentials
from everword_compactor.compose.model import Draft, Level, Source
from everword_compactor.conversations.model import CompactedConversation
from everword_compactor.conversations.protected import (
    empty_composition,
    repeat_protected,
    split_protected,
)
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.nodes.model import NewSummary, NodePlace
from everword_compactor.nodes.write import NodeExists, insert_node, revise_node

#: So many steps of a kind a job.
STEPS = 10


@dataclass(frozen=True)
class ConversationSummarizer:
    """A job at work on its conversation."""

    job: NamespaceJob
    conversation_id: UUID
    #: When its turn is over, by the monotonic clock.
    until: float = math.inf

    @property
    def namespace_id(self) -> int:
        return self.job.namespace_id

    def steps(self, failures: Sized = ()) -> Iterator[int]:
        """Yield a number for each step of a kind that the job may do.

        That is one, and more while its turn is not over and no other namespace waits.

        After a step that failed there is another in any case: else the next run would begin, and end, with the same.
        """
        for step in range(STEPS):
            failed = len(failures)
            yield step
            is_over = time.monotonic() >= self.until
            if len(failures) == failed and (is_over or self.job.run.other_namespaces_wait()):
                return

    def write(
        self,
        conversation: CompactedConversation,
        level: Level,
        sources: Sequence[Source],
        seq_range: tuple[int, int],
        also: Callable[[Connection], None] = lambda conn: None,
    ) -> None:
        """Compose a new node and store it together with the writes of `also`, unless another worker was faster."""
        node = self._compose(new_id(), conversation, level, sources, seq_range, is_new=True)

        def store(conn: Connection) -> None:
            insert_node(conn, self.job.namespace, node)
            also(conn)

        self.record(store)

    def rewrite(
        self,
        conversation: CompactedConversation,
        id_: UUID,
        revision: int,
        level: Level,
        sources: Sequence[Source],
        seq_range: tuple[int, int],
    ) -> None:
        """Compose a stored node again, unless another worker did so since it was at `revision`."""
        node = self._compose(id_, conversation, level, sources, seq_range)
        self.record(lambda conn: revise_node(conn, self.job.namespace, node, revision))

    def record(self, store: Callable[[Connection], None]) -> None:
        """Store a step's result as the job does, unless another worker was faster."""
        with suppress(NodeExists):
            self.job.record(store)

    def _compose(
        self,
        id_: UUID,
        conversation: CompactedConversation,
        level: Level,
        sources: Sequence[Source],
        seq_range: tuple[int, int],
        *,
        is_new: bool = False,
    ) -> NewSummary:
        sources = self.job.prepare(sources)
        title = conversation.title
        if self.job.namespace.masks_credentials:
            title = mask_credentials(title)
        summarized, protected = split_protected(sources)
        draft = Draft(
            level=level,
            sources=summarized,
            title=title,
            conversation_id=conversation.id,
            agent=conversation.agent,
            channel=conversation.channel,
            voice=self.job.voice,
            instructions=self.job.voice.instructions([conversation.channel]),
        )
        place = NodePlace(
            level=level,
            title=title,
            conversation_id=conversation.id,
            first_seq=seq_range[0],
            last_seq=seq_range[1],
            agent=conversation.agent,
            subject=conversation.subject,
            channel=conversation.channel,
        )
        if summarized:
            composition = self.job.compose(draft, is_new=is_new)
        else:
            composer = self.job.worker_context.composer
            composition = empty_composition(composer.model, composer.prompt_version(level))
        return NewSummary(id_, place, repeat_protected(composition, protected), sources)

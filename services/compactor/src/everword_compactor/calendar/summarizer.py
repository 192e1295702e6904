"""The nodes of one period: their sources, and the rows stored with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from everword.db.blocking import Connection
from everword.domain.ids import new_id
from everword.domain.periods import Period, PeriodLevel
from everword_compactor.calendar import store
from everword_compactor.calendar.digest import digest_server, server_of
from everword_compactor.calendar.material import read_material
from everword_compactor.calendar.model import PeriodMaterial
from everword_compactor.compose.checks.inherited_values import with_inherited
from everword_compactor.compose.model import EXTRACTIVE, Draft, Level, Source
from everword_compactor.jobs.namespace_job import NamespaceJob
from everword_compactor.nodes.model import NewSummary, NodePlace, NodeRow
from everword_compactor.nodes.write import insert_node, revise_node


@dataclass(frozen=True)
class PeriodSummarizer:
    """A job at work on its period."""

    job: NamespaceJob
    period: Period

    def is_outdated(self, node: NodeRow) -> bool:
        """Return whether the node was written by another model or an older prompt. The absence of a model
        is no reason.
        """
        composer = self.job.worker_context.composer
        if node.model != composer.model:
            return composer.model != EXTRACTIVE
        return node.prompt_version < composer.prompt_version(Level(self.period.level))

    def sum_up(self, instance: str) -> None:
        """Write or rewrite the node of an instance, if it has new sources."""
        with self.job.transaction() as conn:
            material = read_material(conn, self.job.namespace_id, self.period, instance)
        outdated = material.node is not None and self.is_outdated(material.node)
        if not material.sources or not (material.is_new or outdated):
            self._record(material, lambda conn: None)
            return
        node = self._compose(material, instance)
        self._record(material, lambda conn: self._store(conn, material.node, node))

    def _store(self, conn: Connection, stored: NodeRow | None, node: NewSummary) -> None:
        if stored is None:
            insert_node(conn, self.job.namespace, node)
        else:
            revise_node(conn, self.job.namespace, node, stored.revision)
        if self.period.above:
            store.enqueue_period(conn, self.job.namespace_id, self.period.above)

    def _record(self, material: PeriodMaterial, write: Callable[[Connection], None]) -> None:
        """Write a node, and remove its sources from the queue."""

        def write_and_complete(conn: Connection) -> None:
            write(conn)
            store.delete_pending(conn, self.job.namespace_id, material.pending_ids)

        self.job.record(write_and_complete)

    def _compose(self, material: PeriodMaterial, instance: str) -> NewSummary:
        draft = self._draft(self.job.prepare(material.sources), instance, self.period.label)
        unsupported = list(material.unsupported)
        # A model's text is never replaced by chosen sentences.
        is_new = material.node is None or (material.node.model == EXTRACTIVE and material.is_new)
        if self.period.level == PeriodLevel.DAY:
            draft, inventions = self._with_digests(draft, is_new=is_new)
            unsupported += inventions
        composition = self.job.compose(draft, is_new=is_new)
        faithfulness = with_inherited(composition.faithfulness, composition.content, unsupported)
        composition = replace(composition, faithfulness=faithfulness)
        place = NodePlace(
            level=draft.level,
            title=draft.title,
            period=self.period.start,
            instance=instance,
            agent=draft.agent,
            subject=self.period.subject,
            channel=draft.channel,
        )
        id_ = material.node.id if material.node else new_id()
        return NewSummary(id_, place, composition, material.sources)

    def _with_digests(self, draft: Draft, *, is_new: bool) -> tuple[Draft, list[str]]:
        """Return a day's draft with digests in the place of messages, where their channel has one.

        With it comes what these say without support.
        """
        said: dict[str, list[Source]] = {}
        rest: list[Source] = []
        for source in draft.sources:
            digested = self.job.namespace.channels.digests(source.channel)
            (said.setdefault(source.channel, []) if digested else rest).append(source)
        servers: dict[str, list[Draft]] = {}
        for channel in sorted(said):
            of_channel = self._draft(said[channel], draft.instance, draft.title)
            servers.setdefault(server_of(channel), []).append(of_channel)
        digests_by = self.job.worker_context.digests
        compose = partial(self.job.compose, composer=digests_by, is_new=is_new)
        digests = [digest_server(drafts, compose) for drafts in servers.values()]
        sources = sorted([*rest, *(source for source, _ in digests)], key=_begin)
        return replace(draft, sources=sources), [value for _, found in digests for value in found]

    def _draft(self, sources: Sequence[Source], instance: str, title: str) -> Draft:
        return Draft(
            level=Level(self.period.level),
            sources=sources,
            title=title,
            time_zone=self.job.namespace.time_zone,
            agent=_only(source.agent for source in sources),
            channel=_only(source.channel for source in sources),
            instance=instance,
            voice=self.job.voice,
            instructions=self.job.voice.instructions(source.channel for source in sources),
        )


def _begin(source: Source) -> tuple[object, ...]:
    return source.earliest_at, source.level


def _only(names: Iterable[str]) -> str:
    """Return what all sources have in common, or nothing."""
    different = set(names)
    return different.pop() if len(different) == 1 else ""

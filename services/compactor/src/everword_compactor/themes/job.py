"""Recompute the themes of a namespace: at night, if there are new messages.

A bounded sample is read: the newest passages, and some of all others. Clusters and labels are made outside of any
transaction; one transaction replaces the themes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from everword.chat.errors import ChatError
from everword.domain.ids import new_id
from everword.jobs.enqueue import LEARN, THEMES, DueJob, enqueue_blocking
from everword.jobs.task import JobRun
from everword.text.credentials import mask_parts
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.nodes.store import node_namespace
from everword_compactor.themes import store
from everword_compactor.themes.cluster import find_clusters
from everword_compactor.themes.label import ask_label, distinctive_words, word_label
from everword_compactor.themes.store import NewTheme, SampledPassage

#: Passages of a sample: the newest, and as many of all others.
NEWEST, OTHERS = 1_000, 1_000
#: Memories that are kept of a theme.
MOST_SOURCES = 20
#: Texts of a cluster that its words are chosen from: those nearest to its middle.
MOST_TEXTS = 200
#: The hour of the night, in the namespace's time zone.
HOUR = 5


class Themes:
    """Makes the themes of namespaces."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Make the themes of the job's namespace again."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            with job.transaction() as conn:
                generation = store.active_generation(conn)
            if generation is None:
                return None
            sample = self._sample(job, generation)
            themes = self._make(job, sample)
            job.record(
                lambda conn: store.replace_themes(
                    conn, job.namespace_id, generation, len(sample), themes
                )
            )
        return None

    def _sample(self, job: NamespaceJob, generation: int) -> list[SampledPassage]:
        with job.transaction() as conn:
            ids = store.newest_passages(conn, job.namespace_id, NEWEST)
            if len(ids) == NEWEST:
                ids += store.passages_between(conn, job.namespace_id, min(ids), OTHERS)
            return store.read_sample(conn, job.namespace_id, generation, sorted(ids))

    def _make(self, job: NamespaceJob, sample: list[SampledPassage]) -> list[NewTheme]:
        vectors = np.array([each.vector for each in sample], dtype=np.float64)
        clusters = find_clusters(vectors)
        job.run.heartbeat()
        texts = [
            [self._label_text(job, sample[place]) for place in each.members[:MOST_TEXTS]]
            for each in clusters
        ]
        job.run.heartbeat()
        themes = []
        for cluster, own, words in zip(clusters, texts, distinctive_words(texts), strict=True):
            label, model = self._label(job, own, words)
            sources = list(dict.fromkeys(sample[place].source_id for place in cluster.members))
            size = len(cluster.members)
            themes.append(NewTheme(new_id(), label, words, size, sources[:MOST_SOURCES], model))
        return themes

    def _label_text(self, job: NamespaceJob, sampled: SampledPassage) -> str:
        if not job.namespace.masks_credentials:
            return sampled.content
        return mask_parts([sampled.before, sampled.content])[1]

    def _label(self, job: NamespaceJob, texts: list[str], words: list[str]) -> tuple[str, str]:
        """Return a label and the model that wrote it; words if there is no model or its label is unusable."""
        chat = self._worker_context.chat
        if chat is not None:
            try:
                label = ask_label(chat, texts, words, job.run.heartbeat)
            except ChatError:
                label = None
            if label:
                return label, chat.model
        return word_label(words), ""


def with_themes(
    worker_context: WorkerContext, learn: Callable[[JobRun], datetime | None]
) -> Callable[[JobRun], datetime | None]:
    """Return the function for jobs of `learn`; those of a conversation also schedule the themes for the next night."""
    themes = Themes(worker_context)

    def run(job: JobRun) -> datetime | None:
        if job.job.subject == THEMES:
            return themes.run(job)
        more = learn(job)
        if more is None:
            schedule_themes(worker_context, job.job.namespace_id)
        return more

    return run


def schedule_themes(worker_context: WorkerContext, namespace_id: int) -> None:
    """Schedule the themes of a namespace for its next night, unless they are due earlier."""
    with worker_context.database.transaction(namespace_id) as conn:
        namespace = node_namespace(conn, namespace_id)
        if namespace is not None:
            delay_s = seconds_until_night(worker_context.now(), namespace.time_zone)
            enqueue_blocking(conn, [DueJob(namespace_id, LEARN, THEMES, delay_s)])


def seconds_until_night(now: datetime, time_zone: str) -> float:
    """Return the seconds until it is five o'clock in a time zone."""
    local = now.astimezone(ZoneInfo(time_zone))
    night = local.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    if night <= local:
        night += timedelta(days=1)
    return max(0.0, night.timestamp() - local.timestamp())

"""The processes of a run: each service once, each worker several times, all with shorter timeouts than by default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from everword.embedded.folder import RunningStack
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SERVICES, SUMMARISING_WORKERS, WORKERS, service_specs
from faults.clocks import Clocks
from support.scripted_chat import ScriptedChat
from support.with_constants import EMBED_LEASE, EMBED_PAUSE, SWEEP, hasty

ASKING_WORKER = "compactor-worker"
#: Worker of the compactor -> its tasks. One worker's tasks call a language model; the others work by rules.
TASKS = {
    ASKING_WORKER: ("compact", "roll-up", "tool-sentences"),
    "learning-worker": ("learn", "sleep"),
}
#: Makes even a small erasure take many steps, between which a process may end.
SMALL_STEPS = {
    "everword_ingest.erasure.erase:BATCH": 2,
    "everword_ingest.erasure.resumer:BATCH": 2,
    "everword_ingest.erasure.resumer:INTERVAL_S": 1.0,
}


@dataclass(frozen=True)
class Patience:
    """Timeouts of a process for peers that have died or do not answer."""

    sweep_s: float = 1.0
    lease_s: float = 6.0
    pause_s: float = 0.5
    model_s: float = 3.0

    def of(self, name: str) -> dict[str, object]:
        """Return the constants of a process."""
        if name == "embedder":
            read = "everword_embedder.providers.settings:EmbedSettings.read_timeout_s"
            return {SWEEP: self.sweep_s, read: self.model_s}
        if name == "embedder-worker":
            return {EMBED_LEASE: self.lease_s, EMBED_PAUSE: self.pause_s}
        if name in TASKS:
            return self._of_summarising()
        return {SWEEP: self.sweep_s, **(SMALL_STEPS if name == "ingest" else {})}

    def _of_summarising(self) -> dict[str, object]:
        return {
            "everword_compactor.settings:CompactorWorkerSettings.lease_s": self.lease_s,
            "everword.chat.settings:ChatSettings.read_timeout_s": self.model_s,
            "everword.chat.settings:ChatSettings.pauses_s": (self.pause_s,),
            "everword.model_server.breaker:PAUSE_S": self.pause_s,
            "everword_compactor.jobs.model_outage:MAX_WAIT_SECONDS": 2 * self.pause_s,
            "everword_compactor.jobs.context:ToolSettings.lease_s": self.lease_s,
            "everword_compactor.jobs.context:ToolSettings.pauses_s": (self.pause_s,),
            "everword.jobs.task:Task.away_s": 2 * self.pause_s,
            "everword.jobs.task:Task.pauses_s": (self.pause_s, 4 * self.pause_s, 10 * self.pause_s),
        }


def names(workers: int) -> list[str]:
    """Return the names of all processes except the engines."""
    each = [*(set(WORKERS) - set(TASKS)), *TASKS]
    return [*SERVICES, *(f"{name}-{n}" for name in each for n in range(1, workers + 1))]


def specs(
    running: RunningStack,
    workers: int,
    patience: Patience,
    chat: ScriptedChat,
    clocks: Clocks | None,
) -> Iterator[ProcessSpec]:
    """Yield the services, and `workers` processes of each worker, each with its own clock."""
    for spec in _specs(running, workers, patience, chat):
        own = clocks.environment(spec.name) if clocks else {}
        yield replace(spec, environment={**spec.environment, **own})


def _by_tasks(spec: ProcessSpec) -> list[ProcessSpec]:
    """Split the compactor's worker into one for each group of tasks."""
    if spec.name not in SUMMARISING_WORKERS:
        return [spec]
    return [
        replace(spec, name=name, argv=[*spec.argv, *tasks], imports=[])
        for name, tasks in TASKS.items()
    ]


def _specs(
    running: RunningStack, workers: int, patience: Patience, chat: ScriptedChat
) -> Iterator[ProcessSpec]:
    model = {"EVERWORD_CHAT_URL": chat.url, "EVERWORD_CHAT_MODEL": chat.model}
    for spec in chain(*map(_by_tasks, service_specs(running))):
        own = model if spec.name == ASKING_WORKER else {}
        environment = {**spec.environment, "EVERWORD_LOG_LEVEL": "WARNING", **own}
        impatient = hasty(replace(spec, environment=environment), patience.of(spec.name))
        if spec.name in SERVICES:
            yield impatient
        else:
            for number in range(1, workers + 1):
                yield replace(impatient, name=f"{spec.name}-{number}")

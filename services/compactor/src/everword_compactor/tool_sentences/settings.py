"""Settings of the worker that puts tool calls into words."""

from __future__ import annotations

from dataclasses import dataclass

from everword_compactor.jobs.model_outage import PATIENCE_S


@dataclass(frozen=True)
class ToolSettings:
    """The patience of a worker."""

    #: How long a claim holds without being kept up. The work of a dead worker waits so long.
    lease_s: float = 120.0
    #: Pauses after a sentence that cannot be used, by attempt; the last repeats.
    pauses_s: tuple[float, ...] = (5.0, 30.0)
    #: Pause before a model that did not answer is asked whether it answers anybody.
    patience_s: float = PATIENCE_S

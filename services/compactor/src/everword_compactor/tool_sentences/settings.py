"""How tool calls are put into words. README.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass

from everword.domain.settings import Environment
from everword_compactor.jobs.model_outage import PATIENCE_S


@dataclass(frozen=True)
class ToolSettings:
    """How much is asked of the model, and how patient a worker is."""

    #: At most so many requests of a worker begin in a minute; 0 for no limit.
    per_minute: int = 0
    #: How long a claim holds without being kept up. The work of a dead worker waits so long.
    lease_s: float = 120.0
    #: Pauses after a sentence that cannot be used, by attempt; the last repeats.
    pauses_s: tuple[float, ...] = (5.0, 30.0)
    #: Pause before a model that did not answer is asked whether it answers anybody.
    patience_s: float = PATIENCE_S

    @classmethod
    def from_environment(cls, environment: Environment) -> ToolSettings:
        return cls(
            per_minute=environment.integer(
                "EVERWORD_TOOL_SENTENCES_PER_MINUTE", cls.per_minute, minimum=0
            )
        )

"""`python -m support.hasty_worker TASK`: a worker of the compactor with shorter pauses where a model is away."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from unittest.mock import patch

from everword.chat.settings import ChatSettings
from everword.domain.settings import Environment
from everword.jobs.task import Task
from everword.model_server import breaker
from everword_compactor import settings, worker
from everword_compactor.jobs import model_outage

PAUSE_S = 0.3


class HastyChatSettings(ChatSettings):
    """How a model is reached by somebody who does not wait."""

    @classmethod
    def from_environment(cls, environment: Environment) -> ChatSettings | None:
        found = ChatSettings.from_environment(environment)
        return found and replace(found, pauses_s=(PAUSE_S,))


if __name__ == "__main__":
    with (
        patch.object(breaker, "PAUSE_S", PAUSE_S),
        patch.object(model_outage, "PATIENCE_S", 2 * PAUSE_S),
        patch.object(settings, "ChatSettings", HastyChatSettings),
        patch.object(worker, "Task", partial(Task, away_s=2 * PAUSE_S)),
    ):
        worker.main(sys.argv[1:])

"""Steps 3, 4 and 8: questions worth asking. Rules find them; no model is needed."""

from __future__ import annotations

from everword.people.strategies import ask
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)


def find_strategies(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Add questions worth asking the subject, once the rest of this closing is stored, and end answered ones."""
    moment = tools.now

    async def run(to: SleepTransaction) -> None:
        await ask(to.conn, to.namespace_id, work.subject, moment)

    return work.adding(PendingWrite("ask", run))


STRATEGIES = ClosingStage("strategies", find_strategies)

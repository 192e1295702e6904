"""Steps 3, 4 and 8, what follows from them: questions that are worth asking. Rules find them; no model is needed."""

from __future__ import annotations

from everword.people.strategies import ask
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    StageTools,
    Storing,
)


def find_strategies(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Add what is worth asking the subject, once all else of this closing is stored, and end what was answered."""
    moment = tools.now

    async def run(to: Storing) -> None:
        await ask(to.conn, to.namespace_id, work.subject, moment)

    return work.adding(PendingWrite("ask", run))


STRATEGIES = ClosingStage("strategies", find_strategies)

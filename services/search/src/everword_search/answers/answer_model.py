"""Call the chat model for a request, and record the cost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import psycopg
from psycopg_pool import PoolTimeout

from everword.chat.errors import BadAnswer, ChatError, InputTooLong
from everword.chat.model import ChatAnswer, ChatRequest, UsageRecord
from everword.costs.model import own_call
from everword.costs.store import find_spent_budget, insert_usage
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import set_deadline
from everword.domain.errors import BudgetExceeded, ChatUnavailable

if TYPE_CHECKING:
    from everword.chat.client import ChatClient
    from everword.chat.priority import InteractiveCalls

log = logging.getLogger(__name__)
#: Attempts at one answer; a model that returns an unusable one is asked again.
TRIES = 2
#: Seconds for storing the cost of a call, independent of the call's own deadline.
_RECORD_S = 5.0


class AnswerModel:
    """Client of one chat model. Callers enforce their deadline by cancelling."""

    def __init__(
        self, chat: ChatClient, database: Database, calls: InteractiveCalls | None = None
    ) -> None:
        """`calls` announces answers, for which background calls of the model wait."""
        self._chat = chat
        self._database = database
        self._calls = calls

    async def context_tokens(self) -> int:
        """Return the size of the model's context in tokens, which includes its answer. Raises ChatUnavailable."""
        try:
            return await self._chat.context_tokens()
        except ChatError as error:
            raise _unavailable(error) from error

    async def ask(self, namespace: NamespaceScope, request: ChatRequest) -> ChatAnswer:
        """Return the model's answer.

        Raises InputTooLong, BudgetExceeded if the namespace's budget is spent, and ChatUnavailable if the model gives
        no usable answer.
        """
        await self._admit(namespace)
        usage: list[UsageRecord] = []
        try:
            async with self._calls.announced() if self._calls else nullcontext():
                return await self._complete(request, usage)
        except InputTooLong:
            raise
        except ChatError as error:
            raise _unavailable(error) from error
        finally:
            # Failed and cancelled calls cost something, too.
            await asyncio.shield(asyncio.create_task(self._record(namespace, usage)))

    async def _complete(self, request: ChatRequest, usage: list[UsageRecord]) -> ChatAnswer:
        for _ in range(TRIES - 1):
            try:
                return await self._chat.complete(request, usage.append)
            except BadAnswer as error:
                log.warning("answer not used", extra={"outcome": error.outcome})
        return await self._chat.complete(request, usage.append)

    async def _admit(self, namespace: NamespaceScope) -> None:
        """Raise BudgetExceeded if a budget of the namespace for this model is spent."""
        async with self._database.transaction(namespace.id) as conn:
            spent = await find_spent_budget(conn, namespace.id, self._chat.model)
        if spent:
            raise BudgetExceeded(
                spent.seconds,
                budget_id=spent.budget_id,
                period=spent.period,
                reset_time=spent.resets_at.isoformat(),
            )

    async def _record(self, namespace: NamespaceScope, usage: Sequence[UsageRecord]) -> None:
        """Store the cost of a call. An error is only logged, so that the answer is not lost."""
        if not usage:
            return
        set_deadline(_RECORD_S)
        try:
            async with self._database.transaction(namespace.id) as conn:
                await insert_usage(conn, [own_call(record) for record in usage])
        except (psycopg.Error, PoolTimeout) as error:
            log.warning("usage not recorded", extra={"calls": len(usage), "error": repr(error)})


def _unavailable(error: ChatError) -> ChatUnavailable:
    log.warning("language model did not answer", extra={"error": repr(error)})
    return ChatUnavailable()

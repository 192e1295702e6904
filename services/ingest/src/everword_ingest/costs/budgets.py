"""Set, read and delete budgets, and return the ones that refuse a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.chat.errors import ChatBudgetSpent
from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import BudgetNotFound
from everword.domain.times import utc_now
from everword.jobs.enqueue import EMBED, DueJob, enqueue, shards, wake_postponed
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.costs import store
from everword_ingest.costs.model import BudgetKey, BudgetLimits, Month
from everword_ingest.costs.store import BudgetEventRow, BudgetRow, BudgetUsageRow

#: Limit of a namespace; each recorded call checks all of them.
MAX_BUDGETS = 1_000


@dataclass(frozen=True)
class BudgetStatus:
    """Budgets with their usage in this month, or in the run `run_id`; `run_id` is empty in lists."""

    budgets: Sequence[BudgetUsageRow]
    month: Month
    run_id: str


async def set_budget(
    database: Database,
    namespace: NamespaceScope,
    key: BudgetKey,
    limits: BudgetLimits,
    wake: Callable[[], None],
) -> tuple[UUID, Sequence[BudgetEventRow]]:
    """Set a budget's limits, and return its id and the thresholds that it has reached.

    `wake` is called after the commit to publish jobs. Raises InvalidArgument if there are too many budgets.
    """
    id_ = new_id()
    batch_id = new_id()
    async with database.transaction(namespace.id) as conn:
        await store.lock_budgets(conn, namespace.id)
        found = await store.find_budget(conn, namespace.id, key)
        if found is None and await store.count_budgets(conn, namespace.id) >= MAX_BUDGETS:
            text = f"is one too many: a namespace has at most {MAX_BUDGETS}"
            raise InvalidArgument(violations=(("key", text),))
        id_ = await store.upsert_budget(conn, namespace.id, id_, key, limits)
        time_zone, month = await _clock(conn, namespace.id)
        if found is None or found.currency != limits.currency:
            found = None  # charges in another currency do not count
            await store.count_past(conn, namespace.id, id_, month.begins_at, time_zone)
        old = limits_of(found) if found else None
        await store.add_events(conn, namespace.id, id_, month.name, old, batch_id)
        events = await store.list_events(conn, namespace.id, batch_id)
        await _resume_work(conn, namespace.id)
    wake()
    return id_, events


async def get_budget(
    database: Database, namespace: NamespaceScope, budget_id: UUID, run_id: str
) -> BudgetStatus:
    """Return a budget, and how it stands. Raises BudgetNotFound."""
    async with database.transaction(namespace.id) as conn:
        _, month = await _clock(conn, namespace.id)
        found = await store.list_budget_usage(
            conn, namespace.id, month.name, budget_id=budget_id, run_id=run_id
        )
    if not found:
        raise BudgetNotFound(budget_id=budget_id)
    return BudgetStatus(found, month, run_id)


async def list_budgets(
    database: Database, namespace: NamespaceScope, page: PageRequest
) -> tuple[BudgetStatus, str]:
    """Return a page of the budgets of a namespace, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListBudgets", page)
    async with database.transaction(namespace.id) as conn:
        _, month = await _clock(conn, namespace.id)
        found = await store.list_budget_usage(
            conn, namespace.id, month.name, after=cursor.after, limit=cursor.limit
        )
    budgets, token = cursor.cut(
        found, lambda last: [str(last.period), str(last.scope), last.scope_value]
    )
    return BudgetStatus(budgets, month, ""), token


async def check_budget(
    database: Database, namespace: NamespaceScope, agent: str, model: str, run_id: str
) -> BudgetStatus:
    """Return the budgets that will count a call."""
    async with database.transaction(namespace.id) as conn:
        _, month = await _clock(conn, namespace.id)
        found = await store.list_budget_usage(
            conn, namespace.id, month.name, agent=agent, model=model, run_id=run_id
        )
    return BudgetStatus(found, month, run_id)


async def delete_budget(
    database: Database, namespace: NamespaceScope, budget_id: UUID, wake: Callable[[], None]
) -> None:
    """Delete a budget. Raises BudgetNotFound."""
    async with database.transaction(namespace.id) as conn:
        await store.lock_budgets(conn, namespace.id)
        if not await store.delete_budget(conn, namespace.id, budget_id):
            raise BudgetNotFound(budget_id=budget_id)
        await _resume_work(conn, namespace.id)
    wake()


async def _resume_work(conn: Connection, namespace_id: int) -> None:
    """Enqueue jobs that wait for a budget; those still over the limit are refused again and wait."""
    if await store.end_embedding_pauses(conn, namespace_id):
        await enqueue(conn, [DueJob(namespace_id, EMBED, shards()[0])])
    # After the job `embed`, as writes lock them.
    await wake_postponed(conn, namespace_id, str(ChatBudgetSpent()))


def limits_of(row: BudgetRow | BudgetUsageRow | BudgetEventRow) -> BudgetLimits:
    return BudgetLimits(row.max_cost, row.currency, row.max_tokens, row.warn_percent)


async def _clock(conn: Connection, namespace_id: int) -> tuple[str, Month]:
    """Return the namespace's time zone, and its month."""
    settings = await get_namespace_settings(conn, namespace_id)
    return settings.time_zone, Month.of(utc_now(), settings.time_zone)

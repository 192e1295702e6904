"""Memories that only background work creates, for calls to reach: people, events, questions and pages."""

from __future__ import annotations

from contextlib import AsyncExitStack

from everword.db.pool import Database
from everword.db.settings import DatabaseSettings
from everword.embedded.folder import RunningStack
from fuzz.values import Values
from support.learned_facts import DEFAULT_NAMESPACE, learn_some

SUBJECTS = 20


async def plant(running: RunningStack, values: Values) -> None:
    """Store some for each of several subjects, and a page for each existing node, as the compactor does."""
    settings = DatabaseSettings(running.database_url, "everword_compactor", pool_min=1, pool_max=2)
    database = Database(settings, "compactor")
    await database.open()
    node_ids = list(dict.fromkeys(values.known["node_id"]))
    async with AsyncExitStack() as resources:
        resources.push_async_callback(database.close)
        for number in range(SUBJECTS):
            async with database.transaction(DEFAULT_NAMESPACE) as conn:
                await learn_some(
                    conn,
                    f"subject {number}",
                    values.one_of("message_id"),
                    values.one_of("conversation_id"),
                    node_ids[number : number + 1],
                )

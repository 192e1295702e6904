"""Charges namespaces for vectors made by a paid server, and enforces their budgets.

A model is paid if it is on a server and has a price; others cost nothing, and no budget refuses them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from everword.chat.errors import ChatBudgetSpent
from everword.costs.model import ModelCall
from everword.costs.store import (
    find_spent_budget_blocking,
    has_price,
    lock_budget_changes,
)
from everword.db.blocking import BlockingDatabase
from everword_embedder.providers.generation import LOCAL
from everword_embedder.queue import store
from everword_embedder.queue.store import PendingVector, WrittenGeneration, by_namespace

#: The purpose, in the ledger.
TASK = "embed"
#: Longest pause: a refused namespace waits for a change of its budget, or the next month. Prices may change as well, so
#: it looks once a day.
LONGEST_PAUSE_S = 86_400.0


class Charging:
    """The costs of the embedder's workers. Threads may share it."""

    def __init__(self, database: BlockingDatabase) -> None:
        self._database = database
        self._noted = threading.local()

    def note(self, tokens: int) -> None:
        """Note the tokens read in a call of the thread, for `calls`."""
        self._noted.tokens = getattr(self._noted, "tokens", 0) + tokens

    def forget(self) -> None:
        """Drop the tokens that the thread's calls read for no namespace, such as those of a calibration."""
        self._noted.tokens = 0

    def is_paid(self, generation: WrittenGeneration) -> bool:
        """Return whether calls of a model are charged."""
        if generation.provider == LOCAL:
            return False
        with self._database.connection() as conn:
            return has_price(conn, generation.model)

    def admit(
        self, generation: WrittenGeneration, pending: Sequence[PendingVector]
    ) -> Sequence[PendingVector]:
        """Return the passages whose namespaces may ask a model; the others wait until their budgets change."""
        if not self.is_paid(generation):
            return pending
        admitted: list[PendingVector] = []
        for namespace_id, group in by_namespace(pending).items():
            if not self._paused(generation, namespace_id, group):
                admitted += group
        return admitted

    def _paused(
        self, generation: WrittenGeneration, namespace_id: int, group: Sequence[PendingVector]
    ) -> bool:
        """Give passages back where a budget is spent, and pause the namespace; return whether it is paused."""
        with self._database.transaction(namespace_id) as conn:
            # Lock the budgets: a concurrent change of the limit must find the pause.
            lock_budget_changes(conn, namespace_id)
            spent = find_spent_budget_blocking(conn, namespace_id, generation.model, None, None)
            if spent is None:
                return False
            error = str(ChatBudgetSpent())
            store.release_pending(conn, namespace_id, generation.id, group, 0.0, error)
            pause_s = min(spent.seconds, LONGEST_PAUSE_S)
            store.pause_namespace(conn, namespace_id, generation.id, pause_s)
            return True

    def calls(
        self, generation: WrittenGeneration, sizes: Mapping[int, int]
    ) -> dict[int, ModelCall]:
        """Return the calls of the thread since the last time, divided among namespaces by the sizes of texts."""
        tokens = getattr(self._noted, "tokens", 0)
        self._noted.tokens = 0
        if not tokens or not self.is_paid(generation):
            return {}
        endpoint = urlsplit(generation.endpoint).netloc
        return {
            namespace_id: ModelCall(TASK, generation.model, share, 0, own=True, endpoint=endpoint)
            for namespace_id, share in divided(tokens, sizes).items()
        }


def divided(tokens: int, sizes: Mapping[int, int]) -> dict[int, int]:
    """Divide tokens by sizes without a remainder: left-over tokens go to the largest shares first."""
    total = sum(sizes.values())
    if not tokens or not total:
        return {}
    shares = {key: tokens * size // total for key, size in sizes.items()}
    left = tokens - sum(shares.values())
    for key in sorted(sizes, key=lambda key: (-sizes[key], key))[:left]:
        shares[key] += 1
    return {key: share for key, share in shares.items() if share}

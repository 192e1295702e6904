"""Charges namespaces with the vectors that a paid server makes of their passages, and holds their budgets.

A model counts as paid where it is on a server and has a price: others cost nothing, and no budget stands against them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from urllib.parse import urlsplit

from everword.costs.model import ModelCall, SpentBudget
from everword.costs.store import (
    find_spent_budget_blocking,
    has_price_blocking,
    insert_usage_blocking,
)
from everword.db.blocking import BlockingDatabase
from everword_embedder.providers.generation import LOCAL
from everword_embedder.queue.store import Generation

#: The purpose, in the ledger.
TASK = "embed"
#: For how long passages are left alone whose namespace may not ask.
PAUSE_S = 300.0


class Charging:
    """The costs of the embedder's workers. Threads may share it."""

    def __init__(self, database: BlockingDatabase) -> None:
        self._database = database
        self._noted = threading.local()

    def note(self, tokens: int) -> None:
        """Note what the thread's last call read, for `charge`."""
        self._noted.tokens = tokens

    def is_paid(self, generation: Generation) -> bool:
        """Tell whether what a model embeds is charged."""
        if generation.provider == LOCAL:
            return False
        with self._database.connection() as conn:
            return has_price_blocking(conn, generation.model)

    def spent(self, generation: Generation, namespace_id: int) -> SpentBudget | None:
        """Return a budget that stands against embedding for a namespace; None where there is none."""
        with self._database.transaction(namespace_id) as conn:
            return find_spent_budget_blocking(conn, namespace_id, generation.model, None, None)

    def charge(self, generation: Generation, sizes: Mapping[int, int]) -> None:
        """Record what the thread's last call read, divided among namespaces by the sizes of their texts."""
        tokens = getattr(self._noted, "tokens", 0)
        self._noted.tokens = 0
        if not tokens or not self.is_paid(generation):
            return
        endpoint = urlsplit(generation.endpoint).netloc
        for namespace_id, share in divided(tokens, sizes).items():
            call = ModelCall(TASK, generation.model, share, 0, own=True, endpoint=endpoint)
            with self._database.transaction(namespace_id) as conn:
                insert_usage_blocking(conn, [call])


def divided(tokens: int, sizes: Mapping[int, int]) -> dict[int, int]:
    """Divide tokens by sizes, to the last one: what is left over goes to the largest shares first."""
    total = sum(sizes.values())
    if not tokens or not total:
        return {}
    shares = {key: tokens * size // total for key, size in sizes.items()}
    left = tokens - sum(shares.values())
    for key in sorted(sizes, key=lambda key: (-sizes[key], key))[:left]:
        shares[key] += 1
    return {key: share for key, share in shares.items() if share}

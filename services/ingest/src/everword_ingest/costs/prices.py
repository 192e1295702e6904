"""Load and list the prices of models, which are the deployment's."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.prices.price_list import PriceList
from everword_ingest.costs import store
from everword_ingest.costs.store import PriceRow


async def load_prices(database: Database, prices: PriceList) -> int:
    """Put a list in the place of the one that an operator loaded before; return how many prices it has."""
    async with database.connection() as conn, conn.transaction():
        await store.replace_prices(conn, prices)
    return len(prices.prices)


async def list_prices(database: Database) -> Sequence[PriceRow]:
    """Return all prices, those of an operator first."""
    async with database.connection() as conn:
        return await store.list_prices(conn)

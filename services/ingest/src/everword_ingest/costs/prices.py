"""Load and list the prices of models, which are the deployment's."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.prices.price_list import PriceList
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.costs import store
from everword_ingest.costs.store import PriceRow


async def load_prices(database: Database, prices: PriceList) -> int:
    """Put a list in the place of the one that an operator loaded before; return how many prices it has."""
    async with database.connection() as conn, conn.transaction():
        await store.replace_prices(conn, prices)
    return len(prices.prices)


async def list_prices(database: Database, page: PageRequest) -> tuple[Sequence[PriceRow], str]:
    """Return a page of prices, those of an operator first, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, None, "ListPrices", page)
    async with database.connection() as conn:
        found = await store.list_prices(conn, cursor.after, cursor.limit)
    return cursor.cut(
        found,
        lambda last: [str(last.shipped), last.model, last.provider, last.valid_from.isoformat()],
    )

"""`python -m floods.lore`: times health checks and another tenant's appends during one tenant's costly lore calls."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import grpc
from rich.console import Console
from rich.table import Table

from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from support.databases import DatabaseUnderTest, cloned, prepare_template
from support.load_durations import LoadDurations
from support.lore_loads import SLOW, TOO_LARGE, Lore, plain_book, running_lore

BOOKS, CALLS = 7, 10
#: Limits in seconds: a health check (each one during a single call, the 95th percentile during other loads), another
#: tenant's append, and a load of a single call.
HEALTH_S, APPEND_S, CALL_S = 0.1, 2.0, 1.0
#: Loads that consist of a single call.
_ALONE = ("BuildContext", "MatchLore")


async def flood_with_patterns(
    database: DatabaseUnderTest, name: str, pattern: str
) -> list[tuple[str, LoadDurations]]:
    """Return the measurement of each load of books with one kind of patterns."""
    async with running_lore(database) as lore:
        imported = await lore.beside(partial(_import, lore, pattern))
        rows = [(f"import, {name}", imported)]
        await lore.store_patterns(BOOKS, pattern)
        loads: dict[str, Callable[[], Awaitable[object]]] = {
            "BuildContext": lore.build,
            "MatchLore": lore.match,
            f"{CALLS} of each": lambda: lore.many(CALLS),
        }
        for load, call in loads.items():
            rows.append((f"{load}, {name}", await lore.beside(partial(_answered, call))))
    return rows


async def flood_with_keys(database: DatabaseUnderTest) -> list[tuple[str, LoadDurations]]:
    """Return the measurement of imports with the maximum number of plain triggers."""
    raw = plain_book()
    async with running_lore(database) as lore:
        return [
            ("import, 28,800 keys", await lore.beside(partial(lore.import_plain, raw)))
            for _ in range(3)
        ]


async def _import(lore: Lore, pattern: str) -> None:
    for number in range(BOOKS):
        await _answered(partial(lore.import_patterns, number, pattern))


async def _answered(call: Callable[[], Awaitable[object]]) -> None:
    with suppress(grpc.aio.AioRpcError):
        await call()


def main() -> bool:
    table, kept = Table("load", "health ms, 95 %", "most", "append ms", "load s"), True
    floods = (
        partial(flood_with_patterns, name="too large", pattern=TOO_LARGE),
        partial(flood_with_patterns, name="slow", pattern=SLOW),
        flood_with_keys,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # PostgreSQL's user needs access to this folder.
        folder.chmod(0o711)
        server = EmbeddedPostgres(folder / "postgres", free_ports(1)[0], durable=False)
        with server.running():
            prepare_template(server.admin_url)
            for flood in floods:
                with cloned(server.admin_url) as database:
                    for load, beside in asyncio.run(flood(database)):
                        in_s = (beside.health_p95_s, beside.health_s, beside.append_s)
                        figures = (f"{each * 1e3:.0f}" for each in in_s)
                        table.add_row(load, *figures, f"{beside.load_s:.2f}")
                        kept &= beside.health_p95_s <= HEALTH_S and beside.append_s <= APPEND_S
                        if load.startswith(_ALONE):
                            kept &= beside.load_s <= CALL_S and beside.health_s <= HEALTH_S
    Console().print(table)
    return kept


if __name__ == "__main__":
    sys.exit(0 if main() else 1)

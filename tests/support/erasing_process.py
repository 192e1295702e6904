"""A process that continues erasures, to be killed at any moment: `python -m support.erasing_process URL BATCH`."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from everword.db.pool import Database
from everword.db.settings import DatabaseSettings
from everword_ingest.erasure import resumer
from support.databases import DatabaseUnderTest


async def start(database: DatabaseUnderTest, batch: int) -> Process:
    """Start the process; return once it is working."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.erasing_process", database.service_url, str(batch)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdout=PIPE,
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


async def _run(url: str, batch: int) -> None:
    vars(resumer).update(BATCH=batch, INTERVAL_S=0.1)
    settings = DatabaseSettings(url=url, role="everword_ingest", pool_min=1, pool_max=2)
    database = Database(settings, "ingest")
    await database.open()
    resumer.ErasureResumer(database).start()
    print("at work", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], int(sys.argv[2])))

"""A process that continues retention runs, to be killed at any time: `python -m support.retaining_process
URL BATCH`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from pathlib import Path

from everword.db.pool import Database
from everword.db.settings import DatabaseSettings
from everword_ingest.retention import runner, steps
from support.databases import DatabaseUnderTest


async def start(database: DatabaseUnderTest, batch: int) -> Process:
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.retaining_process", database.service_url, str(batch)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


async def _run(url: str, batch: int) -> None:
    vars(steps).update(BATCH=batch)
    settings = DatabaseSettings(url=url, role="everword_ingest", pool_min=1, pool_max=2)
    database = Database(settings, "ingest")
    await database.open()
    runner.RetentionRunner(database, lambda: None).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], int(sys.argv[2])))

"""`python -m everword_embedder.worker`: takes wake-ups of the task `embed`, and drains the queue."""

from __future__ import annotations

import os
import sys

from everword.db.blocking import BlockingDatabase
from everword.domain.settings import Environment, SettingError
from everword.jobs.task import Task
from everword.jobs.worker import run_worker
from everword.observability import setup
from everword.processes.heap import share_arenas
from everword_embedder.queue.charges import Charging
from everword_embedder.queue.drain import Drain, DrainSettings
from everword_embedder.queue.remote import RemoteEmbedder
from everword_embedder.settings import SERVICE, EmbedderWorkerSettings

#: A silent model is given up within the lease, so that there is time to give the passages back.
ANSWER_SHARE = 0.8


def main() -> None:
    # Before any thread has taken an arena of its own.
    share_arenas()
    try:
        settings = EmbedderWorkerSettings.from_environment(Environment(os.environ))
    except SettingError as error:
        sys.exit(f"everword: {error}")
    flush = setup("embedder-worker", settings.log_level)
    database = BlockingDatabase(settings.database, SERVICE)
    patience = DrainSettings()
    charging = Charging(database)
    embedder = RemoteEmbedder(
        settings.embedder_address,
        settings.internal_token,
        ANSWER_SHARE * patience.lease_s,
        charging.note,
    )
    try:
        database.open()
        drain = Drain(database, embedder, patience, charging)
        task = Task("embed", drain.run, lease_s=patience.lease_s, pauses_s=patience.pauses_s)
        run_worker(database, settings.redis_url, [task])
    finally:
        embedder.close()
        database.close()
        flush()


if __name__ == "__main__":
    main()

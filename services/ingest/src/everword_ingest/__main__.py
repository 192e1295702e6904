"""`python -m everword_ingest`."""

from everword.rpc.heap import share_arenas
from everword.rpc.run import run
from everword_ingest.server import IngestServer
from everword_ingest.settings import Settings

if __name__ == "__main__":
    # Before any thread has taken an arena of its own.
    share_arenas()
    run(lambda environment: IngestServer(Settings.from_environment(environment)))

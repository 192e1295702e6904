"""`python -m everword_ingest`."""

from everword.rpc.run import run
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings

if __name__ == "__main__":
    run(lambda environment: IngestServer(IngestSettings.from_environment(environment)))

"""`python -m everword_embedder`."""

from everword.rpc.run import run
from everword_embedder.server import EmbedderServer
from everword_embedder.settings import EmbedderSettings

if __name__ == "__main__":
    run(lambda environment: EmbedderServer(EmbedderSettings.from_environment(environment)))

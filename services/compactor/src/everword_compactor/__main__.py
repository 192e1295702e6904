"""`python -m everword_compactor`."""

from everword.rpc.heap import share_arenas
from everword.rpc.run import run
from everword_compactor.server import CompactorServer
from everword_compactor.settings import Settings

if __name__ == "__main__":
    # Before any thread has taken an arena of its own.
    share_arenas()
    run(lambda environment: CompactorServer(Settings.from_environment(environment)))

"""`python -m everword_search`."""

from everword.rpc.heap import share_arenas
from everword.rpc.run import run
from everword_search.server import SearchServer
from everword_search.settings import Settings

if __name__ == "__main__":
    # Before any thread has taken an arena of its own.
    share_arenas()
    run(lambda environment: SearchServer(Settings.from_environment(environment)))

"""`python -m everword_search`."""

from everword.rpc.run import run
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings

if __name__ == "__main__":
    run(lambda environment: SearchServer(SearchSettings.from_environment(environment)))

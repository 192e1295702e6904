"""`python -m everword_compactor`."""

from everword.rpc.run import run
from everword_compactor.server import CompactorServer
from everword_compactor.settings import CompactorSettings

if __name__ == "__main__":
    run(lambda environment: CompactorServer(CompactorSettings.from_environment(environment)))

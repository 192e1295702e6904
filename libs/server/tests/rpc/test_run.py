"""A service as a process."""

import subprocess
import sys

#: Leaves a hundred objects in cycles, and ends once these are gone, or else after a minute.
_SERVICE = """
import asyncio, os, signal, weakref
from everword.processes import heap
from everword.rpc import run
from everword.rpc.settings import ServerSettings

heap.COLLECT_S = 0.1

class Cycle:
    def __init__(self):
        self.itself = self

class Service:
    settings = ServerSettings(service="test", listen="127.0.0.1:0")

    async def start(self):
        self.task = asyncio.create_task(self.leave())
        return "nowhere"

    async def leave(self):
        await asyncio.sleep(0.01)
        left = [weakref.ref(Cycle()) for _ in range(100)]
        for _ in range(600):
            await asyncio.sleep(0.1)
            if not any(each() for each in left):
                print("found")
                break
        os.kill(os.getpid(), signal.SIGTERM)

    async def stop(self):
        print("stopped")

run.run(lambda environment: Service())
"""


def test_idle_service_collects_garbage_cycles_also_if_few() -> None:
    command = [sys.executable, "-c", _SERVICE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    assert done.stdout.split() == ["found", "stopped"]

"""`python -m fuzz.health ADDRESS…`: checks the health of services until its input ends, and prints the seconds.

It prints an empty line once all have answered.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from everword.client.channel import open_channel
from support.health import serving

PAUSE_S = 0.02


async def watch(addresses: list[str]) -> dict[str, list[float]]:
    """Return the seconds of each answer, by address. Raises if a server does not serve."""
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    took: dict[str, list[float]] = {address: [] for address in addresses}

    async def ask(address: str) -> None:
        async with open_channel(address) as channel:
            while not ended.done():
                started = time.perf_counter()
                if not await serving(channel):
                    raise RuntimeError(f"{address} does not serve")
                took[address].append(time.perf_counter() - started)
                if len(took[address]) == 1 and all(took.values()):
                    print(flush=True)
                await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*(ask(address) for address in addresses))
    return took


if __name__ == "__main__":
    print(json.dumps(asyncio.run(watch(sys.argv[1:]))))

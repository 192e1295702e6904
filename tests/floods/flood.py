"""`python -m floods.flood INGEST SEARCH KIND CALLERS SECONDS`: the flood, in a separate process."""

from __future__ import annotations

import asyncio
import json
import sys
import time

import grpc

from floods.calls import Services, Tenant


async def flood(
    ingest: str, search: str, kind: str, callers: int, seconds: float
) -> dict[str, int]:
    """Call continuously from many callers; return the numbers of answered and refused calls."""
    call = Tenant(Services.at(ingest, search), "flood", seed=2).kinds()[kind]
    counts = {"answered": 0, "refused": 0}
    until = time.monotonic() + seconds

    async def caller() -> None:
        while time.monotonic() < until:
            try:
                await call()
                counts["answered"] += 1
            except grpc.aio.AioRpcError:
                counts["refused"] += 1
                # As RetryInfo says.
                await asyncio.sleep(1)

    await asyncio.wait([asyncio.ensure_future(caller()) for _ in range(callers)], timeout=seconds)
    return counts


if __name__ == "__main__":
    ingest, search, kind, callers, seconds = sys.argv[1:]
    counts = asyncio.run(flood(ingest, search, kind, int(callers), float(seconds)))
    print(json.dumps(counts))

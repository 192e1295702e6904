"""`python -m floods.bodies`: hostile bodies at the gateway and the MCP server, during health checks and other calls.

A part of `make test-floods`.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from everword.client.channel import open_channel
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import admin_service_pb2 as admin
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from support.callers import bearer
from support.hostile_bodies import (
    APPEND,
    TOOL_CALL,
    HostileLoadResult,
    beside,
    flood,
    hostile_bodies,
)
from support.http_process import serving_hastily
from support.raw_http import post

#: Seconds of each flood.
LASTS_S = 10.0
#: Limits of the 95th percentile, in seconds: of health checks, and of another tenant's calls.
HEALTH_S, CALL_S = 0.1, 1.0
_MESSAGE = b'[{"role": "ROLE_USER", "content": "A lamp."}]'
_TOOL = TOOL_CALL.replace(b', "more": %b', b"")
_ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
#: By option of `everword web`: the path, a template for the hostile value, a good body, and sizes.
_SERVED = {
    "--gateway": (
        *("/everword.v1.IngestService/AppendMessages", APPEND, APPEND % _MESSAGE),
        (60 << 10, 8 << 20),
    ),
    "--mcp": ("/mcp", TOOL_CALL, _TOOL, (60 << 10, (4 << 20) - 1024)),
}


@asynccontextmanager
async def _keys(ingest: str) -> AsyncIterator[list[str]]:
    """Yield the API keys of two tenants."""
    async with open_channel(ingest) as channel:
        service = AdminServiceStub(channel)
        made = await service.CreateApiKey(
            admin.CreateApiKeyRequest(api_key=admin.ApiKey(role=admin.API_KEY_ROLE_ADMIN))
        )
        operator, secrets = bearer(made.secret), []
        for name in ("flood", "other"):
            await service.CreateNamespace(
                admin.CreateNamespaceRequest(namespace=admin.Namespace(name=name)),
                metadata=operator,
            )
            key = admin.ApiKey(namespace=name, role=admin.API_KEY_ROLE_WRITE)
            made = await service.CreateApiKey(
                admin.CreateApiKeyRequest(api_key=key), metadata=operator
            )
            secrets.append(made.secret)
        yield secrets


async def run() -> bool:
    """Print a row for each server, size and kind of key, and return whether all are within their limits."""
    kept = True
    async with (
        stack(StackSettings(data=None, ports=Ports.free())) as running,
        _keys(running.addresses["ingest"]) as (hostile, other),
    ):
        for option, (path, around, good, sizes) in _SERVED.items():
            async with serving_hastily(running, {}, option, "{address}") as (url, process):
                for size in sizes:
                    bodies = [*hostile_bodies(around, size).values()]
                    for shown in ("", "no-such-key", hostile):
                        found = await _measure_flood(
                            url, process.pid, path, bodies, shown, good, other
                        )
                        row = _row(found)
                        kind = {"": "none", hostile: "good"}.get(shown, "wrong")
                        print(
                            json.dumps(
                                {"server": option.strip("-"), "bytes": size, "key": kind, **row}
                            )
                        )
                        kept &= row["health_p95_ms"] <= HEALTH_S * 1000
                        kept &= row["other_p95_ms"] <= CALL_S * 1000
    return kept


async def _measure_flood(
    url: str, pid: int, path: str, bodies: list[bytes], shown: str, good: bytes, other: str
) -> HostileLoadResult:
    headers = {**_ACCEPT, **({"authorization": f"Bearer {shown}"} if shown else {})}

    async def send(body: bytes) -> int:
        return (await post(url, path, body, headers)).status

    known = {**_ACCEPT, "authorization": f"Bearer {other}"}
    async with httpx2.AsyncClient(headers=known, timeout=60) as client:

        async def call() -> None:
            (await client.post(url + path, content=good)).raise_for_status()

        await call()
        return await beside(url, pid, flood(send, bodies, LASTS_S), call)


def _row(found: HostileLoadResult) -> dict[str, float]:
    return {
        "requests": found.statuses.total(),
        "cpu_ms_each": round(found.cpu_s * 1000 / found.statuses.total(), 1),
        "health_p95_ms": round(_p95(found.health) * 1000, 1),
        "health_max_ms": round(max(found.health) * 1000, 1),
        "other_p95_ms": round(_p95(found.calls) * 1000, 1),
    }


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else float("inf")


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(run()) else 1)

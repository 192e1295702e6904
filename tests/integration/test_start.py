"""How a service starts: without what it may never need, and ready for whatever is asked first."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest

from everword.embedded.ports import free_ports
from everword.rpc.channel import open_channel
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.health import serving
from support.stack import Stack
from support.waiting import until

#: What takes long to import, and is of no use to a service that has no collector, no chat model and no work yet.
UNUSED = {
    "ingest": {"opentelemetry.exporter", "httpx", "wordfreq"},
    "search": {"opentelemetry.exporter", "httpx", "jsonschema", "wordfreq"},
    "compactor": {"opentelemetry.exporter", "httpx", "jsonschema", "wordfreq", "numpy"},
    "embedder": {"opentelemetry.exporter", "onnxruntime", "tokenizers", "wordfreq"},
}


@pytest.mark.parametrize("service", UNUSED)
def test_a_service_imports_nothing_that_it_may_never_need(service: str) -> None:
    report = f"import everword_{service}.__main__, json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, check=True)
    imported = set(json.loads(done.stdout))
    assert {f"everword_{service}.server", "grpc", "psycopg"} <= imported
    assert not UNUSED[service] & imported


@asynccontextmanager
async def _search_process(database: DatabaseUnderTest, address: str) -> AsyncIterator[Process]:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "EVERWORD_DATABASE_URL": database.service_url,
        "EVERWORD_LISTEN": address,
        "EVERWORD_DRAIN_SECONDS": "0.1",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "everword_search"), env=environment, stdout=DEVNULL, stderr=DEVNULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def test_the_first_searches_of_a_process_find_what_later_ones_find(
    stack: Stack, database: DatabaseUnderTest
) -> None:
    await append(
        stack,
        "Marta keeps turtles in the greenhouse.",
        "The greenhouse is heated until April.",
        "Turtles sleep through the winter, says Marta.",
    )
    request = search_request("Where does Marta keep the turtles?", "HYBRID")
    expected = await stack.search.Search(request)
    assert len(expected.results) == 3
    address = f"127.0.0.1:{free_ports(1)[0]}"
    async with _search_process(database, address), open_channel(address) as channel:
        await until(lambda: _is_serving(channel))
        search = SearchServiceStub(channel)
        found = await asyncio.gather(*(search.Search(request) for _ in range(4)))
    for response in found:
        assert response.results == expected.results


async def _is_serving(channel: grpc.aio.Channel) -> bool:
    try:
        return await serving(channel)
    except grpc.aio.AioRpcError as error:
        if error.code() != grpc.StatusCode.UNAVAILABLE:
            raise
        return False

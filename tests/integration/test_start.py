"""Start of a service: without modules that it may never need, and ready for any first request."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest

from everword.client.channel import open_channel
from everword.rpc.health import LIVENESS
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.service_process import free_address, is_serving, service_process
from support.stack import BASE, Stack
from support.waits import until

#: Modules that are slow to import and useless to a service without collector, chat model and work.
UNUSED = {
    "ingest": {"opentelemetry.exporter", "httpx", "wordfreq"},
    "search": {"opentelemetry.exporter", "httpx", "jsonschema", "wordfreq"},
    "compactor": {"opentelemetry.exporter", "httpx", "jsonschema", "wordfreq", "numpy"},
    "embedder": {"opentelemetry.exporter", "onnxruntime", "tokenizers", "wordfreq"},
}
TURTLES = (
    "Marta keeps turtles in the greenhouse.",
    "The greenhouse is heated until April.",
    "Turtles sleep through the winter, says Marta.",
)
WHERE = search_request("Where does Marta keep the turtles?", "HYBRID")
#: As `sitecustomize`, it prevents a process from importing compiled modules.
NOTHING_COMPILED = """
import sys
for part in ("scan", "score", "compare", "trees"):
    sys.modules["everword_search.kernels." + part] = None
"""


@pytest.mark.parametrize("service", UNUSED)
def test_service_does_not_import_optional_modules_at_start(service: str) -> None:
    report = f"import everword_{service}.__main__, json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, check=True)
    imported = set(json.loads(done.stdout))
    assert {f"everword_{service}.server", "grpc", "psycopg"} <= imported
    assert not UNUSED[service] & imported


async def test_first_searches_of_a_process_equal_later_ones(
    stack: Stack, database: DatabaseUnderTest
) -> None:
    await append(stack, *TURTLES)
    expected = await stack.search.Search(WHERE)
    assert len(expected.results) == 3
    address = free_address()
    async with service_process("search", database, address), open_channel(address) as channel:
        await until(lambda: is_serving(channel))
        search = SearchServiceStub(channel)
        found = await asyncio.gather(*(search.Search(WHERE) for _ in range(4)))
    for response in found:
        assert response.results == expected.results


async def test_first_search_of_a_process_is_about_as_fast_as_later_ones(
    stack: Stack, database: DatabaseUnderTest
) -> None:
    await append(stack, *TURTLES)
    first, later = list[float](), list[float]()

    def is_fast() -> bool:
        # Seconds; without a warm-up it takes twice as long on an idle machine.
        return min(first) <= max(0.15, 2 * median(later))

    # The fastest of up to three starts, since other processes may delay a first query.
    for _ in range(3):
        address = free_address()
        async with (
            # Later queries ask the database like the first one.
            service_process("search", database, address, EVERWORD_SEARCH_CACHE_MIB="0"),
            open_channel(address) as channel,
        ):
            await until(lambda: is_serving(channel))
            search = SearchServiceStub(channel)
            first.append(await _seconds(search, "Where does Marta keep the turtles?"))
            later += [await _seconds(search, f"Do turtles sleep {n}?") for n in range(5)]
        if is_fast():
            break
    assert is_fast(), (first, later)


async def test_search_is_serving_only_after_warm_up(database: DatabaseUnderTest) -> None:
    address = free_address()
    settings = replace(BASE, service="search", listen=address)
    # No embedder runs there, so the warm-up waits for its full limit.
    server = SearchServer(SearchSettings(settings, database.settings("search"), "127.0.0.1:1"))
    starting = asyncio.create_task(server.start())
    try:
        async with open_channel(address) as channel:
            await until(lambda: is_serving(channel, LIVENESS))
            assert not await is_serving(channel)
            await starting
            assert await is_serving(channel)
    finally:
        await server.stop()


async def test_search_warms_up_without_a_warning(database: DatabaseUnderTest) -> None:
    address = free_address()
    async with (
        service_process("search", database, address) as process,
        open_channel(address) as channel,
    ):
        await until(lambda: is_serving(channel))
        process.terminate()
        log, _ = await process.communicate()
    assert b"service started" in log
    assert b"not_warmed_up" not in log


async def _seconds(search: SearchServiceStub, query: str) -> float:
    started = time.perf_counter()
    await search.Search(search_request(query, "HYBRID"))
    return time.perf_counter() - started


async def test_search_without_compiled_code_warns_once_with_equal_results(
    stack: Stack, database: DatabaseUnderTest, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOTHING_COMPILED)
    await append(stack, *TURTLES)
    expected = await stack.search.Search(WHERE)
    address = free_address()
    async with (
        service_process("search", database, address, PYTHONPATH=str(tmp_path)) as process,
        open_channel(address) as channel,
    ):
        await until(lambda: is_serving(channel))
        search = SearchServiceStub(channel)
        # From the second search on, the cache answers.
        found = [await search.Search(WHERE) for _ in range(3)]
        process.terminate()
        log, _ = await process.communicate()
    for response in found:
        assert [each.memory.id for each in response.results] == [
            each.memory.id for each in expected.results
        ]
        assert [each.score for each in response.results] == pytest.approx(
            [each.score for each in expected.results], rel=1e-9
        )
    [warning] = [json.loads(line) for line in log.splitlines() if b"compiled" in line]
    assert warning["level"] == "WARNING"
    assert "apt-get install gcc python3-dev" in warning["install"]

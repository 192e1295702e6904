"""How a service starts: without what it may never need, and ready for whatever is asked first."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from everword.client.channel import open_channel
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.service_process import free_address, is_serving, service_process
from support.stack import Stack
from support.waiting import until

#: What takes long to import, and is of no use to a service that has no collector, no chat model and no work yet.
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
#: As `sitecustomize`, it keeps a process from importing what is compiled.
NOTHING_COMPILED = """
import sys
for part in ("cache.scans.scan", "cache.scans.score", "ranking.features.compare", "ranking.models.trees"):
    sys.modules["everword_search." + part] = None
"""


@pytest.mark.parametrize("service", UNUSED)
def test_a_service_imports_nothing_that_it_may_never_need(service: str) -> None:
    report = f"import everword_{service}.__main__, json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, check=True)
    imported = set(json.loads(done.stdout))
    assert {f"everword_{service}.server", "grpc", "psycopg"} <= imported
    assert not UNUSED[service] & imported


async def test_the_first_searches_of_a_process_find_what_later_ones_find(
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


async def test_what_is_not_compiled_is_told_once_and_finds_the_same(
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
        # From the second one on, the namespace is searched in memory.
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

"""How the work of many namespaces spreads over nodes: `make bench-citus`.

Nodes and services share this machine, so speeds say little; processor time per call does not depend on that. With more
workers, the time of each worker must fall, and the coordinator's must stay.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from everword.v1 import context_service_pb2 as context
from everword.v1 import search_service_pb2 as search
from support.callers import make_namespaces, within
from support.calls import append
from support.citus_cluster import Cluster, Node, citus_programs, running_cluster
from support.databases import prepare_distributed_template
from support.stack import Stack, running_stack

CALLERS = 8
TEXT = "The ferry to Kirkwall leaves at seven, and Ines sings alto in the choir of the harbour."
QUERY = "When does the ferry leave?"
Call = Callable[[Stack, str], Awaitable[Any]]


@dataclass(frozen=True)
class Measurement:
    """The processor time of one kind of call, in milliseconds per call."""

    workers: int
    call: str
    calls: int
    calls_per_s: float
    coordinator_ms: float
    worker_ms: list[float]


async def _append(stack: Stack, name: str) -> None:
    await append(stack, TEXT, metadata=within(name))


async def _search(stack: Stack, name: str) -> None:
    request = search.SearchRequest(query=QUERY, mode=search.SEARCH_MODE_LEXICAL)
    found = await stack.search.Search(request, metadata=within(name))
    assert found.results


async def _context(stack: Stack, name: str) -> None:
    request = context.BuildContextRequest(query=QUERY)
    built = await stack.context.BuildContext(request, metadata=within(name))
    assert built.text


CALLS: dict[str, Call] = {"append": _append, "search": _search, "context": _context}


def _seconds(node: Node) -> float:
    """Return the processor time of a server's processes since its start, with those that have ended."""
    server = psutil.Process(node.pid)
    spent = server.cpu_times()
    total = spent.user + spent.system + spent.children_user + spent.children_system
    for process in server.children():
        times = process.cpu_times()
        total += times.user + times.system
    return float(total)


async def _on_all(names: list[str], callers: int, call: Callable[[str], Awaitable[Any]]) -> None:
    left = iter(names)

    async def work() -> None:
        for name in left:
            await call(name)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(callers):
            tasks.create_task(work())


async def _measure(cluster: Cluster, stack: Stack, kind: str, names: list[str]) -> Measurement:
    servers = [cluster.servers[url] for url in cluster.nodes]
    before, begun = list(map(_seconds, servers)), time.perf_counter()
    await _on_all(names, CALLERS, partial(CALLS[kind], stack))
    took = time.perf_counter() - begun
    spent = [
        (_seconds(server) - earlier) * 1000 / len(names)
        for server, earlier in zip(servers, before, strict=True)
    ]
    workers = [round(each, 2) for each in spent[1:]]
    return Measurement(
        len(workers), kind, len(names), round(len(names) / took, 1), round(spent[0], 2), workers
    )


async def _measure_cluster(cluster: Cluster, namespaces: int, calls: int) -> list[Measurement]:
    names = [f"tenant-{number}" for number in range(namespaces)]
    choice = random.Random(1)
    async with running_stack(cluster.database, embedder=False) as stack:
        await _on_all(names, CALLERS, partial(make_namespaces, stack))
        # Each namespace has a message, and connections have prepared all statements.
        await _on_all(names, CALLERS, partial(_append, stack))
        measured = []
        for kind in CALLS:
            await _on_all(names[:100], CALLERS, partial(CALLS[kind], stack))
            measured.append(await _measure(cluster, stack, kind, choice.choices(names, k=calls)))
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--namespaces", type=int, default=3000)
    parser.add_argument("--calls", type=int, default=2000, help="of each kind")
    parser.add_argument("--json", type=Path, help="file for the measurements")
    arguments = parser.parse_args()
    found: list[Measurement] = []
    for workers in arguments.workers:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
            Path(name).chmod(0o711)
            with running_cluster(citus_programs(), Path(name), workers=workers) as cluster:
                prepare_distributed_template(cluster.coordinator, cluster.workers)
                measured = asyncio.run(
                    _measure_cluster(cluster, arguments.namespaces, arguments.calls)
                )
        for each in measured:
            print(
                f"{each.workers} workers, {each.call}: {each.calls_per_s} calls/s; processor ms per call: "
                f"coordinator {each.coordinator_ms}, workers {each.worker_ms}",
                flush=True,
            )
        found += measured
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(each) for each in found], indent=2))


if __name__ == "__main__":
    main()

"""A service as operators run it: behind one address, with a process for each core."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import psutil

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.processes import spec_of
from everword.embedded.ports import HOST, free_ports
from everword.embedded.process import run_blocking

#: One process that asks keeps no more of them busy.
MOST = 8


@dataclass(frozen=True)
class Replica:
    """A process of the service, and its address."""

    address: str
    pid: int

    @property
    def busy_s(self) -> float:
        """The seconds that processors have worked for it."""
        times = psutil.Process(self.pid).cpu_times()
        return float(times.user + times.system)


@contextmanager
def replicas(bench: BenchStack, service: str) -> Iterator[Sequence[Replica]]:
    """Run more processes of a service while the block lasts, and lend all of them, the stack's own first.

    Raises StartError.
    """
    own = Replica(bench.running.addresses[service], bench.pid(service))
    with ExitStack() as others:
        more = [
            others.enter_context(_replica(bench, service, number, port))
            for number, port in enumerate(free_ports(number_of_replicas() - 1), 2)
        ]
        yield [own, *more]


@contextmanager
def _replica(bench: BenchStack, service: str, number: int, port: int) -> Iterator[Replica]:
    address = f"{HOST}:{port}"
    running = replace(bench.running, addresses={**bench.running.addresses, service: address})
    spec = replace(spec_of(running, service), name=f"{service}-{number}")
    with run_blocking(spec, bench.folder / "logs") as process:
        yield Replica(address, process.pid)


def number_of_replicas() -> int:
    return min(MOST, len(os.sched_getaffinity(0)))


def address_of(these: Sequence[Replica]) -> str:
    """Return the one address behind which a client finds all of them, and calls them in turn."""
    return "ipv4:" + ",".join(replica.address for replica in these)

"""Everword as a cluster runs it: three processes of each service behind a name, and three workers of each kind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import psutil

from everword.client import Client, ClientSettings
from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SERVICES, is_serving, service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from support.collector import FLUSH_S, Collector, running_collector
from support.databases import DatabaseUnderTest
from support.name_server import name_server
from support.running_stack import embed_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, stack_of
from support.with_constants import SWEEP, hasty

REPLICAS = 3
DOMAIN = "everword.test"


@dataclass(frozen=True)
class Cluster:
    """Three replicas of each service, on 127.0.0.1, 127.0.0.2 and 127.0.0.3."""

    running: RunningStack
    dns: str
    model: ScriptedEmbedder
    collector: Collector
    #: Lines that the supervisor has printed so far.
    said: list[str]
    #: The generation of vectors of the scripted model.
    generation: int

    @property
    def database(self) -> DatabaseUnderTest:
        return DatabaseUnderTest(self.running.admin_database_url or "", self.running.database_url)

    @property
    def folder(self) -> Path:
        """The stack's folder, which contains logs, too."""
        [valkey] = [each for each in self.running.processes if each.name == "valkey"]
        return Path(valkey.argv[-1]).parents[1]

    def settings(self, only: int | None = None, namespace: str = "") -> ClientSettings:
        """Return client settings with the services' names, or with the addresses of replica number `only`."""
        at = {
            name: self.replica(name, only) if only else name_of(self.running, self.dns, name)
            for name in ("ingest", "search", "compactor")
        }
        return ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)

    def list_of(self, service: str) -> str:
        """Return the addresses of a service in gRPC's form without a name."""
        return "ipv4:" + ",".join(self.replica(service, n) for n in range(1, REPLICAS + 1))

    def replica(self, service: str, number: int) -> str:
        return _address(self.running, service, number)

    async def spans(self, name: str) -> Counter[str]:
        """Return how many spans of a name each process has ended by now."""
        await asyncio.sleep(2 * FLUSH_S)
        return self.collector.spans(name)

    def pids(self, *names: str) -> list[int]:
        """Return the processes that listen at a replica's address, or that work under its name."""
        return [pid for pid, spec in self._processes() if spec in names]

    @contextmanager
    def held(self, *names: str) -> Iterator[list[int]]:
        """Stop processes with SIGSTOP while the block lasts; processes killed meanwhile are not resumed."""
        pids = self.pids(*names)
        assert len(pids) == len(names), names
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield pids
        finally:
            for pid in pids:
                if psutil.pid_exists(pid):
                    os.kill(pid, signal.SIGCONT)

    def _processes(self) -> Iterator[tuple[int, str]]:
        """Yield pid and replica of each running process; a killed process has been restarted under another pid."""
        for process in psutil.Process().children():
            yield process.pid, process.environ().get("OTEL_RESOURCE_ATTRIBUTES", "=").split("=")[1]


@asynccontextmanager
async def running_cluster() -> AsyncIterator[Cluster]:
    """Run everything in separate processes while the block lasts, with a temporary database."""
    model, said, generations = ScriptedEmbedder(), list[str](), list[int]()
    names = {
        f"{service}.{DOMAIN}": [f"127.0.0.{n}" for n in range(1, REPLICAS + 1)]
        for service in SERVICES
    }
    with ExitStack() as resources:
        resources.enter_context(model.running())
        collector = resources.enter_context(running_collector())
        dns = resources.enter_context(name_server(names))

        def specs(running: RunningStack) -> list[ProcessSpec]:
            database = DatabaseUnderTest(running.admin_database_url or "", running.database_url)
            generations.append(embed_with(database, model))
            return list(_specs(running, dns, collector))

        settings = StackSettings(data=None, ports=Ports.free())
        async with stack(settings, said.append, services=specs) as running:
            yield Cluster(running, dns, model, collector, said, *generations)


@asynccontextmanager
async def client_of(
    cluster: Cluster, only: int | None = None, namespace: str = ""
) -> AsyncIterator[Client]:
    async with Client.connect(cluster.settings(only, namespace)) as client:
        yield client


@asynccontextmanager
async def stack_at(cluster: Cluster, number: int) -> AsyncIterator[Stack]:
    """Yield stubs to the replicas with this number, which need no token."""
    addresses = {service: cluster.replica(service, number) for service in SERVICES}
    async with AsyncExitStack() as resources:
        channels = {
            service: await resources.enter_async_context(open_channel(address))
            for service, address in addresses.items()
        }
        yield stack_of(cluster.database, addresses, channels)


def name_of(running: RunningStack, dns: str, service: str) -> str:
    """Return a DNS name for all replicas of a service.

    `dns:///NAME:PORT` asks the machine's own name server; here it names the test's server.
    """
    port = running.addresses[service].rpartition(":")[2]
    return f"dns://{dns}/{service}.{DOMAIN}:{port}"


def _address(running: RunningStack, service: str, number: int) -> str:
    port = running.addresses[service].rpartition(":")[2]
    return f"127.0.0.{number}:{port}"


def _specs(running: RunningStack, dns: str, collector: Collector) -> Iterator[ProcessSpec]:
    """Yield three processes for each process of `everword up`, which find the embedder by its name."""
    known = {
        "EVERWORD_EMBEDDER_ADDRESS": name_of(running, dns, "embedder"),
    }
    for spec in service_specs(running):
        for number in range(1, REPLICAS + 1):
            name = f"{spec.name}-{number}"
            environment = {**spec.environment, **known, **collector.environment(name)}
            several = hasty(replace(spec, name=name, environment=environment), {SWEEP: 0.5})
            if spec.name in SERVICES:
                address = _address(running, spec.name, number)
                several = replace(
                    several,
                    environment={**several.environment, "EVERWORD_LISTEN": address},
                    address=address,
                    ready=partial(is_serving, address),
                )
            yield several

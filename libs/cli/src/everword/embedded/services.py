"""The services of the stack, as processes; another service or worker is one more entry here."""

import os
import signal
import socket
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from everword.client.servers import PUBLIC_PORTS
from everword.embedded.folder import RunningStack
from everword.embedded.fork_client import PYTHON, ForkClient
from everword.embedded.ports import HOST, Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.proxy import ProxySettings, caddy_command, caddy_environment, caddyfile

COMPACTOR = "everword_compactor"

#: service -> the module that runs it; those first whose start takes longest after their imports
SERVICES = {
    "embedder": "everword_embedder",
    "search": "everword_search",
    "ingest": "everword_ingest",
    "compactor": COMPACTOR,
}

#: worker -> the module that runs it
WORKERS = {
    "embedder-worker": ["everword_embedder.worker"],
    "compactor-worker": ["everword_compactor.worker"],
}

#: Workers that summarise messages and extract facts from them.
SUMMARISING_WORKERS = frozenset({"compactor-worker"})

#: Services that the fork server imports while the database starts: the others' modules are mostly among theirs.
FIRST_FORKED = ("embedder", "search")

# A serving process must never get this variable: with it, it could read other namespaces.
OWNER_VARIABLE = "EVERWORD_ADMIN_DATABASE_URL"

# A log that is read while the process runs, or after it was killed, must not be buffered.
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}


def addresses(ports: Ports) -> dict[str, str]:
    return {name: f"{HOST}:{getattr(ports, name)}" for name in SERVICES}


def service_specs(stack: RunningStack, left_out: frozenset[str] = frozenset()) -> list[ProcessSpec]:
    """Describe the services and their workers but those left out; each gets the addresses of all services."""
    common = service_environment(stack)
    services = [
        ProcessSpec(
            name=name,
            argv=[*PYTHON, module],
            imports=[f"{module}.__main__"],
            environment=common | {"EVERWORD_LISTEN": stack.addresses[name]},
            ready=partial(is_serving, stack.addresses[name]),
            address=stack.addresses[name],
            # A server gives running calls ten seconds to finish, so it gets longer than that.
            stop=((signal.SIGTERM, 15.0),),
        )
        for name, module in SERVICES.items()
    ]
    workers = [
        ProcessSpec(
            name=name,
            argv=[*PYTHON, *module],
            imports=[module[0]],
            environment=common,
            # A worker finishes the batch at hand.
            stop=((signal.SIGTERM, 15.0),),
            background=name in SUMMARISING_WORKERS,
        )
        for name, module in WORKERS.items()
        if name not in left_out
    ]
    return services + workers


def proxy_spec(address: str, servers: Mapping[str, str], folder: Path) -> ProcessSpec:
    """Describe the proxy of these servers; its configuration is written to `folder`."""
    public = {name: servers[name] for name in PUBLIC_PORTS}
    config = folder / "Caddyfile"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    config.write_text(caddyfile(ProxySettings(address, public)), encoding="utf-8")
    return ProcessSpec(
        name="proxy",
        argv=caddy_command(str(config)),
        environment=caddy_environment(folder),
        ready=partial(_listens, address),
        address=address,
        # It stops with the services, and gives calls as long as these do.
        stop=((signal.SIGTERM, 15.0),),
    )


def fork_client(logs: Path) -> ForkClient:
    """Return what starts the services and workers that `service_specs` describes."""
    environment = {**os.environ, **UNBUFFERED}
    environment.pop(OWNER_VARIABLE, None)
    return ForkClient(logs, environment, [f"{SERVICES[name]}.__main__" for name in FIRST_FORKED])


def service_environment(
    stack: RunningStack, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the user's environment with this stack's addresses, and without the owner's URL."""
    environment = {
        **inherited,
        "EVERWORD_DATABASE_URL": stack.database_url,
        "EVERWORD_REDIS_URL": stack.redis_url,
        "EVERWORD_INTERNAL_TOKEN": stack.internal_token,
        **UNBUFFERED,
        **{f"EVERWORD_{name.upper()}_ADDRESS": at for name, at in stack.addresses.items()},
    }
    environment.pop(OWNER_VARIABLE, None)
    return environment


def is_serving(address: str) -> bool:
    """Return whether the server there reports SERVING as a whole, by the gRPC health protocol."""
    if not _listens(address):
        return False
    # A proxy of the user's is not the way to a port of this machine.
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        try:
            # The stub of its type stubs has no methods.
            stub: Any = health_pb2_grpc.HealthStub(channel)
            reply = stub.Check(health_pb2.HealthCheckRequest(), timeout=2)
        except grpc.RpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)


def _listens(address: str) -> bool:
    # Before a server listens, it is asked 20 times a second, and a channel takes a hundred times as long as this.
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
    except OSError:
        return False
    return True

"""The services of the stack, as processes; another service or worker is one more entry here."""

import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from everword.embedded.folder import RunningStack
from everword.embedded.ports import HOST, Ports
from everword.embedded.process import ProcessSpec

#: service -> the module that runs it
SERVICES = {
    "embedder": "everword_embedder",
    "ingest": "everword_ingest",
    "search": "everword_search",
    "compactor": "everword_compactor",
}

#: worker -> the module that runs it, with its arguments
WORKERS = {
    "embedder-worker": ["everword_embedder.worker"],
    "compact-worker": ["everword_compactor.worker", "compact"],
    "learn-worker": ["everword_compactor.worker", "learn"],
    "roll-up-worker": ["everword_compactor.worker", "roll-up"],
    "sleep-worker": ["everword_compactor.worker", "sleep"],
    "tool-sentences-worker": ["everword_compactor.worker", "tool-sentences"],
}

#: those that derive text from what was said
SUMMARISING_WORKERS = frozenset(
    {"compact-worker", "learn-worker", "roll-up-worker", "sleep-worker", "tool-sentences-worker"}
)

# What a serving process must never hold: with it, it could leave its namespace.
OWNER_VARIABLE = "EVERWORD_ADMIN_DATABASE_URL"


def addresses(ports: Ports) -> dict[str, str]:
    return {name: f"{HOST}:{getattr(ports, name)}" for name in SERVICES}


def service_specs(stack: RunningStack, left_out: frozenset[str] = frozenset()) -> list[ProcessSpec]:
    """Describe the services and their workers but those left out; each gets the addresses of all services."""
    common = service_environment(stack)
    services = [
        ProcessSpec(
            name=name,
            # -P: a file in the folder everword is started from must not pass for a module.
            argv=[sys.executable, "-P", "-m", module],
            environment=common | {"EVERWORD_LISTEN": stack.addresses[name]},
            ready=partial(is_serving, stack.addresses[name]),
            address=stack.addresses[name],
            # A server gives the calls it is answering ten seconds; it is to end by itself.
            stop=((signal.SIGTERM, 15.0),),
        )
        for name, module in SERVICES.items()
    ]
    workers = [
        ProcessSpec(
            name=name,
            argv=[sys.executable, "-P", "-m", *module],
            environment=common,
            # A worker finishes the batch at hand.
            stop=((signal.SIGTERM, 15.0),),
        )
        for name, module in WORKERS.items()
        if name not in left_out
    ]
    return services + workers


def service_environment(
    stack: RunningStack, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the user's environment with this stack's addresses, and without the owner's URL."""
    environment = {
        **inherited,
        "EVERWORD_DATABASE_URL": stack.database_url,
        "EVERWORD_REDIS_URL": stack.redis_url,
        "EVERWORD_INTERNAL_TOKEN": stack.internal_token,
        # A log that is read while the process runs, or after it was killed, must not be buffered.
        "PYTHONUNBUFFERED": "1",
        **{f"EVERWORD_{name.upper()}_ADDRESS": at for name, at in stack.addresses.items()},
    }
    environment.pop(OWNER_VARIABLE, None)
    return environment


def is_serving(address: str) -> bool:
    """Tell whether the server there reports SERVING as a whole, by the gRPC health protocol."""
    # A proxy of the user's is not the way to a port of this machine.
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        try:
            # The stub of its type stubs has no methods.
            stub: Any = health_pb2_grpc.HealthStub(channel)
            reply = stub.Check(health_pb2.HealthCheckRequest(), timeout=2)
        except grpc.RpcError:
            return False
    return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

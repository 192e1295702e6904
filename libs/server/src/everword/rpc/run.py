"""Run a service as a process: settings, telemetry, event loop, exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Protocol

import uvloop

from everword.domain.settings import Environment, SettingError
from everword.observability import setup
from everword.processes.heap import collect_regularly, share_arenas
from everword.rpc.server import serve_until_stopped
from everword.rpc.settings import ServerSettings

#: Objects after which the collector looks for cycles. A call makes some thousand, and is rid of them when it ends.
YOUNG_OBJECTS = 10_000
#: For so long a thread that computes keeps the event loop waiting for the interpreter; Python's own 5 ms come between
#: any two calls that a busy service takes.
SWITCH_S = 0.0005


class Service(Protocol):
    """The interface of a service's composition root."""

    settings: ServerSettings

    async def start(self) -> str:
        """Open the service's resources, listen, and return the address."""

    async def stop(self) -> None:
        """Drain and close. Safe after a start that failed half way."""


def run(build: Callable[[Environment], Service]) -> None:
    """Run a service until SIGTERM. A wrong setting ends the process with status 2 and one line that names it."""
    # Before any thread has taken an arena of its own.
    share_arenas()
    try:
        service = build(Environment(os.environ))
    except SettingError as error:
        sys.exit(_refuse(error))
    flush = setup(service.settings.service, service.settings.log_level)
    try:
        uvloop.run(_serve(service))
    except SettingError as error:
        sys.exit(_refuse(error))
    finally:
        flush()


async def _serve(service: Service) -> None:
    collect_regularly()
    await serve_until_stopped(partial(_start, service), service.stop)


async def _start(service: Service) -> None:
    await service.start()
    # The objects of the service live until it ends: exclude them from garbage collection, which would take 50 ms of
    # some call.
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)
    sys.setswitchinterval(SWITCH_S)


def _refuse(error: SettingError) -> int:
    print(f"everword: {error}", file=sys.stderr)
    return 2

"""Run a service as a process: settings, telemetry, event loop, exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Protocol

import uvloop

from everword.domain.settings import Environment, SettingError
from everword.rpc.server import serve_until_stopped
from everword.rpc.settings import ServerSettings
from everword.telemetry.setup import setup


class Service(Protocol):
    """What the composition root of a service offers."""

    settings: ServerSettings

    async def start(self) -> str:
        """Open what the service needs, listen, and return the address."""

    async def stop(self) -> None:
        """Drain and close. Safe after a start that failed half way."""


def run(build: Callable[[Environment], Service]) -> None:
    """Run a service until SIGTERM. A wrong setting ends the process with status 2 and one line that names it."""
    try:
        service = build(Environment(os.environ))
    except SettingError as error:
        sys.exit(_refuse(error))
    flush = setup(service.settings.service, service.settings.log_level)
    try:
        uvloop.run(serve_until_stopped(service.start, service.stop))
    except SettingError as error:
        sys.exit(_refuse(error))
    finally:
        flush()


def _refuse(error: SettingError) -> int:
    print(f"everword: {error}", file=sys.stderr)
    return 2

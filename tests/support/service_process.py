"""A service in a process of its own, over a test's database."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc

from everword.embedded.ports import free_ports
from support.databases import DatabaseUnderTest
from support.health import serving
from support.with_constants import TESTS, hasty_command

#: Long enough for a test to observe that a server is stopping.
NOTICEABLE = {"everword.rpc.settings:LOOPBACK_DRAIN_S": 0.5}


def free_address() -> str:
    return f"127.0.0.1:{free_ports(1)[0]}"


@asynccontextmanager
async def service_process(
    name: str, database: DatabaseUnderTest, address: str, **more: str
) -> AsyncIterator[Process]:
    """Run `python -m everword_NAME` while the block lasts, with `more` in its environment."""
    environment = {
        **{key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ},
        "EVERWORD_DATABASE_URL": database.service_url,
        "EVERWORD_LISTEN": address,
        **more,
        "PYTHONPATH": os.pathsep.join(filter(None, (more.get("PYTHONPATH"), str(TESTS)))),
    }
    process = await asyncio.create_subprocess_exec(
        *hasty_command([sys.executable, "-m", f"everword_{name}"], NOTICEABLE),
        env=environment,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            # `wait` would never return if the process printed more than asyncio buffers of an unread pipe.
            await process.communicate()


async def is_serving(channel: grpc.aio.Channel, service: str = "") -> bool:
    """Return whether a process reports that a service is serving; False if nothing listens."""
    try:
        return await serving(channel, service)
    except grpc.aio.AioRpcError as error:
        if error.code() != grpc.StatusCode.UNAVAILABLE:
            raise
        return False

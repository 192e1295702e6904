"""A command that serves HTTP, as a process of its own."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx2

from everword.embedded.folder import RunningStack
from everword.embedded.ports import free_ports
from support.command_line import EVERWORD, environment
from support.hasty import TESTS, hasty_command
from support.stack import Stack
from support.waiting import until


@asynccontextmanager
async def serving(
    stack: Stack | RunningStack, *arguments: str, **variables: str
) -> AsyncIterator[str]:
    """Run `everword` with these arguments, `{address}` among them, and lend its URL once `/healthz` answers."""
    async with _listening([EVERWORD, *arguments], environment(stack, **variables)) as (url, _):
        yield url


@asynccontextmanager
async def serving_hastily(
    stack: Stack | RunningStack, constants: Mapping[str, object], module: str, *arguments: str
) -> AsyncIterator[tuple[str, Process]]:
    """Run a module with other constants, and lend its URL and its process."""
    command = hasty_command([sys.executable, "-m", module, *arguments], constants)
    async with _listening(command, environment(stack, PYTHONPATH=str(TESTS))) as served:
        yield served


@asynccontextmanager
async def _listening(
    command: Sequence[str], variables: Mapping[str, str]
) -> AsyncIterator[tuple[str, Process]]:
    address = f"127.0.0.1:{free_ports(1)[0]}"
    process = await asyncio.create_subprocess_exec(
        *(word.format(address=address) for word in command), env=variables
    )
    url = f"http://{address}"
    try:
        async with httpx2.AsyncClient() as client:

            async def answers() -> bool:
                try:
                    return (await client.get(f"{url}/healthz")).status_code == 200
                except httpx2.ConnectError:
                    return False

            await until(answers)
        yield url, process
    finally:
        process.terminate()
        await process.wait()

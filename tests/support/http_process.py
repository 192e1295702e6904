"""Commands that serve HTTP, run as separate processes."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx2

from everword.embedded.folder import RunningStack
from everword.embedded.ports import free_ports
from everword_web.settings import ADDRESSES
from support.command_line import EVERWORD, environment
from support.stack import Stack
from support.waits import until
from support.with_constants import TESTS, hasty_command


@asynccontextmanager
async def serving(
    stack: Stack | RunningStack, *arguments: str, **variables: str
) -> AsyncIterator[str]:
    """Run `everword` with these arguments (`{address}` is replaced), and yield its URL once `/healthz` answers."""
    command = [EVERWORD, *arguments]
    async with _listening(command, environment(stack, **variables), "address") as (urls, _):
        yield urls["address"]


@asynccontextmanager
async def serving_hastily(
    stack: Stack | RunningStack, constants: Mapping[str, object], *arguments: str
) -> AsyncIterator[tuple[str, Process]]:
    """Run `everword web` with other constants and these arguments, and yield its URL and its process."""
    command = hasty_command([sys.executable, "-m", "everword_web", *arguments], constants)
    variables = environment(stack, PYTHONPATH=str(TESTS))
    async with _listening(command, variables, "address") as (urls, process):
        yield urls["address"], process


@asynccontextmanager
async def serving_all(
    stack: Stack | RunningStack, constants: Mapping[str, object] | None = None
) -> AsyncIterator[tuple[dict[str, str], Process]]:
    """Run gateway, MCP and console in one process, and yield their URLs by name, and the process."""
    options = [f"--{name}={{{name}}}" for name in ADDRESSES]
    command = hasty_command([sys.executable, "-m", "everword_web", *options], constants or {})
    variables = environment(stack, PYTHONPATH=str(TESTS))
    async with _listening(command, variables, *ADDRESSES) as served:
        yield served


@asynccontextmanager
async def _listening(
    command: Sequence[str], variables: Mapping[str, str], *names: str
) -> AsyncIterator[tuple[dict[str, str], Process]]:
    """Run a command with a free address for each name; yield the URLs once all answer."""
    ports = zip(names, free_ports(len(names)), strict=True)
    addresses = {name: f"127.0.0.1:{port}" for name, port in ports}
    process = await asyncio.create_subprocess_exec(
        *(word.format(**addresses) for word in command), env=variables
    )
    urls = {name: f"http://{address}" for name, address in addresses.items()}
    try:
        async with httpx2.AsyncClient() as client:

            async def answers() -> bool:
                try:
                    found = [await client.get(f"{url}/healthz") for url in urls.values()]
                except httpx2.ConnectError:
                    return False
                return all(each.status_code == 200 for each in found)

            await until(answers)
        yield urls, process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()

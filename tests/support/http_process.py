"""A command that serves HTTP, as a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from everword.embedded.folder import RunningStack
from everword.embedded.ports import free_ports
from support.command_line import EVERWORD, environment
from support.stack import Stack
from support.waiting import until


@asynccontextmanager
async def serving(
    stack: Stack | RunningStack, *arguments: str, **variables: str
) -> AsyncIterator[str]:
    """Run `everword` with these arguments, `{address}` among them, and lend its URL once `/healthz` answers."""
    address = f"127.0.0.1:{free_ports(1)[0]}"
    process = await asyncio.create_subprocess_exec(
        EVERWORD,
        *(argument.format(address=address) for argument in arguments),
        env=environment(stack, **variables),
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
        yield url
    finally:
        process.terminate()
        await process.wait()

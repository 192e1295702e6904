"""The command line as a user runs it: in a process of its own, which gets the services' addresses."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everword.embedded.folder import RunningStack
from support.forked_commands import run_forked
from support.stack import Stack

EVERWORD = str(Path(sys.executable).with_name("everword"))


@dataclass(frozen=True)
class Finished:
    """What a process left behind."""

    status: int
    output: str
    errors: str

    def json(self) -> Any:
        assert self.status == 0, self.errors
        return json.loads(self.output)


def environment(stack: Stack | RunningStack, **variables: str) -> dict[str, str]:
    """Return the variables of a process that calls `stack`, and of a terminal wide enough for its tables."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    addresses = {f"EVERWORD_{name.upper()}_ADDRESS": at for name, at in stack.addresses.items()}
    return {**inherited, **addresses, "COLUMNS": "250", "TZ": "UTC", **variables}


async def run(
    stack: Stack | RunningStack,
    *command: str,
    given: str = "",
    variables: dict[str, str] | None = None,
) -> Finished:
    """Run a command with `given` at its standard input."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment(stack, **(variables or {})),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(given.encode()), timeout=180)
    assert process.returncode is not None
    return Finished(process.returncode, output.decode(), errors.decode())


async def everword(
    stack: Stack | RunningStack, *arguments: str, given: str = "", **variables: str
) -> Finished:
    """Run `everword` with these arguments, in a process that is forked from one with its modules."""
    finished = await asyncio.to_thread(
        run_forked,
        [EVERWORD, *arguments],
        environment(stack, **variables),
        given.encode(),
        timeout_s=180,
    )
    status, output, errors = finished
    return Finished(status, output.decode(), errors.decode())

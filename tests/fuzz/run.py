"""A run: a stack, concurrent calls of every RPC, and their outcome."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from fuzz.fuzzer import ADMIN_KEY, Fuzzer, public
from fuzz.outcome import Outcome
from support.scripted_chat import ScriptedChat

#: Share of the calls before memory is first measured.
WARM_UP = 0.3


async def run(calls: int, seed: int, tell: Callable[[int], None]) -> Outcome:
    """Make calls, and return their outcome. `tell` gets the number of calls so far."""
    outcome = Outcome(seed)
    settings = StackSettings(data=None, ports=Ports.free())
    async with AsyncExitStack() as resources:
        model = resources.enter_context(ScriptedChat().running())
        running = await resources.enter_async_context(
            stack(settings, services=partial(_services, model))
        )
        fuzzer = Fuzzer(running, outcome)
        await fuzzer.open(resources)
        health = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "fuzz.health", *public(running).values()),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        await fuzzer.call(int(calls * WARM_UP), tell)
        before = _memory(running)
        await fuzzer.call(calls - int(calls * WARM_UP), tell)
        after = _memory(running)
        outcome.memory_mb = {name: (before[name], after[name]) for name in before}
        answered, _ = await health.communicate(b"")
        if health.returncode:
            outcome.faults.append("a service did not tell its health")
        else:
            outcome.health_s = [
                each for took in json.loads(answered.splitlines()[-1]).values() for each in took
            ]
        await fuzzer.read_everything()
    return outcome


def _services(model: ScriptedChat, running: RunningStack) -> list[ProcessSpec]:
    """Describe the services, with an operator's key and without workers, whose results would depend on the load."""
    given = {
        "EVERWORD_ADMIN_KEY": ADMIN_KEY,
        "EVERWORD_CHAT_URL": model.url,
        "EVERWORD_CHAT_MODEL": model.model,
    }
    return [
        replace(spec, environment={**spec.environment, **given})
        for spec in service_specs(running)
        if not spec.name.endswith("worker")
    ]


def _memory(running: RunningStack) -> dict[str, int]:
    """Return the megabytes used by each public service."""
    found = {}
    for process in running.processes:
        if process.name in public(running):
            status = Path(f"/proc/{process.pid}/status").read_text()
            [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
            found[process.name] = int(line.split()[1]) // 1024
    return found

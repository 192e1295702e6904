"""One run: a stack on a disk that must survive, an import, kills, and the reckoning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SUMMARISING_WORKERS, service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from kills.audit import Findings, audit, open_work
from kills.importer import Acknowledged, Load, import_all
from kills.killer import VICTIMS, Killer, plan
from support.hasty import EMBED_LEASE, EMBED_PAUSE, SWEEP, hasty

POLL_S = 0.25


@dataclass(frozen=True)
class Settings:
    """How hard a run is, and how patient the stack."""

    load: Load
    kills: int = 30
    victims: tuple[str, ...] = VICTIMS
    sweep_s: float = 2.0
    lease_s: float = 15.0
    pause_s: float = 1.0
    #: How long the backlog may take after the import.
    drain_s: float = 300.0


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    kills: int
    acknowledged: int
    retries: int
    findings: Findings

    @property
    def line(self) -> str:
        found = self.findings
        return f"kills {self.kills} lost {found.lost} doubled {found.doubled} stuck {found.stuck}"


@dataclass(frozen=True)
class Watchers:
    """Who is told how a run goes."""

    say: Callable[[str], None]
    #: Gets how many messages are acknowledged.
    imported: Callable[[int], None]
    #: Gets how much background work is open.
    draining: Callable[[int], None]


async def run(data: Path, settings: Settings, watchers: Watchers) -> Outcome:
    """Import into a stack that is killed piece by piece, wait for its background, and look."""
    chosen = StackSettings(data=data, ports=Ports.free())
    async with stack(chosen, watchers.say, services=partial(_services, settings)) as running:
        admin_url = running.admin_database_url or ""
        acknowledged = Acknowledged()
        killed = await _import_under_kills(running, data, settings, watchers, acknowledged)
        await _drained(admin_url, settings.drain_s, watchers.draining)
        findings = await asyncio.to_thread(audit, admin_url, acknowledged.external_ids)
    return Outcome(killed, len(acknowledged.external_ids), acknowledged.retries, findings)


async def _import_under_kills(
    running: RunningStack,
    data: Path,
    settings: Settings,
    watchers: Watchers,
    acknowledged: Acknowledged,
) -> int:
    killer = Killer(data, lambda: len(acknowledged.external_ids), watchers.say)
    kills = plan(settings.victims, settings.kills, settings.load.messages, settings.load.seed)
    async with asyncio.TaskGroup() as group:
        importing = group.create_task(import_all(running, settings.load, acknowledged))
        killing = group.create_task(killer.run(kills))
        while not (importing.done() and killing.done()):
            watchers.imported(len(acknowledged.external_ids))
            await asyncio.wait([importing, killing], timeout=POLL_S)
    return killing.result()


def _services(settings: Settings, running: RunningStack) -> list[ProcessSpec]:
    """Describe the services, which wait less than they do by default for what has died."""
    summarising = {"everword_compactor.settings:WorkerSettings.lease_s": settings.lease_s}
    impatient: dict[str, dict[str, float]] = {
        "embedder": {
            SWEEP: settings.sweep_s,
            "everword_embedder.providers.settings:EmbedSettings.threads": 1,
        },
        "embedder-worker": {EMBED_LEASE: settings.lease_s, EMBED_PAUSE: settings.pause_s},
        **dict.fromkeys(SUMMARISING_WORKERS, summarising),
    }
    return [
        hasty(spec, impatient.get(spec.name, {SWEEP: settings.sweep_s}))
        for spec in service_specs(running)
    ]


async def _drained(admin_url: str, within_s: float, draining: Callable[[int], None]) -> None:
    """Wait until no work is open; what is open after that time is found by the audit."""
    loop = asyncio.get_running_loop()
    until = loop.time() + within_s
    while loop.time() < until:
        try:
            left = await asyncio.to_thread(open_work, admin_url)
        except psycopg.OperationalError:
            left = None  # Postgres was the last to be killed
        if left is not None:
            draining(left)
            if not left:
                return
        await asyncio.sleep(POLL_S)

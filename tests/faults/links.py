"""Connections to the engines that are reset, cut in the middle of an answer, stalled or refused."""

from __future__ import annotations

import asyncio

from faults.proxy import Proxy
from faults.world import Fault, Inject, World

LASTS_S = 3.0
#: Number of answers that are cut.
TORN = 3


def link_faults() -> list[Fault]:
    return [
        Fault(kind, f"connections to {engine}", inject)
        for engine in ("Postgres", "Valkey")
        for kind, inject in (
            ("reset", _reset(engine)),
            ("torn in the middle of an answer", _tear(engine)),
            ("stalled", _stall(engine)),
            ("refused", _refuse(engine)),
        )
    ]


def _proxy(world: World, engine: str) -> Proxy:
    return world.database if engine == "Postgres" else world.valkey


def _reset(engine: str) -> Inject:
    async def inject(world: World) -> None:
        _proxy(world, engine).reset()

    return inject


def _tear(engine: str) -> Inject:
    async def inject(world: World) -> None:
        for _ in range(TORN):
            _proxy(world, engine).tear(1)
            await asyncio.sleep(LASTS_S / TORN)

    return inject


def _stall(engine: str) -> Inject:
    async def inject(world: World) -> None:
        await _proxy(world, engine).stall(LASTS_S)

    return inject


def _refuse(engine: str) -> Inject:
    async def inject(world: World) -> None:
        await _proxy(world, engine).refuse(LASTS_S)

    return inject

"""Faults of PostgreSQL and Valkey: restart, crash, full memory or disk, and loss of Valkey's data."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import redis

from faults.world import REVIVAL_S, Fault, Inject, World
from support.waits import until

#: Seconds without memory or disk, or in a stopped state.
LASTS_S = 3.0
#: Free bytes on a full disk, and the size of the disk.
LEAST_BYTES = 16 << 10
DISK = "6g"


def postgres_faults() -> list[Fault]:
    return [
        Fault("restarted (fast shutdown)", "Postgres", _ending("postgres", signal.SIGINT)),
        Fault("restarted (immediate shutdown)", "Postgres", _ending("postgres", signal.SIGQUIT)),
        Fault("killed (SIGKILL)", "Postgres", _ending("postgres", signal.SIGKILL)),
        Fault("one connection's process killed (SIGKILL)", "Postgres", _kill_backend),
        Fault("all connections ended", "Postgres", _end_connections),
    ]


def valkey_faults() -> list[Fault]:
    return [
        Fault("killed (SIGKILL)", "Valkey", _ending("valkey", signal.SIGKILL)),
        Fault("restarted (SIGTERM)", "Valkey", _ending("valkey", signal.SIGTERM)),
        Fault("flushed", "Valkey", _flush),
        Fault("out of memory", "Valkey", _starve),
        Fault("held still (SIGSTOP)", "Valkey", _hold),
    ]


def disk_fault(disk: Path) -> Fault:
    """Return the fault of a full disk: the small file system of PostgreSQL."""

    async def inject(world: World) -> None:
        used = shutil.disk_usage(disk).used
        _resize(disk, str(used + LEAST_BYTES))
        try:
            await asyncio.sleep(LASTS_S)
        finally:
            _resize(disk, DISK)

    return Fault("disk full", "Postgres", inject)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a file system in memory at a folder. Raises CalledProcessError if that is not allowed."""
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    folder.parent.chmod(0o711)
    options = f"size={DISK},mode=0711"
    command = ["mount", "-t", "tmpfs", "-o", options, "everword-faults", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def may_mount() -> bool:
    """Return whether this user may mount a small disk, as root may outside of most containers."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with small_disk(Path(folder) / "disk"):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def _resize(disk: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def _ending(name: str, number: int) -> Inject:
    async def inject(world: World) -> None:
        await _answers(world)
        await world.end(name, number)
        await _answers(world)

    return inject


async def _answers(world: World) -> None:
    """Wait until PostgreSQL accepts connections; while it starts, it would ignore its signal."""

    def connects() -> bool:
        try:
            psycopg.connect(world.running.admin_database_url or "", connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    await until(lambda: asyncio.to_thread(connects), REVIVAL_S)


async def _kill_backend(world: World) -> None:
    """The server ends all other backends and recovers, as after any crash."""

    def kill() -> bool:
        pids = _query(world, "SELECT pid FROM pg_stat_activity WHERE application_name <> 'faults'")
        with suppress(ProcessLookupError):
            os.kill(world.random.choice([pid for (pid,) in pids]), signal.SIGKILL)
        return True

    await _once_up(kill)
    await _answers(world)


async def _end_connections(world: World) -> None:
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'everword_services'"
    )
    await _once_up(lambda: bool(_query(world, ended)))


def _query(world: World, query: str) -> list[tuple[Any, ...]]:
    url = world.running.admin_database_url or ""
    with psycopg.connect(url, autocommit=True, application_name="faults") as conn:
        return conn.execute(query.encode()).fetchall()


async def _flush(world: World) -> None:
    await _once_up(lambda: bool(_valkey(world).flushall()))


async def _starve(world: World) -> None:
    await _once_up(lambda: bool(_valkey(world).config_set("maxmemory", 1)))
    await asyncio.sleep(LASTS_S)
    await _once_up(lambda: bool(_valkey(world).config_set("maxmemory", 0)))


async def _hold(world: World) -> None:
    pid = await world.pid_of("valkey")
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(LASTS_S)
        os.kill(pid, signal.SIGCONT)


def _valkey(world: World) -> redis.Redis:
    """Return a client that bypasses the proxy."""
    return redis.Redis.from_url(world.running.redis_url, socket_timeout=2)


async def _once_up(act: Callable[[], bool]) -> None:
    """Retry an action until the engine accepts it."""

    def acts() -> bool:
        try:
            return act()
        except (redis.RedisError, psycopg.OperationalError):
            return False

    await until(lambda: asyncio.to_thread(acts), REVIVAL_S)

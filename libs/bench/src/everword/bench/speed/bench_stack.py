"""The Everword that is measured: `everword up` in processes of its own, on disk, with a stub of its models."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from everword.bench.speed import stub
from everword.bench.speed.processes import inherited
from everword.client import ClientSettings
from everword.embedded.errors import EmbeddedError
from everword.embedded.folder import RunningStack, find_running_stack
from everword.embedded.ports import HOST, free_ports
from everword.embedded.process import ProcessSpec, launch_command

_UP = "import sys; from everword.cli.main import main; sys.exit(main())"
START_S = 300.0
STOP_S = 120.0
POLL_S = 0.05


@dataclass(frozen=True)
class BenchStack:
    """The measured stack and the stub of its models."""

    running: RunningStack
    folder: Path
    stub_url: str

    def settings(self, namespace: str = "") -> ClientSettings:
        at = self.running.addresses
        key = os.environ.get("EVERWORD_ADMIN_KEY", "")
        return ClientSettings(
            at["ingest"],
            at["search"],
            at["compactor"],
            api_key=key,
            namespace=namespace,
            timeout_s=120.0,
        )

    def connect(self) -> psycopg.Connection:
        """Connect as the owner, who sees everything."""
        url = self.running.admin_database_url or ""
        return psycopg.connect(url, autocommit=True, options="-c search_path=everword,public")

    def pid(self, name: str) -> int:
        return next(process.pid for process in self.running.processes if process.name == name)

    @asynccontextmanager
    async def paced(
        self, texts: float | None = None, answers: float | None = None
    ) -> AsyncIterator[None]:
        """Limit the stub to this many texts and chat answers per second; None for no limit."""
        await self._set_speed({"texts": texts, "answers": answers})
        try:
            yield
        finally:
            await self._set_speed({"texts": None, "answers": None})

    async def asked(self) -> list[dict[str, Any]]:
        """Return the chat requests that the stub received since the last call."""
        async with httpx2.AsyncClient(trust_env=False) as http:
            answer = (await http.get(f"{self.stub_url}/asked")).raise_for_status()
        return list(answer.json()["asked"])

    async def _set_speed(self, speed: dict[str, float | None]) -> None:
        async with httpx2.AsyncClient(trust_env=False) as http:
            (await http.post(f"{self.stub_url}/speed", json=speed)).raise_for_status()

    @contextmanager
    def paused(self, *names: str) -> Iterator[None]:
        """Keep processes from working while the block lasts."""
        pids = [self.pid(name) for name in names]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def bench_stack(kept: Path | None, say: Callable[[str], None]) -> AsyncIterator[BenchStack]:
    """Run the measured stack for the duration of the block, in `kept` or in a temporary folder.

    Raises EmbeddedError if it does not start.
    """
    async with AsyncExitStack() as resources:
        folder = resources.enter_context(_folder(kept))
        stub_url = await resources.enter_async_context(running_stub(folder))
        say("starting Everword")
        running = await resources.enter_async_context(
            everword_up(folder, {"EVERWORD_EMBED_URL": stub_url})
        )
        yield BenchStack(running, folder, stub_url)


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="everword-speed-"))
    # Whoever PostgreSQL runs as can pass through.
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@asynccontextmanager
async def running_stub(folder: Path) -> AsyncIterator[str]:
    """Run the stub while the block lasts, and lend its address. Raises EmbeddedError."""
    # A model is identified by its URL, so the port must stay the same in a kept folder.
    noted = folder / "stub-port"
    port = int(noted.read_text()) if noted.exists() else free_ports(1)[0]
    noted.write_text(str(port))
    process = await _started([sys.executable, "-P", "-m", stub.__name__, str(port)], os.environ)
    url = f"http://{HOST}:{port}"
    try:
        async with asyncio.timeout(START_S), httpx2.AsyncClient(trust_env=False) as http:
            while True:
                try:
                    (await http.get(f"{url}/v1/models")).raise_for_status()
                    break
                except httpx2.TransportError:
                    if process.returncode is not None:
                        raise EmbeddedError("the stub of the models did not start") from None
                    await asyncio.sleep(POLL_S)
        yield url
    finally:
        await _stopped(process)


@asynccontextmanager
async def everword_up(folder: Path, settings: Mapping[str, str]) -> AsyncIterator[RunningStack]:
    """Run `everword up` on a folder with these environment variables while the block lasts. Raises EmbeddedError."""
    arguments = ["up", "--data", str(folder), "--free-ports", "--json"]
    command = [sys.executable, "-P", "-c", _UP, *arguments]
    process = await _started(command, {**inherited(), **settings}, asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    told: list[bytes] = []
    listening = asyncio.create_task(_collect(process.stderr, told))
    try:
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
        running = find_running_stack(folder) if line else None
        if running is None:
            await process.wait()
            await listening
            raise EmbeddedError(f"Everword did not start:\n{b''.join(told).decode().strip()}")
        assert json.loads(line)["ingest"] == running.addresses["ingest"]
        yield running
    finally:
        await _stopped(process)
        await listening


async def _started(
    command: list[str], environment: Mapping[str, str], output: int | None = None
) -> asyncio.subprocess.Process:
    """Start a process that a signal to this one's group does not reach, and that does not outlive this one."""
    spec = ProcessSpec("", command, environment)
    return await asyncio.create_subprocess_exec(
        *launch_command(spec),
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


async def _collect(stream: asyncio.StreamReader, told: list[bytes]) -> None:
    """Read a stream to its end, and keep the last lines."""
    async for line in stream:
        told.append(line)
        del told[:-200]


async def _stopped(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

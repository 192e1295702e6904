"""A peer as a system that is measured: its library in a process of the peers' environment (`adapter.py`)."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everword.bench.peers.system import LIMIT, PeerConversation, PeerError, Ranking

PEERS = ("lancedb", "chroma", "txtai", "mem0")
ADAPTER = "everword.bench.peers.adapter"
#: Messages of one call; Everword's import sends batches of its own.
BATCH = 100
STOP_S = 30.0
#: The folder that `everword.bench` is imported from.
_SOURCE = Path(__file__).resolve().parents[3]
#: Longer than the line of any answer.
_LINE_BYTES = 1 << 24
#: No peer reports its use, or looks for models on a network.
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class PeerSession:
    """A running adapter."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._name, self._log = name, log
        self._requests, self._answers = process.stdin, process.stdout
        self.pid = process.pid
        self.version = ""

    async def read(self) -> dict[str, Any]:
        """Return the next answer. Raises PeerError."""
        line = await self._answers.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "its process ended"}
        if "error" in answer:
            last = "\n".join(self._log.read_text("utf-8", errors="replace").splitlines()[-15:])
            raise PeerError(f"{self._name}: {answer['error']}\n{last}".strip())
        return answer

    async def _ask(self, **request: object) -> dict[str, Any]:
        self._requests.write(json.dumps(request).encode() + b"\n")
        await self._requests.drain()
        return await self.read()

    async def import_messages(self, conversations: Sequence[PeerConversation]) -> None:
        for each in conversations:
            messages = [
                (entry.message.external_id, spoken(entry.message.author, entry.message.content))
                for entry in each.dataset.entries
            ]
            for start in range(0, len(messages), BATCH):
                batch = messages[start : start + BATCH]
                await self._ask(do="add", space=each.space, messages=batch)
        await self._ask(do="finish")

    async def search(self, space: str, query: str) -> Ranking:
        answer = await self._ask(do="search", space=space, query=query, limit=LIMIT)
        return Ranking(tuple(answer["ids"]), answer["seconds"])


def spoken(author: str, content: str) -> str:
    """Return a message as peers store it: they have no field for its author, and questions name authors."""
    return f"{author}: {content}" if author else content


@dataclass(frozen=True)
class Peer:
    """A library of the peers' environment."""

    name: str
    #: Interpreter of the peers' environment.
    python: Path
    #: Folder with the exported model.
    model: Path

    @asynccontextmanager
    async def started(self, folder: Path, form: str) -> AsyncIterator[PeerSession]:
        log = folder / "adapter.log"
        # Use the interpreter's path without resolving links: it finds its environment by that path.
        command = [str(self.python), "-m", ADAPTER, self.name, str(folder), str(self.model), form]
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *command,
                env={
                    **os.environ,
                    **_QUIET,
                    "PYTHONPATH": str(_SOURCE),
                    "MEM0_DIR": str(folder / "mem0"),
                },
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                limit=_LINE_BYTES,
            )
        try:
            session = PeerSession(self.name, process, log)
            session.version = (await session.read())["version"]
            yield session
        finally:
            await _stopped(process)


async def _stopped(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

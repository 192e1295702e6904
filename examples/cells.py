"""Two Everwords on this machine, and a client that routes by namespace: `python examples/cells.py FOLDER`."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from everword.client import AsyncEverword, CallError, Client, ClientSettings
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace


class Cells:
    """Calls the cell that a namespace is in. A program that ends keeps `placed`: a namespace never moves by itself."""

    def __init__(self, cells: list[ClientSettings]) -> None:
        self._cells = cells
        self.placed: dict[str, int] = {}

    async def create(self, namespace: str) -> None:
        """Make a namespace in the cell that has fewest."""
        counts = Counter(self.placed.values())
        cell = min(range(len(self._cells)), key=lambda number: counts[number])
        async with Client.connect(self._cells[cell]) as client:
            await client.admin_service.CreateNamespace(
                CreateNamespaceRequest(namespace=Namespace(name=namespace))
            )
        self.placed[namespace] = cell

    @asynccontextmanager
    async def memory(self, namespace: str) -> AsyncIterator[AsyncEverword]:
        settings = replace(self._cells[self.placed[namespace]], namespace=namespace)
        async with Client.connect(settings) as client:
            yield AsyncEverword(agent="helper", client=client)


def start(folder: Path, running: ExitStack) -> ClientSettings:
    """Start a cell with a folder and ports of its own; it ends with the block."""
    command = ["everword", "up", "--json", "--free-ports", "--data", str(folder)]
    cell = running.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
    running.callback(cell.terminate)
    assert cell.stdout
    at = json.loads(cell.stdout.readline())
    return ClientSettings(at["ingest"], at["search"], at["compactor"])


async def main(cells: Cells) -> None:
    said = {"ana": "The VPN drops at noon.", "ben": "The printer has no ink."}
    for namespace, text in said.items():
        await cells.create(namespace)
        async with cells.memory(namespace) as memory:
            await memory.append("thread-1", text)
            [hit] = await memory.search(text)
        print(f"{namespace} is in cell {cells.placed[namespace]}: {hit.passage}")
    cells.placed["ana"] = cells.placed["ben"]
    async with cells.memory("ana") as memory:
        try:
            await memory.search("VPN")
        except CallError as error:
            print(f"cell {cells.placed['ben']} has no ana: {error.reason}")


if __name__ == "__main__":
    with ExitStack() as running:
        folders = [Path(sys.argv[1]) / f"cell-{number}" for number in range(2)]
        asyncio.run(main(Cells([start(folder, running) for folder in folders])))

"""Shifts the time of day of each process by an hour and back."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from faults.world import Fault, Inject, World

SOURCE = Path(__file__).parent / "clock.c"
JUMP_S = 3600


@dataclass(frozen=True)
class Clocks:
    """A library that shifts the time of a process, and a folder with a file of offsets for each process."""

    folder: Path

    @property
    def shared_object(self) -> Path:
        return self.folder / "clock.so"

    def environment(self, name: str) -> dict[str, str]:
        """Return the environment variables of a process with a clock."""
        clock = self.folder / name
        if not clock.exists():
            self.set(name, 0)
        return {"LD_PRELOAD": str(self.shared_object), "FAULTS_CLOCK": str(clock)}

    def set(self, name: str, offset_s: int) -> None:
        """Set a process's clock `offset_s` seconds ahead. The file is updated in place, since a running process has it
        open.
        """
        clock = self.folder / name
        with clock.open("r+b" if clock.exists() else "wb") as file:
            file.write(offset_s.to_bytes(8, "little", signed=True))


def can_jump() -> bool:
    """Return whether a compiler for the library is installed."""
    return shutil.which("cc") is not None


def make_clocks(folder: Path) -> Clocks:
    """Create clocks in a folder, which is created too."""
    folder.mkdir(parents=True)
    clocks = Clocks(folder)
    command = [
        "cc",
        "-shared",
        "-fPIC",
        "-O1",
        "-o",
        str(clocks.shared_object),
        str(SOURCE),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return clocks


def clock_faults(names: Iterable[str]) -> list[Fault]:
    return [
        Fault(f"clock an hour {way}", name, _jumping(name, offset_s))
        for name in names
        for way, offset_s in (("ahead", JUMP_S), ("behind", -JUMP_S))
    ]


def _jumping(name: str, offset_s: int) -> Inject:
    async def inject(world: World) -> None:
        assert world.clocks
        world.clocks.set(name, offset_s)
        await asyncio.sleep(1.3 * world.lease_s)
        world.clocks.set(name, 0)

    return inject

"""The machine that figures were taken on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from everword.bench.speed.bench_stack import BenchStack

#: Flags of /proc/cpuinfo that decide how fast a model's weights are multiplied.
_INSTRUCTIONS = {"avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8"}


def machine(bench: BenchStack) -> dict[str, Any]:
    """Return the processor, the memory and the versions; the load shows whether other processes used the machine."""
    with bench.connect() as conn:
        [postgres, fsync] = conn.execute(
            "SELECT current_setting('server_version'), current_setting('fsync')"
        ).fetchone() or ("", "")
    return {
        **processor_facts(),
        "postgres": postgres,
        "fsync": fsync,
        "load_before": [round(load, 2) for load in psutil.getloadavg()],
    }


def processor_facts() -> dict[str, Any]:
    """Return the processor with the instructions that a model's speed depends on, the memory, and the system."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return {
        "processor": _first(lines, "model name") or platform.processor() or platform.machine(),
        "instructions": sorted(_INSTRUCTIONS.intersection(_first(lines, "flags").split())),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def _first(lines: Sequence[str], field: str) -> str:
    """Return the value of a field in /proc/cpuinfo, of the first processor; empty if there is none."""
    values = (line.partition(":")[2].strip() for line in lines if line.startswith(field))
    return next(values, "")

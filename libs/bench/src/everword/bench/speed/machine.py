"""The machine that figures were taken on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import psutil

from everword.bench.speed.bench_stack import BenchStack


def machine(bench: BenchStack) -> dict[str, Any]:
    """Return the processor, the memory and the versions; the load tells whether others used it too."""
    with bench.connect() as conn:
        [postgres, fsync] = conn.execute(
            "SELECT current_setting('server_version'), current_setting('fsync')"
        ).fetchone() or ("", "")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "postgres": postgres,
        "fsync": fsync,
        "load_before": [round(load, 2) for load in psutil.getloadavg()],
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()

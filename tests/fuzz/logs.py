"""Reads the logs of the services under test."""

from __future__ import annotations

import json
from pathlib import Path

from everword.embedded.folder import RunningStack


def find_exception(running: RunningStack, request_id: str) -> str:
    """Return the traceback that a service logged about a call; "" if no service logged one.

    Call it while the services run: their logs are in a temporary folder, which is removed with them.
    """
    for process in running.processes:
        # The standard output of each process is its log file.
        with Path(f"/proc/{process.pid}/fd/1").open(errors="replace") as log:
            for line in log:
                if request_id in line and '"exception": ' in line:
                    return str(json.loads(line)["exception"])
    return ""

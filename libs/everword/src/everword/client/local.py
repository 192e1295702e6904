"""The Everword that `everword up` runs on this machine: its data folder and its address."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import platformdirs

#: File in the data folder that says what runs from it. Its owner alone may read it.
RUN_FILE = "run.json"
_CONNECT_TIMEOUT_S = 1.0


def default_data_folder() -> Path:
    return Path(platformdirs.user_data_dir("everword"))


def running_address(folder: Path) -> str:
    """Return host:port of the Everword that runs from a data folder; empty if none runs.

    Raises PermissionError if the folder is another user's.
    """
    try:
        content = json.loads((folder / RUN_FILE).read_text())
    except FileNotFoundError:
        return ""
    address: str = content["address"]
    # A supervisor that was killed leaves its file behind.
    return address if _answers(address) else ""


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_TIMEOUT_S).close()
    except OSError:
        return False
    return True

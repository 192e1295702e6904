"""The proxy with all public services at one address."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from everword.embedded.ports import free_ports
from everword.embedded.process import run_blocking
from everword.embedded.services import proxy_spec


@contextmanager
def running_proxy(
    addresses: Mapping[str, str], folder: Path
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the proxy in front of servers while the block lasts; yield its address and its process."""
    address = f"127.0.0.1:{free_ports(1)[0]}"
    with run_blocking(proxy_spec(address, addresses, folder), folder) as process:
        yield address, process


@contextmanager
def proxied(addresses: Mapping[str, str], folder: Path) -> Iterator[str]:
    """Run the proxy in front of servers while the block lasts; yield its address."""
    with running_proxy(addresses, folder) as (address, _):
        yield address

"""Runs a command in a network namespace without outside connections, and records its attempts to connect.

    python -m support.closed_network SEEN COMMAND…

Every address is local there, so any connection is refused at once and its packet is seen, whatever library sends it. A
line for each target beyond loopback and for each name query is written to the file SEEN. Needs root.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import threading
from ipaddress import ip_address
from pathlib import Path

_CLONE_NEWNET = 0x40000000
_ALL_PROTOCOLS = 3
_TCP, _UDP, _DNS = 6, 17, 53
_COMMANDS = (
    "ip link set lo up",
    "ip route add local default dev lo",
    "ip -6 route add local default dev lo",
)


def enter() -> None:
    """Move this process and its later children to a network namespace without connections. Raises OSError."""
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "no network of its own")
    for command in _COMMANDS:
        subprocess.run(command.split(), check=True)


def target(packet: bytes) -> str | None:
    """Return the target of a packet as `ADDRESS PORT`, followed by the queried name for a name query.

    None for loopback (name queries excepted), for packets that do not open a connection, and for other protocols.
    """
    if packet[0] >> 4 == 4:
        protocol, start, address = packet[9], (packet[0] & 15) * 4, ip_address(packet[16:20])
    else:
        protocol, start, address = packet[6], 40, ip_address(packet[24:40])
    if protocol not in (_TCP, _UDP):
        return None
    port = int.from_bytes(packet[start + 2 : start + 4], "big")
    # The TCP packet that opens a connection: SYN without ACK.
    begins = protocol == _UDP or packet[start + 13] & 0b10010 == 0b10
    beyond = not address.is_loopback or (protocol == _UDP and port == _DNS)
    name = f" {_name(packet[start + 8 + 12 :])}" if (protocol, port) == (_UDP, _DNS) else ""
    return f"{address} {port}{name}" if begins and beyond else None


def _name(question: bytes) -> str:
    """Return the name at the start of a question: labels, each after its length, up to one of length 0 (RFC 1035)."""
    parts = list[str]()
    while question and question[0]:
        parts.append(question[1 : question[0] + 1].decode(errors="replace"))
        question = question[question[0] + 1 :]
    return ".".join(parts)


def listen(seen: set[str]) -> None:
    """Add targets of packets to `seen` until the process ends."""
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL_PROTOCOLS))
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    packets.bind(("lo", 0))

    def note() -> None:
        while True:
            if found := target(packets.recv(400)):
                seen.add(found)

    threading.Thread(target=note, daemon=True).start()


def main() -> None:
    path, *command = sys.argv[1:]
    enter()
    seen: set[str] = set()
    listen(seen)
    status = subprocess.run(command, env=os.environ, check=False).returncode
    Path(path).write_text("".join(f"{each}\n" for each in sorted(seen)))
    sys.exit(status)


if __name__ == "__main__":
    main()

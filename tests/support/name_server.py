"""A DNS server with one or several addresses for each name, like a headless service, without a cluster."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

_HEADER = 12
_ADDRESS = 1
#: Flags of an authoritative response without recursion.
_AUTHORITATIVE, _NO_SUCH_NAME = 0x8580, 0x8583
_POLL_S = 0.05


@contextmanager
def name_server(addresses: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Answer queries for IPv4 addresses while the block lasts; yield the server's HOST:PORT."""
    closing = threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(_POLL_S)
        thread = threading.Thread(target=_serve, args=(listening, addresses, closing))
        thread.start()
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            closing.set()
            thread.join()


def _serve(
    listening: socket.socket, addresses: Mapping[str, Sequence[str]], closing: threading.Event
) -> None:
    while not closing.is_set():
        try:
            query, caller = listening.recvfrom(512)
        except TimeoutError:
            continue
        listening.sendto(_answer(query, addresses), caller)


def _answer(query: bytes, addresses: Mapping[str, Sequence[str]]) -> bytes:
    """Return the response to a message with one question (RFC 1035, section 4)."""
    labels, at = [], _HEADER
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode())
        at += 1 + length
    (kind,) = struct.unpack("!H", query[at + 1 : at + 3])
    known = addresses.get(".".join(labels).lower())
    found = known if known and kind == _ADDRESS else ()
    flags = _NO_SUCH_NAME if known is None else _AUTHORITATIVE
    header = query[:2] + struct.pack("!HHHHH", flags, 1, len(found), 0, 0)
    # 0xC00C points to the name in the question; answers have a TTL of one second.
    records = [
        struct.pack("!HHHIH", 0xC00C, _ADDRESS, 1, 1, 4) + socket.inet_aton(address)
        for address in found
    ]
    return header + query[_HEADER : at + 5] + b"".join(records)

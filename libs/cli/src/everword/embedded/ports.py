"""The ports of this machine that the stack listens on."""

import socket
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields

from everword.embedded.errors import EmbeddedError

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Ports:
    """One port for each server; the engines' are not the usual ones, which others may use."""

    proxy: int = 50050
    ingest: int = 50051
    search: int = 50052
    compactor: int = 50053
    embedder: int = 50054
    # Outside of the range that this machine takes ports of outgoing connections from.
    postgres: int = 15432
    valkey: int = 63790

    @classmethod
    def free(cls) -> "Ports":
        """Return ports that are free now."""
        return cls(*free_ports(len(fields(cls))))

    def __post_init__(self) -> None:
        if len(set(astuple(self))) < len(fields(self)):
            raise EmbeddedError(f"two servers cannot share one port: {self}")


def free_ports(count: int) -> list[int]:
    """Choose distinct ports; all are held until the last is found, so that none comes twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in sockets]


def option(name: str) -> str:
    return f"--{name}-port"


def require_free(ports: Ports, names: Iterable[str]) -> None:
    """Raise EmbeddedError for the first port that is taken, with the option that changes it."""
    for name in names:
        port = getattr(ports, name)
        if not _is_free(port):
            raise EmbeddedError(
                f"port {port} ({name}) is already in use; stop what listens there, or choose "
                f"another with {option(name)}, or use --free-ports"
            )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do it: connections of an earlier run that linger on do not occupy the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True

"""Ports: chosen, or found taken."""

import socket
from dataclasses import astuple

import pytest

from everword.embedded.errors import EmbeddedError
from everword.embedded.ports import HOST, Ports, require_free


def test_free_ports_are_distinct_and_free() -> None:
    ports = Ports.free()
    assert len(set(astuple(ports))) == 7
    require_free(
        ports, ["proxy", "ingest", "search", "compactor", "embedder", "postgres", "valkey"]
    )


@pytest.mark.parametrize("host", [HOST, "0.0.0.0"])
def test_require_free_names_the_port_and_the_option_to_change_it(host: str) -> None:
    with socket.create_server((host, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EmbeddedError) as caught:
            require_free(Ports(search=port), ["search"])
    assert str(caught.value) == (
        f"port {port} (search) is already in use; stop what listens there, or choose another with "
        "--search-port, or use --free-ports"
    )


def test_require_free_ignores_ports_of_unused_servers() -> None:
    with socket.create_server((HOST, 0)) as taken:
        require_free(Ports(postgres=taken.getsockname()[1]), [])


def test_ports_refuse_one_port_for_two_servers() -> None:
    with pytest.raises(EmbeddedError, match="share one port"):
        Ports(ingest=4000, search=4000)

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
def test_a_taken_port_is_named_with_the_option_that_changes_it(host: str) -> None:
    with socket.create_server((host, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EmbeddedError) as caught:
            require_free(Ports(search=port), ["search"])
    assert str(caught.value) == (
        f"port {port} (search) is already in use; stop what listens there, or choose another with "
        "--search-port, or use --free-ports"
    )


def test_a_taken_port_that_is_not_used_does_not_matter() -> None:
    with socket.create_server((HOST, 0)) as taken:
        require_free(Ports(postgres=taken.getsockname()[1]), [])


def test_two_servers_cannot_be_given_one_port() -> None:
    with pytest.raises(EmbeddedError, match="share one port"):
        Ports(ingest=4000, search=4000)

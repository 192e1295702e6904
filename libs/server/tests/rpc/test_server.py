"""Options of the gRPC servers."""

from __future__ import annotations

from everword.rpc import server
from everword.rpc.interceptors.deadline import CAP_S


def test_connection_lives_as_long_as_the_longest_call() -> None:
    """A run of Sleep was cut off when its connection was 20 minutes old."""
    options = dict(server._options())
    assert options["grpc.max_connection_age_grace_ms"] >= CAP_S * 1000

"""Addresses on the command line."""

from __future__ import annotations

import pytest

from everword_web.settings import Address


@pytest.mark.parametrize(
    ("text", "host", "port", "shown"),
    [
        ("0.0.0.0:50056", "0.0.0.0", 50056, "0.0.0.0:50056"),
        ("[::1]:80", "::1", 80, "[::1]:80"),
        ("50057", "127.0.0.1", 50057, "127.0.0.1:50057"),
        ("memory.example.com:8080", "memory.example.com", 8080, "memory.example.com:8080"),
    ],
)
def test_address_with_a_port_is_parsed(text: str, host: str, port: int, shown: str) -> None:
    assert Address.parse(text) == Address(host, port)
    assert str(Address.parse(text)) == shown


@pytest.mark.parametrize("text", ["", "localhost", "127.0.0.1:", "127.0.0.1:http", "1:65536"])
def test_address_without_a_valid_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not HOST:PORT"):
        Address.parse(text)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("::", False), ("192.0.2.1", False), ("localhost.example.com", False),
    ],
)  # fmt: skip
def test_address_is_loopback_only_if_no_other_machine_reaches_it(host: str, expected: bool) -> None:
    assert Address(host, 1).is_loopback is expected
